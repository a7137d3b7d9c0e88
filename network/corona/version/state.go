package version

import (
	"slices"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// maxStateStamp is the highest stamp of a state that is accepted. Stamps count the primary's changes: there is always a
// higher one for the next.
const maxStateStamp = 1<<62 - 1

// Fill fills in this machine's part of a channel's state. A channel that is not owned here counts as a new one.
func (m *Machine) Fill(channel engine.ID, s *State) {
	o, now := m.find(channel), m.Env.Now()
	if o == nil {
		o = &record{}
	}
	s.Hash, s.Size, s.Routed = o.hash, o.size, o.tree.routed
	s.Wait, s.Least = uint32(max(0, o.limit.NotBefore-now)/time.Second), inSeconds(o.limit.Interval)
	s.Interval = o.estimate.interval(now, m.config.Interval).Seconds()
	s.Watched = o.estimate.watched
	if o.contents != nil {
		s.Age = inSeconds(now - o.contents.numberedAt)
		s.Recent = slices.Clone(o.contents.recent) // it goes on changing
	}
}

// merge adopts another owner's state of a channel, if it is newer. A primary then sends the latest version to all: the
// other's subscribers have another one.
func (n *numbering) merge(o *record, from engine.Peer, s *State) {
	n.compareVersion(o, s.Version)
	if !n.Roster.Near(o.ID(), from) || !n.credible(o, from, s) {
		return
	}
	newer := s.Version > o.Version() || s.Version == o.Version() && s.Stamp > o.Stamp()
	var least time.Duration // an older state holds what the origin asked for earlier
	if newer {
		least = time.Duration(s.Least) * time.Second
	}
	n.origins.limit(o, time.Duration(s.Wait)*time.Second, least)
	if !newer {
		return
	}
	apart := s.Version != o.Version() && o.Version() > 0
	n.replace(o, s)
	n.Host.Changed(o.ID())
	n.gaps.maybeBehind(from, o.ID(), o.Version())
	if apart && o.Primary() {
		n.reunite(o)
	}
}

// compareVersion compares another owner's version: if it is older, its subscribers may have an older one. Any node can
// claim that; it costs a few rounds of messages.
func (n *numbering) compareVersion(o *record, version uint64) {
	if o.Primary() && version > 0 && version < o.Version() {
		n.reunite(o)
	}
}

// compareHeld compares the version that a finder holds with the one that this owner knows.
func (n *numbering) compareHeld(o *record, h *Header) {
	if len(h.Given) == 0 || h.Channel != o.ID() || !update.Timely(n.Env.Wall(), h.Version) ||
		!n.Roster.CouldOwn(h.Channel, h.Giver.ID) || !update.IsSigned(n.Keys, h) {
		return
	}
	n.excluded(n.believe.Compare(h), engine.Peer{})
	if h.Version > o.Version() || h.Version == o.Version() && h.Hash != o.hash {
		n.numbering.raiseFloor(h.Channel, h.Version)
	}
}

// credible reports whether a state can be true, and traces why not.
func (n *numbering) credible(o *record, from engine.Peer, s *State) bool {
	switch {
	case s.Version > 0 && (!numbers(s.Hash, s.Version) || !update.Timely(n.Env.Wall(), s.Version)), s.Stamp > maxStateStamp:
		update.Refuse(&n.Base, o.ID(), s.Version, from, Impossible)
	case s.Version > 0 && s.Version == o.Version() && s.Hash != o.hash:
		update.Refuse(&n.Base, o.ID(), s.Version, from, Equivocal)
	default:
		return true
	}
	return false
}

func (n *numbering) replace(o *record, s *State) {
	now := n.Env.Now()
	interval := time.Duration(min(max(s.Interval, 0), maxEstimate) * float64(time.Second))
	estimated := o.estimate.adopt(s.Watched, interval, now, n.config.Interval)
	if s.Version > o.Version() {
		for _, start := range s.Recent {
			o.remember().recent.note(start)
		}
		o.raise(s.Version, s.Hash, s.Size, now-time.Duration(s.Age)*time.Second)
		o.contents.unsent = true
		if !estimated {
			o.estimate.change(now, n.config.Interval)
		}
	}
	o.SetState(o.Version(), s.Stamp)
	o.tree.routed = s.Routed
	n.Host.Adopted(o.ID(), *s)
}

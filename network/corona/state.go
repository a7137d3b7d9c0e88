package corona

import (
	"slices"
	"time"

	"tidings/network/corona/plan"
	"tidings/network/engine"
)

// stateOf returns what is known of a channel besides its subscriptions.
func (n *versioner) StateOf(o *owned) State {
	interval, now := n.config.Interval, n.Env.Now()
	set := n.node.plan.Set(o.ID())
	slot := ((set.Slot-now)%interval + interval) % interval
	s := State{
		Version: o.Version(), Stamp: o.Stamp(), Hash: o.hash, Size: o.size, Set: set.Size, Term: set.Term, Slot: uint32(slot / time.Millisecond),
		Wait: uint32(max(0, o.limit.NotBefore-now) / time.Second), Least: inSeconds(o.limit.Interval),
	}
	s.Interval = o.estimate.interval(now, interval).Seconds()
	s.Watched, s.Routed = o.estimate.watched, o.routed
	if o.contents != nil {
		s.Age = inSeconds(now - o.contents.given)
		s.Recent = slices.Clone(o.contents.recent) // it goes on changing
	}
	return s
}

// mergeState takes the state that another owner has of a channel, if it is newer. A primary that finds that another has
// given versions too, as in a partition, sends the latest to all: the other's subscribers have another version.
func (n *versioner) MergeState(o *owned, from engine.Peer, s State) {
	n.CompareVersion(o, s.Version)
	if !n.node.roster.Near(o.ID(), from) || !n.credible(o, from, &s) {
		return
	}
	newer := s.Version > o.Version() || s.Version == o.Version() && s.Stamp > o.Stamp()
	var least time.Duration // of an older state it is what the origin has asked for before
	if newer {
		least = time.Duration(s.Least) * time.Second
	}
	n.limit(o, time.Duration(s.Wait)*time.Second, least)
	if !newer {
		return
	}
	apart := s.Version != o.Version() && o.Version() > 0
	n.replaceState(o, &s)
	n.node.roster.TellChange(o)
	n.MaybeBehind(from, o.ID(), o.Version())
	if apart && o.Primary() {
		n.reunite(o)
	}
}

// compareVersion compares the version that another owner has, or had: its subscribers may have an older one than this
// owner's. Any node can claim that; it costs no more than a few rounds of messages.
func (n *versioner) CompareVersion(o *owned, version uint64) {
	if o.Primary() && version > 0 && version < o.Version() {
		n.reunite(o)
	}
}

// credible reports whether a state can be true.
func (n *versioner) credible(o *owned, from engine.Peer, s *State) bool {
	switch {
	case s.Version > 0 && (!numbers(s.Hash, s.Version) || !n.timely(s.Version)), s.Stamp > maxStateStamp:
		n.Env.Trace(Refused{o.ID(), s.Version, from.ID, Impossible})
	case s.Version > 0 && s.Version == o.Version() && s.Hash != o.hash:
		n.Env.Trace(Refused{o.ID(), s.Version, from.ID, Equivocal})
	default:
		return true
	}
	return false
}

// maxStateStamp is the highest stamp of a state that is taken. Stamps count the primary's changes:
// there is always a higher one for the next.
const maxStateStamp = 1<<62 - 1

func (n *versioner) replaceState(o *owned, s *State) {
	now := n.Env.Now()
	estimated := o.estimate.adopt(s.Watched, time.Duration(min(max(s.Interval, 0), maxEstimate)*float64(time.Second)), now, n.config.Interval)
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
	o.routed = s.Routed
	n.node.plan.Adopt(o.Channel(), plan.Set{Size: s.Set, Slot: now + time.Duration(s.Slot)*time.Millisecond, Term: s.Term})
}

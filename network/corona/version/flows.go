package version

import (
	"slices"

	"tidings/network/corona/machine"
	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/deliver"
	"tidings/network/corona/version/report"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// receiveBypassing handles a report that bypasses the primary.
func (m *Machine) receiveBypassing(from engine.Peer, d *report.Detected, direct bool) {
	channel := d.Update.Channel
	o := m.owned(channel)
	switch {
	case m.Keys == nil:
	case o == nil || o.Rank() < 0:
		if !direct { // two hops and no more
			m.seams.Roster.SendToOwner(channel, d)
		}
	case !update.IsFound(m.Keys, &d.Update):
		m.report.Drop(d, from, update.Unsound)
	default:
		if !o.Primary() {
			m.duties.act(channel)
			m.duties.relay(channel)
			// the report leads on from that: the finder has it
			m.route(m.deliver.MissLatest(d.Update.Finder(), channel))
		}
		// the version that the finder holds may be another than the one that this owner knows
		if h := &d.Held; len(h.Given) > 0 && h.Channel == channel && update.Timely(m.Env.Wall(), h.Version) &&
			m.seams.Roster.CouldOwn(channel, h.Giver.ID) && update.IsSigned(m.Keys, h) {
			m.excluded(m.believe.Compare(h), engine.Peer{})
			hash, _ := m.deliver.Latest(channel)
			if h.Version > o.Version() || h.Version == o.Version() && h.Hash != hash {
				m.deliver.RaiseFloor(channel, h.Version)
			}
		}
		m.route(m.report.ReceiveBypassing(d))
	}
}

// witnessable returns how many subscribers a version has that are not to poll for themselves: none if nobody may.
func (m *Machine) witnessable(channel engine.ID) int {
	if m.report.PollsAlone(channel) || m.report.Limits(channel).Interval > 0 {
		return 0
	}
	return m.owned(channel).Live()
}

// receiveAhead raises the next version's number above the one that another node holds. Unless direct, the message may
// have come to a node near the owners.
func (m *Machine) receiveAhead(from engine.Peer, a *believe.Ahead, direct bool) {
	h := &a.Header
	o := m.owned(h.Channel)
	hash, _ := m.deliver.Latest(h.Channel)
	switch {
	case m.Keys == nil:
		return
	case o == nil || o.Rank() < 0:
		if !direct {
			m.seams.Roster.SendToOwner(h.Channel, a)
		}
		return
	case h.Version < o.Version(), h.Version == o.Version() && h.Hash == hash:
		return
	case !update.Numbers(h.Hash, h.Version),
		h.Version>>update.TagBits > update.Calendar(m.Env.Wall(), machine.MaxAhead/2):
		update.Refuse(&m.Base, h.Channel, h.Version, from, update.Impossible)
		return
	}
	if proof := m.believe.ProofAgainst(h.Giver.ID); proof != nil {
		m.Env.Send(from, proof)
	}
	m.deliver.RaiseFloor(h.Channel, h.Version)
	if m.seams.Roster.CouldOwn(h.Channel, h.Giver.ID) && update.IsSigned(m.Keys, h) {
		m.excluded(m.believe.Compare(h), engine.Peer{})
		if !o.Primary() && !direct {
			m.Env.Send(o.Others()[0], a)
			m.duties.act(h.Channel) // in case the primary does nothing
		}
		if m.duties.makes(h.Channel) {
			m.route(m.report.Reunite(h.Channel))
		}
	}
}

// receiveCommit notes a number that the primary has assigned. It also notes the header, to notice another content with
// this number.
func (m *Machine) receiveCommit(from engine.Peer, c *deliver.Commit) {
	o, h := m.owned(c.Channel), &c.Header
	switch {
	case o == nil:
		return
	case !m.seams.Roster.Near(c.Channel, from):
		update.Refuse(&m.Base, c.Channel, c.State.Version, from, update.Stranger)
		return
	}
	m.Merge(c.Channel, from, &c.State)
	if hash, _ := m.deliver.Latest(c.Channel); m.Keys != nil && h.Channel == c.Channel && h.Version == o.Version() &&
		h.Hash == hash && update.IsSigned(m.Keys, h) {
		m.excluded(m.believe.Compare(h), engine.Peer{})
		m.believe.NoteHeader(*h)
	}
	m.Env.Send(from, &deliver.Committed{Channel: c.Channel, Version: o.Version()})
}

// proven reports whether all that an update names have signed it.
func (m *Machine) proven(from engine.Peer, u *update.Update) bool {
	is, proof := m.believe.Proven(from, u)
	m.excluded(proof, engine.Peer{})
	return is
}

// excluded handles a new proof that a node equivocates, if there is one: the node is excluded as an owner, and the
// proof sent to the channel's owners and contacts. The next owner makes a version above the doubled one.
func (m *Machine) excluded(e *believe.Equivocation, from engine.Peer) {
	if e == nil {
		return
	}
	channel, node := e.First.Channel, e.First.Giver.ID
	m.deliver.RaiseFloor(channel, e.First.Version)
	m.seams.Roster.Shun(node, channel, m.Env.Now()+believe.EquivocatorAge)
	// to the owners, and up and down the polling set, once; if this node leads that now, to all of it
	to := m.seams.Plan.Below(channel)
	if p, ok := m.seams.Plan.Above(channel); ok {
		to = append(to, p)
	}
	if owners, sure := m.owners(channel); sure {
		to = append(to, owners...)
	} else {
		m.Ring.Route(m.AlternateKey(channel), e)
	}
	notified := []engine.ID{from.ID, node, m.Env.Self().ID}
	for _, p := range to {
		if !slices.Contains(notified, p.ID) {
			notified = append(notified, p.ID)
			m.Env.Send(p, e)
		}
	}
	if o := m.owned(channel); o != nil && o.Primary() {
		m.route(m.report.Reunite(channel))
	}
}

// receiveUpdate handles an update that was sent to this node as a subscriber, or on request.
func (m *Machine) receiveUpdate(from engine.Peer, u *update.Update) {
	wants := m.duties.wants(u.Channel)
	if _, wanted := m.seams.Roster.Wanted(u.Channel); !wanted && !wants {
		if m.believe.Possible(from, u) && m.proven(from, u) {
			m.seams.Roster.Disown(u.Channel, "", 0)
		}
		return
	}
	// One that is to be sent again, or cannot be true, is not acknowledged.
	if m.believe.Possible(from, u) &&
		(!wants || !m.isNews(from, u) || m.proven(from, u) && m.bring(from, u, false)) {
		m.Env.Send(from, &deliver.Got{Channel: u.Channel, Version: u.Version})
	}
}

// receiveShared passes an update on to the nodes below, once, and accepts it.
func (m *Machine) receiveShared(from engine.Peer, s *deliver.Shared) {
	u := &s.Update
	passed, hushed, in := m.seams.Plan.Passed(u.Channel)
	if !in || !m.believe.Possible(from, u) {
		return
	}
	// The version came down a tree first, without Quiet. The flag counts once, as it is not signed.
	hush := s.Quiet > 0 && u.Version == passed && !hushed
	news := func() bool { return m.duties.wants(u.Channel) && m.isNews(from, u) }
	if u.Version <= passed && !hush && !news() || !m.proven(from, u) {
		return
	}
	m.report.BeQuiet(u.Channel, s.Quiet)
	if u.Version > passed || hush {
		m.passOn(s)
	}
	if news() {
		m.bring(from, u, false)
	}
}

// passOn passes an update on to the pollers below this node.
func (m *Machine) passOn(s *deliver.Shared) {
	for _, p := range m.seams.Plan.Pass(s.Update.Channel, s.Update.Version, s.Quiet > 0) {
		m.Env.Send(p, s)
	}
}

// isNews reports whether a version is newer than the one held. Of other versions it checks no signature, except of one
// with the held number and another content.
func (m *Machine) isNews(from engine.Peer, u *update.Update) bool {
	held, hash := m.seams.Library.Held(u.Channel)
	switch {
	case u.Version > held:
		return true
	case u.Hash == hash || m.Keys == nil:
	case u.Version < held:
		m.believe.MaybeAhead(from, u.Channel, u.Version)
	case m.proven(from, u): // another node numbered it, or both are now known to equivocate
		ahead := &believe.Ahead{Header: m.believe.HeaderOf(u.Channel)}
		m.Ring.Route(m.AlternateKey(u.Channel), ahead)
		if giver := u.Seal.Giver; !m.IsSelf(giver) {
			m.Env.Send(giver, ahead) // the alternate route may lead through that giver
		}
	}
	return false
}

// bring has the library keep an update if that is believed. It returns false if there is no room.
func (m *Machine) bring(from engine.Peer, u *update.Update, seen bool) bool {
	next, room := m.deliver.Bring(from, u, seen)
	m.route(next)
	return room
}

// kept handles an update that the library has stored.
func (m *Machine) kept(k deliver.Kept) {
	u := k.Update
	m.believe.Note(u)
	m.believe.Stored(u, k.Before)
	if k.News && !k.Own {
		m.seams.Plan.Rest(u.Channel, m.believe.Polls(u))
	}
	m.report.End(u.Channel, u.Hash)
	m.report.Confirmed(u.Channel, u.Hash)
	if m.seams.Roster.Readers(u.Channel) > 0 {
		m.Env.Trace(deliver.Delivered{Channel: u.Channel, Version: u.Version, Hash: u.Hash, FoundBy: u.FoundBy,
			News: k.News})
	}
}

// pollFor polls a channel that is polled here, and sends the requester what it shows. It polls at most FreeChecks times
// an interval, once if the load of hosts is bounded.
func (m *Machine) pollFor(from engine.Peer, channel engine.ID) {
	c, polled := m.seams.Plan.Polled(channel)
	most := report.FreeChecks
	if m.seams.Ceilings.Hosted() {
		polled = polled && m.seams.Ceilings.MayLead(from.ID, channel)
		most = 1
	}
	if !polled || !m.believe.PollFor(from, c, most) {
		m.Env.Send(from, &update.Verified{Channel: channel})
	}
}

// standing is a request for this node as a witness.
type standing struct {
	key  engine.ID
	from engine.Peer
	m    *update.Verify
}

const (
	maxUnproved = 1 << 10 // channels with such requests that wait for a proof
	maxStanding = 4       // requests of one channel
)

// Proved reports that a proof of a channel's readers has come, or does not come.
func (m *Machine) Proved(channel engine.ID) {
	waiting := m.unproved[channel]
	delete(m.unproved, channel)
	for _, s := range waiting {
		m.stand(s.key, s.from, s.m)
	}
}

// stand polls a channel as the node at one of its places, if the channel has readers. An owner that numbers a version
// asks for it.
func (m *Machine) stand(key engine.ID, from engine.Peer, v *update.Verify) {
	c := Channel{ID: v.Channel, URL: v.URL}
	if !m.believe.Stands(key, v) || !m.seams.Ceilings.MayLead(from.ID, c.ID) {
		update.Refuse(&m.Base, v.Channel, 0, from, update.Stranger)
		return
	}
	looks := m.seams.Ceilings.Looks(c)
	if looks == 0 {
		if waiting := m.unproved[c.ID]; m.seams.Ceilings.Asking(c.ID) && len(waiting) < maxStanding &&
			(len(waiting) > 0 || len(m.unproved) < maxUnproved) {
			m.unproved[c.ID] = append(waiting, standing{key, from, v})
			return
		}
		update.Refuse(&m.Base, v.Channel, 0, from, update.Unproved)
		return
	}
	m.duties.keep(c)
	m.believe.PollAsWitness(from, v, c, looks)
}

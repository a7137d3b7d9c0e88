package version

import (
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// intake holds arriving updates until the library has them.
type intake struct {
	*core
	arrivals map[engine.ID]*arrival // by channel, at most maxUnderWay: updates that the library is storing
}

// arrival is an update that the library is storing, or is to store.
type arrival struct {
	update *Update
	from   engine.Peer // the sender; zero: this node makes the version
	news   bool        // its content differs from the one held
	before Hash        // the content held before, if this node has not seen the new one
	seen   bool        // by a poll of this node
	done   func(fits bool)
	after  []*arrival // arrived meanwhile, in order; at most maxAfter
}

// maxAfter is how many updates of a channel wait for the one that the library is storing.
const maxAfter = 4

// receiveUpdate handles an update that was sent to this node as a subscriber, or on request.
func (n *intake) receiveUpdate(from engine.Peer, m *Update) {
	if _, wanted := n.Roster.Wanted(m.Channel); !wanted && !n.duties.wants(m.Channel) {
		if n.believe.Possible(from, m) && n.proven(from, m) {
			n.Roster.Disown(m.Channel, "", 0)
		}
		return
	}
	if n.arrive(from, m) {
		n.Env.Send(from, &Got{m.Channel, m.Version})
	}
}

// arrive accepts an update, if it is wanted and new. It returns false if the update is to be sent again, or cannot be
// true.
func (n *intake) arrive(from engine.Peer, u *Update) bool {
	switch {
	case !n.believe.Possible(from, u):
		return false
	case !n.duties.wants(u.Channel), !n.isNews(from, u):
		return true
	case !n.proven(from, u):
		return false
	}
	return n.bring(&arrival{update: u, from: from})
}

// receiveShared passes an update on to the nodes below, once, and accepts it.
func (n *intake) receiveShared(from engine.Peer, m *Shared) {
	u := &m.Update
	passed, hushed, in := n.Plan.Passed(u.Channel)
	if !in || !n.believe.Possible(from, u) {
		return
	}
	// The version came down a tree first, without Quiet. The flag counts once, as it is not signed.
	hush := m.Quiet > 0 && u.Version == passed && !hushed
	news := func() bool { return n.duties.wants(u.Channel) && n.isNews(from, u) }
	if u.Version <= passed && !hush && !news() || !n.proven(from, u) {
		return
	}
	n.reports.beQuiet(u.Channel, m.Quiet)
	if u.Version > passed || hush {
		n.passOn(m)
	}
	if news() {
		n.bring(&arrival{update: u, from: from})
	}
}

// passOn passes an update on to the pollers below this node.
func (n *intake) passOn(m *Shared) {
	for _, p := range n.Plan.Pass(m.Update.Channel, m.Update.Version, m.Quiet > 0) {
		n.Env.Send(p, m)
	}
}

// isNews reports whether a version is newer than the one held. Of other versions it checks no signature, except of one
// with the held number and another content.
func (n *intake) isNews(from engine.Peer, u *Update) bool {
	held, hash := n.Library.Held(u.Channel)
	switch {
	case u.Version > held:
		return true
	case u.Hash == hash || n.Keys == nil:
	case u.Version < held:
		n.believe.MaybeAhead(from, u.Channel, u.Version)
	case n.proven(from, u): // another node numbered it, or both are now known to equivocate
		ahead := &Ahead{Header: n.believe.HeaderOf(u.Channel)}
		n.Ring.Route(n.AlternateKey(u.Channel), ahead)
		if giver := u.Seal.Giver; !n.IsSelf(giver) {
			n.Env.Send(giver, ahead) // the alternate route may lead through that giver
		}
	}
	return false
}

// bring passes the library an update that leads on from the held version. One that does not waits for what lies
// between. It returns false if there is no room.
func (n *intake) bring(a *arrival) bool {
	channel := a.update.Channel
	if now := n.arrivals[channel]; now != nil {
		switch {
		case a.done == nil && a.update.Version == now.update.Version:
		case len(now.after) >= maxAfter:
			return n.LimitHit("maxAfter", maxAfter)
		default:
			now.after = append(now.after, a)
		}
		return true
	}
	held, hash := n.Library.Held(channel)
	if a.update.Version <= held {
		a.end(false)
		return true
	}
	switch fits := n.core.fits(a.update); {
	case !fits && a.done != nil:
		a.end(false)
	case !fits:
		n.gaps.setAside(a)
	case a.done == nil && !a.seen && !n.believe.Believes(a.update):
		n.see(a)
	case !room(n.core, n.arrivals, channel, "arrivals", maxUnderWay):
		a.end(false)
		return false
	default:
		if o := n.find(channel); o != nil {
			n.duties.relay(o)
		}
		a.news = a.update.Hash != hash
		if !a.seen && n.Library.Content(channel) != a.update.Hash {
			a.before = hash
		}
		n.arrivals[channel] = a
		n.Library.Store(a.update)
	}
	return true
}

func (a *arrival) end(fits bool) {
	if a.done != nil {
		a.done(fits)
	}
}

// stored handles the outcome of storing an update. kept handles one that the library keeps.
func (n *intake) stored(channel engine.ID, version uint64, ok bool, kept func(*arrival)) {
	a := n.arrivals[channel]
	if a == nil || a.update.Version != version {
		return
	}
	delete(n.arrivals, channel)
	if ok {
		kept(a)
	} else {
		update.Refuse(&n.Base, channel, version, a.from, Unfit)
		if a.done == nil {
			n.gaps.missWhole(a.from, channel, version)
		}
	}
	a.end(ok)
	for _, next := range a.after {
		n.bring(next)
	}
	if ok {
		n.gaps.closeGap(channel)
	}
}

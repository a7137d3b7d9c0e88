package version

import "tidings/network/engine"

// intake is updates that come, until the library has them.
type intake struct {
	*core
	arrivals map[engine.ID]*arrival // by channel, at most maxUnderWay: what the library is taking
}

// arrival is an update that the library is taking, or is to take.
type arrival struct {
	update *Update
	from   engine.Peer // who sent it; zero: this node makes the version
	news   bool        // its content is another than the one held
	before Hash        // the content held before it, if this node has not seen the new one
	seen   bool        // by a poll of this node
	done   func(fits bool)
	after  []*arrival // what came meanwhile, in order; at most maxAfter
}

// maxAfter is how many updates of a channel wait for the one that the library is taking.
const maxAfter = 4

// takeUpdate takes an update that was sent to this node as a subscriber, or because it asked.
func (n *intake) takeUpdate(from engine.Peer, m *Update) {
	if _, wanted := n.Roster.Wanted(m.Channel); !wanted && !n.duties.wants(m.Channel) {
		if n.seals.possible(from, m) && n.seals.proven(from, m) {
			n.Roster.Disown(m.Channel, "", 0)
		}
		return
	}
	if n.arrive(from, m) {
		n.Env.Send(from, &Got{m.Channel, m.Version})
	}
}

// arrive takes an update, if it is wanted and new. It returns false if its sender had better send it again, or if it cannot be true.
func (n *intake) arrive(from engine.Peer, u *Update) bool {
	switch {
	case !n.seals.possible(from, u):
		return false
	case !n.duties.wants(u.Channel), !n.isNews(from, u):
		return true
	case !n.seals.proven(from, u):
		return false
	}
	return n.bring(&arrival{update: u, from: from})
}

// takeShared passes an update on to those below, once, and takes it.
func (n *intake) takeShared(from engine.Peer, m *Shared) {
	u := &m.Update
	passed, hushed, in := n.Plan.Passed(u.Channel)
	if !in || !n.seals.possible(from, u) {
		return
	}
	// The version came down a tree first, which says nothing of that. It counts once, as nobody has signed it.
	hush := m.Quiet > 0 && u.Version == passed && !hushed
	news := func() bool { return n.duties.wants(u.Channel) && n.isNews(from, u) }
	if u.Version <= passed && !hush && !news() || !n.seals.proven(from, u) {
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

// passOn passes an update on to those who poll the channel below this node.
func (n *intake) passOn(m *Shared) {
	for _, p := range n.Plan.Pass(m.Update.Channel, m.Update.Version, m.Quiet > 0) {
		n.Env.Send(p, m)
	}
}

// isNews reports whether a version is newer than the one held. Of others no signature is checked, but if it is the number held, for another content.
func (n *intake) isNews(from engine.Peer, u *Update) bool {
	held, hash := n.Library.Held(u.Channel)
	switch {
	case u.Version > held:
		return true
	case u.Hash == hash || n.Keys == nil:
	case u.Version < held:
		n.seals.maybeAhead(from, u.Channel, u.Version)
	case n.seals.proven(from, u): // it was not given by who gave the other, or both are known to equivocate now
		ahead := &Ahead{n.seals.headerOf(u.Channel)}
		n.Ring.Route(n.AlternateKey(u.Channel), ahead)
		if giver := u.Seal.Giver; !n.IsSelf(giver) {
			n.Env.Send(giver, ahead) // the way beside may lead through who gave the other
		}
	}
	return false
}

// bring gives the library an update that leads on from what is held; one that does not waits for what lies between. It returns false if there is no room.
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
	switch fits := n.fits(a.update); {
	case !fits && a.done != nil:
		a.end(false)
	case !fits:
		n.gaps.setAside(a)
	case a.done == nil && !a.seen && !n.attests.believes(a.update):
		n.unseen.see(a)
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
		n.Library.Take(a.update)
	}
	return true
}

func (a *arrival) end(fits bool) {
	if a.done != nil {
		a.done(fits)
	}
}

// taken takes what became of an update that the library was given. kept deals with one that it keeps.
func (n *intake) taken(channel engine.ID, version uint64, ok bool, kept func(*arrival)) {
	a := n.arrivals[channel]
	if a == nil || a.update.Version != version {
		return
	}
	delete(n.arrivals, channel)
	if ok {
		kept(a)
	} else {
		n.Env.Trace(Refused{channel, version, a.from.ID, Unfit})
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

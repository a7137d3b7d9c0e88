package corona

import (
	"time"

	"tidings/network/engine"
)

// arrival is an update that the library is taking.
type arrival struct {
	update *Update
	from   engine.Peer // who sent it; zero: this node is its primary
	news   bool        // its content is another than the one held
	done   func(fits bool)
	after  []*arrival // what came meanwhile, in order
}

// maxAfter is how many updates of a channel wait for the one that the library is taking.
const maxAfter = 4

// takeUpdate takes an update that was sent to this node as a subscriber, or because it asked.
func (n *versioner) takeUpdate(from engine.Peer, m *Update) {
	if _, wanted := n.node.roster.Wanted(m.Channel); !wanted && !n.wants(m.Channel) {
		if n.possible(from, m) && n.proven(from, m) {
			n.node.roster.Disown(m.Channel, "", 0)
		}
		return
	}
	if n.arrive(from, m) {
		n.Env.Send(from, &Got{m.Channel, m.Version})
	}
}

// takeShared passes an update on to those below, once, and takes it.
func (n *versioner) takeShared(from engine.Peer, m *Shared) {
	u := &m.Update
	passed, hushed, in := n.node.plan.Passed(u.Channel)
	if !in || !n.possible(from, u) {
		return
	}
	// The version came down a tree first, which says nothing of that. It counts once: nobody has signed it, and
	// whoever has the version could keep others silent for as long as there is no other.
	hush := m.Quiet > 0 && u.Version == passed && !hushed
	news := n.wants(u.Channel) && n.isNews(from, u)
	if u.Version <= passed && !hush && !news || !n.proven(from, u) {
		return
	}
	n.beQuiet(u.Channel, m.Quiet)
	if u.Version > passed || hush {
		n.shareBelow(m)
	}
	if news {
		n.bring(&arrival{update: u, from: from})
	}
}

// shareBelow passes an update on to those who poll the channel below this node.
func (n *versioner) shareBelow(m *Shared) {
	for _, p := range n.node.plan.Pass(m.Update.Channel, m.Update.Version, m.Quiet > 0) {
		n.Env.Send(p, m)
	}
}

// wants reports whether a channel's versions are kept here.
func (n *versioner) wants(channel engine.ID) bool {
	if n.node.polls(channel) || n.node.roster.Subscribed(channel) {
		return true
	}
	o := n.node.roster.Find(channel)
	return o != nil && n.judges(o)
}

// possible reports whether an update can be what it says.
func (n *versioner) possible(from engine.Peer, u *Update) bool {
	if !numbers(u.Hash, u.Version) || !n.timely(u.Version) {
		n.Env.Trace(Refused{u.Channel, u.Version, from.ID, Impossible})
		return false
	}
	return true
}

// arrive takes an update, if it is wanted and new. It returns false if its sender had better
// send it again, or if it cannot be true.
func (n *versioner) arrive(from engine.Peer, u *Update) bool {
	switch {
	case !n.possible(from, u):
		return false
	case !n.wants(u.Channel), !n.isNews(from, u):
		return true
	case !n.proven(from, u):
		return false
	}
	return n.bring(&arrival{update: u, from: from})
}

// isNews reports whether a version is newer than the one held. Of others nothing is done, least of all
// their signatures checked, but if it is the number held, for another content.
func (n *versioner) isNews(from engine.Peer, u *Update) bool {
	held, hash := n.library.Held(u.Channel)
	switch {
	case u.Version > held:
		return true
	case u.Hash == hash || n.Keys == nil:
	case u.Version < held:
		n.MaybeAhead(from, u.Channel, u.Version)
	case n.proven(from, u): // it was not given by who gave the other, or both are known to equivocate now
		ahead := &Ahead{n.headerOf(u.Channel)}
		n.Ring.Route(n.AlternateKey(u.Channel), ahead)
		if giver := u.Seal.Giver; !n.IsSelf(giver) {
			n.Env.Send(giver, ahead) // the way beside may lead through who gave the other
		}
	}
	return false
}

// bring gives the library an update that leads on from what is held; one that does not waits for
// what lies between. It returns false if there is no room.
func (n *versioner) bring(a *arrival) bool {
	v, channel := &n.versions, a.update.Channel
	if now := v.arrivals[channel]; now != nil {
		if a.done == nil && a.update.Version == now.update.Version {
			return true
		}
		if len(now.after) >= maxAfter {
			return n.LimitHit("maxAfter", maxAfter)
		}
		now.after = append(now.after, a)
		return true
	}
	held, hash := n.library.Held(channel)
	if a.update.Version <= held {
		a.end(false)
		return true
	}
	switch fits := n.fits(a.update); {
	case !fits && a.done != nil:
		a.end(false)
	case !fits:
		n.setAside(a)
	case len(v.arrivals) >= maxUnderWay:
		a.end(false)
		return n.LimitHit("arrivals", maxUnderWay)
	default:
		if o := n.node.roster.Find(channel); o != nil {
			n.relay(o)
		}
		a.news = a.update.Hash != hash
		v.arrivals[channel] = a
		n.library.Take(a.update)
	}
	return true
}

func (a *arrival) end(fits bool) {
	if a.done != nil {
		a.done(fits)
	}
}

// Taken tells what became of an update that Library.Take was given: whether it is kept.
func (n *versioner) Taken(channel engine.ID, version uint64, ok bool) {
	v := &n.versions
	a := v.arrivals[channel]
	if a == nil || a.update.Version != version {
		return
	}
	delete(v.arrivals, channel)
	if ok {
		n.taken(a)
	} else {
		n.Env.Trace(Refused{channel, version, a.from.ID, Unfit})
		if a.done == nil {
			n.missWhole(a.from, channel, version)
		}
	}
	a.end(ok)
	for _, next := range a.after {
		n.bring(next)
	}
	if ok {
		n.closeGap(channel)
	}
}

// taken deals with an update that is kept.
func (n *versioner) taken(a *arrival) {
	u := a.update
	n.noteSeal(u)
	n.endReport(u.Channel, u.Hash)
	n.endDoubt(u.Channel, u.Hash)
	if n.node.roster.Subscribed(u.Channel) {
		n.Env.Trace(Delivered{u.Channel, u.Version, u.Hash, u.FoundBy, a.news})
	}
	if o := n.node.roster.Find(u.Channel); o != nil && n.judges(o) && o.Version() == u.Version && o.contents.unsent {
		if u.Base == u.Hash { // it says nothing to those who have another content
			n.resend(o)
			return
		}
		o.contents.unsent = false
		if n.sealed(u) {
			n.distribute(o, u)
		}
	}
}

// resendAge is for how long after a version was given a new primary sends it once more: the one
// before may have died in the middle.
const resendAge = 2 * time.Minute

// maybeResend is called when something about a channel that is owned here has changed. A new
// primary gets itself the latest content, and sends it on if that may not have been done.
func (n *versioner) maybeResend(o *owned) {
	w := o.contents
	if !o.Primary() || w == nil || o.Version() == 0 {
		return
	}
	if w.unsent && n.Env.Now() < w.given+resendAge {
		n.resend(o)
		return
	}
	w.unsent = false
	if n.lacksLatest(o) {
		n.missOf(o)
	}
}

// resend sends the latest version to all who poll or subscribe: those who have it take no notice.
func (n *versioner) resend(o *owned) {
	w := o.contents
	w.unsent = true
	if n.lacksLatest(o) {
		n.missOf(o) // once it is here it is sent
		return
	}
	if w.now != nil && w.now.stage == committing {
		return // it is about to be sent
	}
	sent := n.lend(o.ID(), w.previous, func(u *Update) {
		if n.judges(o) && w.unsent && u != nil && u.Version == o.Version() && n.sealed(u) {
			w.unsent = false
			n.distribute(o, u)
		}
	})
	if !sent {
		n.Env.After(n.Jitter(resendPause), func() {
			if n.judges(o) && w.unsent {
				n.resend(o)
			}
		})
	}
}

// resendPause is how long a node waits that has too much to send on.
const resendPause = 5 * time.Second

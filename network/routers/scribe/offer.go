package scribe

import (
	"slices"

	"tidings/network/engine"
)

// offer sends an event to the roots, for the first time or again. It goes over the ring if no roots are known, or if
// the known ones have not answered.
func (w *publisher) offer(p *publication, u *untaken) {
	now := w.env.Now()
	u.due = now + jitter(w.env, w.config.PublishRetry<<min(u.tries, 10))
	u.given = nil
	if u.tries > 0 {
		p.doubt(u)
	}
	owners, sure := w.finder.owners(p.Group)
	switch {
	case sure && w.finder.ring.Active():
		p.roots.set(owners, now)
	case u.tries > 0 || p.roots.old(now) || p.roots.has(w.env.Self().ID): // it was a root while it was cut off
		p.roots.list = nil
	}
	u.tries++
	if len(p.roots.list) == 0 {
		w.finder.ring.Route(p.rootKey(), &Publish{Key: p.Key, From: w.env.Self(), Event: *u.event})
		if u.tries > 1 && slices.Contains(p.oldest(), u) {
			w.offerAround(p, u)
		}
		return
	}
	w.offerRound(p, u)
}

// maxAround is how many events of a publication are offered around at a time, the oldest. So a slow root is not sent
// more. Later events wait, since the answer to one of these names the roots.
const maxAround = 4

// oldest returns the events that may be offered around.
func (p *publication) oldest() []*untaken { return p.untaken[:min(len(p.untaken), maxAround)] }

// offerAround also offers an event to all of the roots that has gone over the ring in vain. The closest of them may
// have crashed, and until the ring has noticed, all ways lead there. A node in the group knows the roots; another asks
// for them. Whichever of them accepts the event names the others.
func (w *publisher) offerAround(p *publication, u *untaken) {
	now := w.env.Now()
	if roots := w.trees.knownRoots(p.Group); len(roots) > 0 {
		w.offerTo(p, u, roots)
		return
	}
	if p.asking && now < p.roots.asked+w.config.PublishRetry/2 {
		return // for another event
	}
	p.asking, p.roots.asked = true, now
	w.finder.ask(p.Group, nil)
}

// offerTo offers an event to those that a node has named as roots.
func (w *publisher) offerTo(p *publication, u *untaken, roots []engine.Peer) {
	for _, root := range roots[:min(len(roots), w.config.Roots)] {
		if !w.finder.isSelf(root) && !slices.Contains(u.given, root.ID) {
			u.given = append(u.given, root.ID)
			w.env.Send(root, &Publish{Key: p.Key, Event: *u.event})
		}
	}
}

// receiveRoots offers events to the nodes in the answer: those for which this node had asked for the roots. It believes
// nothing else of the answer. Two kinds of nodes can say which nodes are the roots. The one is a node to which an event
// has gone over the ring. The other is one of the named nodes, if it accepts the event.
func (w *publisher) receiveRoots(m *Roots) {
	p := w.index[m.Group]
	if p == nil || !p.asking {
		return
	}
	p.asking = false
	for _, u := range p.oldest() {
		if u.tries > 1 && len(u.taken) == 0 {
			w.offerTo(p, u, m.Roots)
		}
	}
}

// offerRound offers an event to the roots that are not known to have it: to the closest and, until one of them has
// proved to accept what it is given, to the next. The others get it down the tree, unless the event
// is offered again.
func (w *publisher) offerRound(p *publication, u *untaken) {
	proved := false
	for i, root := range p.roots.list {
		switch {
		case slices.Contains(u.taken, root.ID) || slices.Contains(u.given, root.ID):
		case w.finder.isSelf(root):
			u.taken = append(u.taken, root.ID)
			w.trees.receiveAsRoot(p.Group, u.event, root)
		case proved && u.tries == 1:
			w.env.Send(root, &IHave{p.Group, u.name})
		default:
			w.env.Send(root, &Publish{Key: p.Key, Event: *u.event})
		}
		u.given = append(u.given, root.ID)
		proved = proved || i == 0 && w.finder.isSelf(root) || slices.Contains(p.proved, root.ID)
	}
	p.settle(u)
}

// doubt notes the roots that have not accepted an event.
func (p *publication) doubt(u *untaken) {
	p.proved = slices.DeleteFunc(p.proved, func(id engine.ID) bool { return !slices.Contains(u.taken, id) })
}

// prove notes a root that has.
func (p *publication) prove(root engine.ID) {
	if slices.Contains(p.proved, root) {
		return
	}
	if len(p.proved) == 2*maxRoots {
		p.proved = p.proved[1:]
	}
	p.proved = append(p.proved, root)
}

// maxAgain is how many events of a publication are offered again at a time, the oldest. The others wait for those: a
// publisher with a hundred events does not send them all to a slow root again and again.
const maxAgain = 32

// waiting returns the events that are offered again when they are due.
func (p *publication) waiting() []*untaken { return p.untaken[:min(len(p.untaken), maxAgain)] }

// offerLater has what waits offered again when it is due. It gives up what was offered often, and what is admitted no
// more: the roots would refuse it, as it is too old by what was published since.
func (w *publisher) offerLater(p *publication) {
	if len(p.untaken) == 0 {
		return
	}
	next := p.untaken[0].due
	for _, u := range p.waiting() {
		next = min(next, u.due)
	}
	p.alarm.Soon(w.env, max(next, w.env.Now()), func() {
		for _, u := range slices.Clone(p.waiting()) {
			if u.due > w.env.Now() {
				continue
			}
			if _, _, ok := admit(w.member, u.event, w.env.Self()); !ok || u.tries >= w.config.PublishTries {
				w.env.Trace(RootTimedOut{p.Group, u.event.Number})
				p.drop(u)
				continue
			}
			w.offer(p, u)
		}
		w.offerLater(p)
	})
}

func (p *publication) drop(u *untaken) {
	p.untaken = slices.DeleteFunc(p.untaken, func(v *untaken) bool { return v == u })
}

// settle forgets an event that all roots have.
func (p *publication) settle(u *untaken) {
	if len(p.roots.list) == 0 {
		return // one has it, and the others are not known yet
	}
	for _, root := range p.roots.list {
		if !slices.Contains(u.taken, root.ID) {
			return
		}
	}
	p.drop(u)
}

package feedtree

import (
	"slices"

	"tidings/network/engine"
)

// A publisher's numbers never go back. Its node asks before it gives the first one after a start: those around it
// in the tree, the roots, those who are found on the way to them, and the archive.

// checks is how often it asks where nobody knows the publisher: those who do may be about to come back to
// the tree, which has lost them with this node.
const checks = 3

// furtherFor is for how many times Config.Check answers are awaited that bring ever later items. A node that alone has them, and
// gives them one by one, could keep the publisher silent otherwise.
const furtherFor = 360

// checkNumbers asks whether the network knows of more items than this node.
func (n *Node) checkNumbers(a *author) {
	if !n.ring.Active() {
		a.check.Set(n.env, n.env.Now()+n.config.Check, func() { n.checkNumbers(a) })
		return
	}
	if a.checks++; a.checks == 1 {
		a.awaitUntil = n.env.Now() + furtherFor*n.config.Check
	}
	a.asked = nil
	m := &Seek{Topic: a.Topic, From: a.Last + 1, Asker: n.env.Self()}
	n.ring.Route(a.Topic, m)
	if over := n.anybody(); !over.IsZero() {
		around := *m
		around.Start = true
		n.env.Send(over, &around)
	}
	n.askOwn(a, n.beside(a.Topic))
	n.askOwn(a, n.tree.Roots(a.Topic))
	if n.archive != nil && a.checks == 1 {
		p := &probe{topic: a.Topic, last: a.Last, step: 1, take: func(i *Item, back *Withdrawal) bool {
			if back == nil {
				return n.beyond(a, i, engine.Peer{})
			}
			genuine := back.genuine(n, a.Topic)
			if genuine {
				n.overtake(a, back.Number)
			}
			return genuine
		}}
		n.probe(p, func() bool { return n.authored.index[a.Topic] == a }, func() {})
	}
	a.awaitAnswers(n)
}

// awaitAnswers ends the check, or asks once more, when no answer has come for Config.Check.
func (a *author) awaitAnswers(n *Node) {
	a.check.Set(n.env, n.env.Now()+n.config.Check, func() {
		if a.known || a.checks >= checks {
			a.checked(n)
		} else {
			n.checkNumbers(a)
		}
	})
}

// askOwn asks nodes for what they have beyond the publisher's node, each once a time.
func (n *Node) askOwn(a *author, whom []engine.Peer) {
	for _, p := range whom {
		if len(a.asked) < maxCandidates && !n.isSelf(p) && a.askedOf(p) == nil {
			a.asked = append(a.asked, asked{node: p.ID})
			n.env.Send(p, &Ask{Topic: a.Topic, From: a.Last + 1})
		}
	}
}

// askedOf returns what was asked of a node; nil: nothing.
func (a *author) askedOf(p engine.Peer) *asked {
	if i := slices.IndexFunc(a.asked, func(each asked) bool { return each.node == p.ID }); i >= 0 {
		return &a.asked[i]
	}
	return nil
}

// askFurther asks a node for what comes after an item that it has given, if it gave none as late before. That is waited for
// if no node had given one as late: isNews.
func (a *author) askFurther(n *Node, p engine.Peer, number uint64, isNews bool) {
	if of := a.askedOf(p); of != nil && number > of.upTo {
		of.upTo = number
		n.env.Send(p, &Ask{Topic: a.Topic, From: max(number, a.overtaken) + 1})
		if isNews && n.env.Now() < a.awaitUntil {
			a.awaitAnswers(n)
		}
	}
}

// hasOwn asks those who may know of more items than the publisher's node does.
func (n *Node) hasOwn(from engine.Peer, m *Has) {
	a := n.authored.index[m.Topic]
	if a == nil || !a.checking {
		return
	}
	if m.Last > 0 {
		n.askOwn(a, []engine.Peer{from})
	}
	n.askOwn(a, m.Others)
}

// takeOwnItems looks at an answer for what is beyond the publisher's node. An answer has the first of the items that its
// sender has: as long as there are some, that node is asked for those after them.
func (n *Node) takeOwnItems(from engine.Peer, m *Items) {
	a := n.authored.index[m.Topic]
	if a == nil || !a.checking {
		return
	}
	before, latest := a.overtaken, uint64(0)
	for _, word := range append(slices.Clip(m.Words), m.Items...) {
		if i, is := word.(*Item); n.beyond(a, word, from) && is {
			latest = max(latest, i.Number)
		}
		if s, ok := statementOf(a.Topic, word); ok && n.judge(a.Topic, &s, from) == Genuine {
			a.known, a.since = true, max(a.since, s.time)
		}
	}
	a.askFurther(n, from, latest, latest > before)
	n.askOwn(a, m.Others)
}

// deliverOwn looks at what has come down the tree of a publisher that this node speaks for.
func (n *Node) deliverOwn(topic engine.ID, event engine.Message) {
	a := n.authored.index[topic]
	if a == nil {
		return
	}
	s, ok := statementOf(topic, event)
	switch {
	case !ok || a.awaits(event):
	case a.isElsewhere(&s):
		n.overtake(a, s.number) // whatever becomes of that
		a.elsewhere(n, event, &s)
	default:
		n.overtake(a, s.number)
	}
}

// beyond looks whether something says that there are more items than the publisher's node knows of, and
// reports whether it is genuine.
func (n *Node) beyond(a *author, word engine.Message, from engine.Peer) bool {
	s, ok := statementOf(a.Topic, word)
	if !ok || s.number <= a.Last || n.judge(a.Topic, &s, from) != Genuine {
		return false
	}
	n.note(a.Topic, word, &s)
	a.since = max(a.since, s.time)
	if !a.awaits(word) {
		n.overtake(a, s.number)
	}
	return true
}

// awaits reports whether a word is an item that this node will send when its numbers are checked: the archive, or who
// asked for it, may be faster.
func (a *author) awaits(word engine.Message) bool {
	var h *Head
	switch m := word.(type) {
	case *Item:
		h = m.Head()
	case *Head:
		h = m
	default:
		return false
	}
	return slices.ContainsFunc(a.queue, func(event engine.Message) bool {
		i, ok := event.(*Item)
		return ok && i.Number == h.Number && i.Time == h.Time && i.Head().Hash == h.Hash
	})
}

// overtake notes that others know of an item that this node has not published.
func (n *Node) overtake(a *author, number uint64) {
	own := a.last
	if a.checking { // what waits has not been published
		own = a.Last
	}
	if number <= max(own, a.overtaken) {
		return
	}
	a.overtaken = number
	n.env.Trace(Overtaken{a.Topic, number})
	n.listener.Overtaken(a.Topic, number)
}

// checked publishes what has waited, but for what would give a number twice.
func (a *author) checked(n *Node) {
	a.checking = false
	queue := a.queue
	a.queue = nil
	for _, event := range queue {
		if !n.Withdrawn(a.Topic, event) && n.mayPublish(a, event) == nil {
			n.send(a, event)
		}
	}
}

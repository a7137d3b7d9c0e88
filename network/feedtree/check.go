package feedtree

import (
	"tidings/network/engine"
)

// A publisher's numbers never go back. Its node asks before it gives the first one after a start: the roots'
// side of the tree, those whom they name, and the archive.

// checkNumbers asks whether the network knows of more items than this node.
func (n *Node) checkNumbers(a *author) {
	if !n.ring.Active() {
		a.check.set(n.env, n.config.Check, func() { n.checkNumbers(a) })
		return
	}
	m := &Seek{Topic: a.Topic, From: a.last + 1, Asker: n.env.Self()}
	n.ring.Route(a.Topic, m)
	if over := n.anybody(); !over.IsZero() {
		around := *m
		around.Start = true
		n.env.Send(over, &around)
	}
	if n.archive != nil {
		p := &probe{topic: a.Topic, last: a.Last, step: 1, take: func(i *Item) bool { return n.beyond(a, i, engine.Peer{}) }}
		n.probe(p, func() bool { return n.authored.index[a.Topic] == a }, func() {})
	}
	a.check.set(n.env, n.config.Check, func() { n.checked(a) })
}

// hasOwn asks those who may know of more items than the publisher's node does.
func (n *Node) hasOwn(from engine.Peer, m *Has) {
	a := n.authored.index[m.Topic]
	if a == nil || !a.checking {
		return
	}
	whom := m.Others
	if m.Last > a.Last {
		whom = append([]engine.Peer{from}, m.Others...)
	}
	for _, p := range whom {
		if a.asked < maxCandidates && !n.isSelf(p) {
			a.asked++
			n.env.Send(p, &Ask{Topic: a.Topic, From: a.Last + 1})
		}
	}
}

// takeOwnItems looks at an answer for what is beyond the publisher's node.
func (n *Node) takeOwnItems(from engine.Peer, m *Items) {
	a := n.authored.index[m.Topic]
	if a == nil || !a.checking {
		return
	}
	for _, word := range m.Words {
		n.beyond(a, word, from)
	}
	for _, i := range m.Items {
		n.beyond(a, i, from)
	}
}

// deliverOwn looks at what has come down the tree of a publisher that this node speaks for.
func (n *Node) deliverOwn(topic engine.ID, event engine.Message) {
	if a := n.authored.index[topic]; a != nil {
		if s, ok := statementOf(topic, event); ok {
			n.overtake(a, s.number)
		}
	}
}

// beyond looks whether something says that there are more items than the publisher's node knows of, and
// tells whether it is genuine.
func (n *Node) beyond(a *author, word engine.Message, from engine.Peer) bool {
	s, ok := statementOf(a.Topic, word)
	if !ok || s.number <= a.Last || n.judge(a.Topic, &s, from) != Genuine {
		return false
	}
	n.note(a.Topic, word, &s)
	n.overtake(a, s.number)
	return true
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
}

// checked publishes what has waited, but for what would give a number twice.
func (n *Node) checked(a *author) {
	a.checking = false
	queue := a.queue
	a.queue = nil
	for _, event := range queue {
		if n.mayPublish(a, event) == nil {
			n.send(a, event)
		}
	}
}

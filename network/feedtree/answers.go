package feedtree

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// takeItems takes an answer. What is false in it is refused, and the peer asked no more.
func (n *Node) takeItems(from engine.Peer, m *Items) {
	n.takeOwnItems(from, m)
	f := n.followings.index[m.Topic]
	if f == nil {
		return
	}
	s := &f.search
	asked := s.asking.peer.ID == from.ID && s.asking.topic == m.Topic && s.from == m.From
	late := slices.ContainsFunc(s.done, func(c candidate) bool { return c.peer.ID == from.ID && c.topic == m.Topic })
	if !asked && !late { // it comes after the search, or nobody has asked: it is not worth a look
		return
	}
	barren := s.barren // the search may end with this answer
	had, last := f.have+uint64(len(f.later)), f.last
	good := n.takeWords(f, from, m)
	for _, each := range m.Items {
		i, ok := each.(*Item)
		if !ok || i.Number < m.From {
			n.refuse(m.Topic, m.From, from, Malformed)
			good = false
			break
		}
		if !n.takeAnswer(f, m.Topic, i, from, Asked) {
			good = false
			break
		}
	}
	if f.gone {
		return
	}
	if good {
		n.maybeDistrust(f, from, m, barren)
	}
	for _, p := range m.Others {
		n.propose(f, candidate{p, m.Topic})
	}
	if !asked || !s.on {
		return
	}
	came := f.have+uint64(len(f.later)) > had || f.last > last
	if good && came && n.lacks(f) {
		n.ask(f, s.asking)
		return
	}
	n.searchOn(f)
}

// takeWords takes what a publisher has said last, as another node tells it.
func (n *Node) takeWords(f *following, from engine.Peer, m *Items) bool {
	for _, word := range m.Words {
		if proof, ok := word.(*Equivocation); ok {
			if proof.Topic == m.Topic {
				n.takeEquivocation(from, proof)
			}
			continue
		}
		if _, ok := statementOf(m.Topic, word); !ok || f.gone {
			continue
		}
		if !n.takeAnswer(f, m.Topic, word, from, Asked) {
			return false
		}
	}
	return true
}

// takeAnswer takes something that was not pushed, and reports whether it is genuine.
func (n *Node) takeAnswer(f *following, topic engine.ID, word engine.Message, from engine.Peer, way Way) bool {
	s, _ := statementOf(topic, word)
	why := n.judge(topic, &s, from)
	if why == Genuine && !n.note(topic, word, &s) {
		why = Doubled
	}
	if why != Genuine {
		n.refuse(topic, s.number, from, why)
		return !why.false()
	}
	n.take(f, topic, word, from, way)
	return true
}

// recentItem is how old an item is at most that a parent should have passed on just now.
const recentItem = time.Minute

// maybeDistrust has the router look for another parent if the parent has nothing of what another node
// has, and that is new. barren is the parent that had nothing.
func (n *Node) maybeDistrust(f *following, from engine.Peer, m *Items, barren engine.ID) {
	s := &f.search
	now := n.env.Now()
	parent, ok := n.tree.Parent(m.Topic)
	switch {
	case !ok:
	case parent.ID == from.ID:
		if len(m.Items) == 0 {
			s.barren = from.ID
		}
	case barren != parent.ID, s.suspected > 0 && now < s.suspected+recentItem, now < f.present().since+recentItem:
	case slices.ContainsFunc(m.Items, func(each engine.Message) bool {
		i, ok := each.(*Item)
		return ok && n.env.Wall().Sub(time.UnixMilli(i.Time)) < recentItem
	}):
		s.suspected = now
		n.env.Trace(Suppressed{m.Topic, parent})
		n.tree.Distrust(m.Topic)
	}
}

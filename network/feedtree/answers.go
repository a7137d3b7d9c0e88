package feedtree

import "tidings/network/engine"

// receiveItems receives an answer. What is false in it is refused, and the peer asked no more.
func (n *Node) receiveItems(from engine.Peer, m *Items) {
	n.authors.receiveItems(from, m)
	f := n.followings.index[m.Topic]
	if f == nil {
		return
	}
	s := &f.search
	asked, late := s.owes(from, m)
	if !asked && !late { // it comes after the search, or nobody has asked: it is not worth a look
		return
	}
	barren := s.barren // the search may end with this answer
	had, last := f.have+uint64(len(f.later)), f.last
	good := n.receiveWords(f, from, m)
	for _, each := range m.Items {
		i, ok := each.(*Item)
		if !ok || i.Number < m.From {
			n.refuse(m.Topic, m.From, from, Malformed)
			good = false
			break
		}
		if !n.receiveAnswer(f, m.Topic, i, from, Asked) {
			good = false
			break
		}
	}
	if f.gone {
		return
	}
	if good {
		n.searcher.maybeDistrust(s, from, m, barren)
	}
	for _, p := range m.Others {
		n.searcher.propose(s, candidate{p, m.Topic})
	}
	if asked {
		came := f.have+uint64(len(f.later)) > had || f.last > last
		n.searcher.answered(s, good && came)
	}
}

// receiveWords receives what a publisher has said last, as another node repeats it.
func (n *Node) receiveWords(f *following, from engine.Peer, m *Items) bool {
	for _, word := range m.Words {
		if proof, ok := word.(*Equivocation); ok {
			if proof.Topic == m.Topic {
				n.receiveEquivocation(from, proof)
			}
			continue
		}
		if _, ok := statementOf(m.Topic, word); !ok || f.gone {
			continue
		}
		if !n.receiveAnswer(f, m.Topic, word, from, Asked) {
			return false
		}
	}
	return true
}

// receiveAnswer receives something that was not pushed, and reports whether it is genuine.
func (n *Node) receiveAnswer(f *following, topic engine.ID, word engine.Message, from engine.Peer, way Way) bool {
	s, _ := statementOf(topic, word)
	why := n.record.judge(topic, &s, from)
	if why == Genuine && !n.record.note(topic, word, &s) {
		why = Doubled
	}
	if why != Genuine {
		n.refuse(topic, s.number, from, why)
		return !why.false()
	}
	n.receiveWord(f, topic, word, from, way)
	return true
}

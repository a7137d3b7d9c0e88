package feedtree

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// serving is what this node gives to those that ask.
type serving struct {
	now    int // answers that are being made
	second time.Duration
	bytes  int // given in that second
}

// room reports whether another answer can be made.
func (n *Node) room() bool {
	s := &n.serving
	if second := n.env.Now().Truncate(time.Second); second > s.second {
		s.second, s.bytes = second, 0
	}
	return s.now < n.config.MaxServing && s.bytes < n.config.ServeBytes
}

// receiveAsk gives a peer what it asks for, or names others.
func (n *Node) receiveAsk(from engine.Peer, m *Ask) {
	answer := &Items{Topic: m.Topic, From: m.From, Words: n.wordsOn(m.Topic), Others: n.othersIn(m.Topic, from)}
	if !n.holds(m.Topic) || m.From == 0 || !n.room() {
		n.env.Send(from, answer)
		return
	}
	n.serving.now++
	n.library.Lend(m.Topic, m.From, m.To, maxItems, func(items []*Item) {
		n.serving.now--
		bytes := 0
		for _, i := range items[:min(len(items), maxItems)] {
			// so may be one that withdrew others, before others that were given
			if n.authors.isUngiven(m.Topic, i.Number) {
				continue
			}
			bytes += len(i.Entry) + itemOverhead
			if bytes > maxAnswer && len(answer.Items) > 0 {
				break
			}
			answer.Items = append(answer.Items, i)
		}
		n.serving.bytes += bytes
		n.env.Send(from, answer)
	})
}

// isUngiven reports whether an item is one that a publisher's node has kept and not sent so far. If it were lent
// already, it would come back while its numbers are checked, and look like another node's.
func (w *authors) isUngiven(topic engine.ID, number uint64) bool {
	a := w.index[topic]
	switch {
	case a == nil:
		return false
	case a.checking:
		return number > a.Last
	}
	return number > a.last
}

// itemOverhead is how many bytes an item needs on the wire besides its entry, at most.
const itemOverhead = 160

// holds reports whether the Library has items of a topic.
func (n *Node) holds(topic engine.ID) bool {
	return n.followings.index[topic] != nil || n.authors.has(topic)
}

// wordsOn returns what the publisher of a topic has said last.
func (n *Node) wordsOn(topic engine.ID) (words []engine.Message) {
	if f := n.followings.index[topic]; f != nil && f.voice.latest != nil && f.present().topic == topic {
		words = append(words, f.voice.latest)
	} else if _, word := n.authors.latest(topic); word != nil {
		words = append(words, word)
	}
	words = append(words, n.record.noticesOn(topic)...)
	for _, e := range n.convictions.on(topic).proofs() {
		words = append(words, e)
	}
	return words[:min(len(words), maxWords)]
}

// othersIn returns at most maxOthers of this node's neighbours in a topic's tree.
func (n *Node) othersIn(topic engine.ID, but engine.Peer) []engine.Peer {
	all := slices.DeleteFunc(slices.Clone(beside(n.tree, topic)), func(p engine.Peer) bool { return p.ID == but.ID })
	if len(all) > maxOthers {
		start := n.env.Rand().IntN(len(all) - maxOthers + 1)
		all = all[start : start+maxOthers]
	}
	return all
}

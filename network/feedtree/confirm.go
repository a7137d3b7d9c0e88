package feedtree

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// A publisher's node must learn when another node has an item. Until then it alone can lose the item, or use its number
// again. Routers that give events to a root, or to representatives, say so by Arrived. Where none has said so for
// confirmAfter, those beside the node in the topic's tree are asked what they have.

const (
	confirmAfter = time.Second // it doubles with each time
	confirmTries = 6
	maxAwaited   = 64 // items of one publisher that are asked for; of more, the latest
	maxConfirmed = 64 // numbers that an answer has room for
)

// awaiting is the items of a publisher that no other node is known to have, ascending.
type awaiting struct {
	numbers []uint64
	tries   int
	alarm   engine.Alarm
}

// span is all numbers from one to another.
type span struct{ from, to uint64 }

// spans returns the spans to ask for. Together they hold all awaited numbers; each begins and ends with one, and fits
// an answer. An item that no node accepts thus hides none of those after it, however far ahead they are.
func (w *awaiting) spans() (list []span) {
	for _, number := range w.numbers {
		if last := len(list) - 1; last >= 0 && number-list[last].from < maxConfirmed {
			list[last].to = number
			continue
		}
		list = append(list, span{number, number})
	}
	return list
}

// await has an item be asked for that was just sent.
func (w *authors) await(a *author, number uint64) {
	list := &a.awaiting
	if at, known := slices.BinarySearch(list.numbers, number); !known {
		list.numbers = slices.Insert(list.numbers, at, number)
	}
	list.numbers = list.numbers[max(len(list.numbers)-maxAwaited, 0):]
	list.tries = 0
	list.alarm.Soon(w.env, w.env.Now()+confirmAfter, func() { w.askArrived(a) })
}

// askArrived asks the neighbours in the tree for items that no other node is known to have. It asks at most
// maxCandidates nodes, each for at most maxAwaited spans. One or two spans suffice unless most items between the
// awaited ones have arrived.
func (w *authors) askArrived(a *author) {
	list := &a.awaiting
	if len(list.numbers) == 0 || list.tries == confirmTries {
		return
	}
	asked, spans := 0, list.spans()
	for _, p := range slices.Concat(w.tree.Roots(a.Topic), beside(w.tree, a.Topic)) {
		if asked < maxCandidates && !w.isSelf(p) {
			asked++
			for _, s := range spans {
				w.env.Send(p, &Confirm{a.Topic, s.from, s.to})
			}
		}
	}
	list.tries++
	list.alarm.Set(w.env, w.env.Now()+confirmAfter<<list.tries, func() { w.askArrived(a) })
}

// arrived notes that another node has an item.
func (w *authors) arrived(topic engine.ID, number uint64, at engine.Peer) {
	a := w.index[topic]
	if a == nil || w.isSelf(at) || number > a.last {
		return
	}
	if i, awaited := slices.BinarySearch(a.awaiting.numbers, number); awaited {
		a.awaiting.numbers = slices.Delete(a.awaiting.numbers, i, i+1)
	}
	w.env.Trace(Arrived{topic, number, at.ID})
	w.listener.Arrived(topic, number, at.ID)
}

// confirmed notes what another node has. Only what is asked for counts.
func (w *authors) confirmed(from engine.Peer, m *Confirmed) {
	a := w.index[m.Topic]
	if a == nil {
		return
	}
	for _, number := range m.Numbers {
		if slices.Contains(a.awaiting.numbers, number) {
			w.arrived(m.Topic, number, from)
		}
	}
}

// Arrived says that another node has an event that this one has published.
func (n *Node) Arrived(topic engine.ID, event engine.Message, at engine.Peer) {
	if i, ok := event.(*Item); ok {
		n.authors.arrived(topic, i.Number, at)
	}
}

// confirm answers a publisher's node. Nothing up to a number that was given up is confirmed. It may be missing here,
// and the publisher's node would no longer send it.
func (*serving) confirm(n *Node, from engine.Peer, m *Confirm) {
	f := n.followings.index[m.Topic]
	if f == nil || m.From == 0 {
		return
	}
	answer := &Confirmed{Topic: m.Topic}
	for i := range uint64(maxConfirmed) {
		number := m.From + i
		if number < m.From || number > m.To { // beyond the highest number, or the last that is asked for
			break
		}
		at, here := f.find(number)
		if f.givenUp < number && number <= f.have || here && f.later[at].state == kept {
			answer.Numbers = append(answer.Numbers, number)
		}
	}
	if len(answer.Numbers) > 0 {
		n.env.Send(from, answer)
	}
}

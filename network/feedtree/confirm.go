package feedtree

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// A publisher's node has to know when another node has an item: until then it alone can lose it, or give its number
// anew. Routers that give events to a root, or to representatives, say so by Arrived. Where none has said so for
// confirmAfter, those beside the node in the topic's tree are asked what they have.

const (
	confirmAfter = time.Second // it doubles with each time
	confirmTries = 6
	maxAwaited   = 64 // items of one publisher that are asked for; of more, the latest
)

// awaiting is the items of a publisher that no other node is known to have, ascending.
type awaiting struct {
	numbers []uint64
	tries   int
	alarm   engine.Alarm
}

// await has an item be asked for that was just sent.
func (a *author) await(n *Node, number uint64) {
	w := &a.awaiting
	if at, known := slices.BinarySearch(w.numbers, number); !known {
		w.numbers = slices.Insert(w.numbers, at, number)
	}
	w.numbers = w.numbers[max(len(w.numbers)-maxAwaited, 0):]
	w.tries = 0
	w.alarm.Soon(n.env, n.env.Now()+confirmAfter, func() { a.askArrived(n) })
}

// askArrived asks those beside the node for what no other is known to have.
func (a *author) askArrived(n *Node) {
	w := &a.awaiting
	if len(w.numbers) == 0 || w.tries == confirmTries {
		return
	}
	asked := 0
	for _, p := range slices.Concat(n.tree.Roots(a.Topic), n.beside(a.Topic)) {
		if asked < maxCandidates && !n.isSelf(p) {
			asked++
			n.env.Send(p, &Confirm{a.Topic, w.numbers[0], w.numbers[len(w.numbers)-1]})
		}
	}
	w.tries++
	w.alarm.Set(n.env, n.env.Now()+confirmAfter<<w.tries, func() { a.askArrived(n) })
}

// Arrived says that another node has an event that this one has published.
func (n *Node) Arrived(topic engine.ID, event engine.Message, at engine.Peer) {
	if i, ok := event.(*Item); ok {
		n.authored.arrived(n, topic, i.Number, at)
	}
}

func (all *authored) arrived(n *Node, topic engine.ID, number uint64, at engine.Peer) {
	a := all.index[topic]
	if a == nil || n.isSelf(at) || number > a.last {
		return
	}
	if i, awaited := slices.BinarySearch(a.awaiting.numbers, number); awaited {
		a.awaiting.numbers = slices.Delete(a.awaiting.numbers, i, i+1)
	}
	n.env.Trace(Arrived{topic, number, at.ID})
	n.listener.Arrived(topic, number, at.ID)
}

// confirmed notes what another node has. Only what is asked for counts.
func (all *authored) confirmed(n *Node, from engine.Peer, m *Confirmed) {
	a := all.index[m.Topic]
	if a == nil {
		return
	}
	for _, number := range m.Numbers {
		if slices.Contains(a.awaiting.numbers, number) {
			all.arrived(n, m.Topic, number, from)
		}
	}
}

// confirm answers a publisher's node.
func (*serving) confirm(n *Node, from engine.Peer, m *Confirm) {
	f := n.followings.index[m.Topic]
	if f == nil || m.From == 0 {
		return
	}
	answer := &Confirmed{Topic: m.Topic}
	for i := range uint64(maxAwaited) {
		number := m.From + i
		if number < m.From || number > m.To { // beyond the highest number, or the last that is asked for
			break
		}
		at, here := f.find(number)
		if number <= f.have || here && f.later[at].state == kept {
			answer.Numbers = append(answer.Numbers, number)
		}
	}
	if len(answer.Numbers) > 0 {
		n.env.Send(from, answer)
	}
}

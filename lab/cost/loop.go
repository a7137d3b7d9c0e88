package cost

import (
	"math/rand/v2"
	"time"
)

// Loop is a bare event loop: a simulator of nodes that exchange pings, without all that a simulator is for. There is no
// protocol, codec, fault, counter or trace. The earliest event comes off a 4-ary heap; its node counts it, and sends
// the next. It is a yardstick. The pace of a simulator in events of this loop, on the same machine in the same minute,
// says more than its events a second.
//
// Each node has one message under way all the time, a ping to one peer or the answer. A message is under way for 10 to
// 100 ms, each time another.
type Loop struct {
	nodes  []loopNode
	queue  []loopEvent // a 4-ary heap: the children of i are 4i+1 to 4i+4
	chance *rand.Rand
	now    int64
}

// loopNode is the state of a node: one cache line.
type loopNode struct {
	peer     int32
	received int64
	_        [48]byte
}

// loopEvent is the arrival of a message.
type loopEvent struct {
	at       int64 // in ns
	from, to int32
	kind     loopKind
	payload  any
}

type loopKind int32

const (
	loopPing loopKind = iota
	loopPong
)

// Bounds of how long a message is under way.
const (
	loopLeast = 10 * int64(time.Millisecond)
	loopMost  = 100 * int64(time.Millisecond)
)

// NewLoop returns a loop of so many nodes, each with a peer drawn by chance. Their first pings
// arrive within 100 ms.
func NewLoop(nodes int) *Loop {
	l := &Loop{
		nodes: make([]loopNode, nodes), queue: make([]loopEvent, 0, nodes+1),
		chance: rand.New(rand.NewPCG(1, 2)),
	}
	for i := range l.nodes {
		peer := l.chance.Int32N(int32(nodes))
		l.nodes[i].peer = peer
		l.push(&loopEvent{at: l.chance.Int64N(loopMost), from: int32(i), to: peer, payload: l})
	}
	return l
}

// Run lets so many messages arrive.
func (l *Loop) Run(events int) {
	var e loopEvent
	for range events {
		l.pop(&e)
		l.now = e.at
		n := &l.nodes[e.to]
		n.received++
		e.from, e.to = e.to, e.from
		if e.kind == loopPong {
			e.to = n.peer
		}
		e.kind = loopPing + loopPong - e.kind
		e.at += loopLeast + l.chance.Int64N(loopMost-loopLeast)
		l.push(&e)
	}
}

func (l *Loop) push(e *loopEvent) {
	l.queue = append(l.queue, *e)
	q := l.queue
	i := len(q) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if q[parent].at <= e.at {
			break
		}
		q[i] = q[parent]
		i = parent
	}
	q[i] = *e
}

// pop moves the earliest event of the queue, which is not empty, into top.
func (l *Loop) pop(top *loopEvent) {
	q := l.queue
	last := len(q) - 1
	*top = q[0]
	e := q[last]
	q = q[:last]
	l.queue = q
	i := 0
	for {
		first := 4*i + 1
		if first >= last {
			break
		}
		least := first
		if first+4 <= last {
			least += earliest((*[4]loopEvent)(q[first:]))
		} else {
			for child := first + 1; child < last; child++ {
				if q[child].at < q[least].at {
					least = child
				}
			}
		}
		if q[least].at >= e.at {
			break
		}
		q[i] = q[least]
		i = least
	}
	if last > 0 {
		q[i] = e
	}
}

// earliest returns which of four events comes first. It is written out because half of a loop's
// time would go into the mispredicted turns of a loop here.
func earliest(of *[4]loopEvent) (least int) {
	at := of[0].at
	if x := of[1].at; x < at {
		least, at = 1, x
	}
	if x := of[2].at; x < at {
		least, at = 2, x
	}
	if of[3].at < at {
		least = 3
	}
	return least
}

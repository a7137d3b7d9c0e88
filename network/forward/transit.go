package forward

import (
	"time"

	"tidings/network/engine"
)

// transit bounds what is forwarded.
type transit struct {
	config Config
	total  engine.Bucket // of bytes
	nodes  recent[*allowance]
}

// allowance is what is forwarded for one neighbour, and how many peers it may introduce.
type allowance struct{ messages, bytes, names engine.Bucket }

func newTransit(c Config) transit {
	return transit{config: c, total: engine.NewBucket(c.TotalBytes, c.Burst*c.TotalBytes),
		nodes: recent[*allowance]{half: c.Senders}}
}

// admit reports whether so many bytes more are forwarded for a neighbour.
func (t *transit) admit(id engine.ID, bytes int, now time.Duration) bool {
	a := t.of(id)
	return a.messages.Take(1, now) && a.bytes.Take(bytes, now) && t.total.Take(bytes, now)
}

func (t *transit) of(id engine.ID) *allowance {
	a, ok := t.nodes.get(id)
	if !ok {
		c := t.config
		a = &allowance{engine.NewBucket(c.Messages, c.Burst*c.Messages), engine.NewBucket(c.Bytes, c.Burst*c.Bytes),
			engine.NewBucket(c.Names, c.Burst*c.Names)}
	}
	t.nodes.put(id, a)
	return a
}

// pass passes on what a neighbour has sent for another, if there is a connection with that one.
func (n *Node) pass(by engine.Peer, from, to engine.ID, m engine.Message) {
	if from != by.ID {
		n.drop(by, Secondary)
		return
	}
	bytes := n.codec.Size(m)
	if !n.transit.admit(by.ID, bytes, n.Now()) {
		n.drop(by, TooMuch)
		return
	}
	peer, linked := engine.LinkOf(n.Env, to)
	if !linked {
		n.Env.Send(by, &NotConnected{Peer: to, Ask: n.whoElse(to, by.ID)})
		return
	}
	n.Trace(Passed{from, to, bytes})
	n.Env.Send(peer, m)
}

package pastry

import "tidings/network/engine"

// Route sends a message to the node whose ID is closest to key, where the application of its
// protocol gets it. While this node is not active, the message waits.
func (n *Node) Route(key engine.ID, payload engine.Message) {
	if len(n.outgoing) >= n.config.MaxOutgoing {
		n.limitHit("MaxOutgoing", n.config.MaxOutgoing)
		n.env.Trace(Lost{Key: key})
		return
	}
	number := n.env.Rand().Uint64()
	o := &outgoing{m: &Routed{Key: key, Origin: n.env.Self(), Number: number, Payload: payload}}
	n.outgoing[number] = o
	n.watch(o)
	n.accept(o.m)
}

// outgoing is a message of this node's own that is not known to be delivered.
type outgoing struct {
	m     *Routed
	timer engine.Timer
}

// watch sends the message again if no Ack tells in time that it was delivered.
func (n *Node) watch(o *outgoing) {
	o.timer = n.env.After(n.config.RouteTimeout<<o.m.Try+n.Patience(), func() {
		if int(o.m.Try)+1 >= n.config.RouteTries {
			n.env.Trace(Lost{o.m.Key, o.m.Number})
			delete(n.outgoing, o.m.Number)
			return
		}
		again := *o.m
		again.Try++
		o.m = &again
		n.watch(o)
		n.accept(o.m)
	})
}

func (n *Node) receipt(m *Routed) {
	if m.Origin.ID == n.known.self {
		n.delivered(m.Number)
	} else if _, join := m.Payload.(*Join); !join { // whose receipt is the Welcome
		n.env.Send(m.Origin, &Ack{Origin: m.Origin.ID, Number: m.Number, Delivered: true})
	}
}

// delivered forgets a message of this node's own.
func (n *Node) delivered(number uint64) {
	if o := n.outgoing[number]; o != nil {
		o.timer.Stop()
		delete(n.outgoing, number)
	}
}

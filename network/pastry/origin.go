package pastry

import "tidings/network/engine"

// originate routes a message of this node's own.
func (r *routing) originate(key engine.ID, payload engine.Message) {
	if len(r.outgoing) >= r.config.MaxOutgoing {
		limitHit(r.env, "MaxOutgoing", r.config.MaxOutgoing)
		r.env.Trace(Lost{Key: key})
		return
	}
	number := r.env.Rand().Uint64()
	o := &outgoing{m: &Routed{Key: key, Origin: r.env.Self(), Number: number, Payload: payload}}
	r.outgoing[number] = o
	r.watch(o)
	r.accept(o.m)
}

// outgoing is a message of this node's own that is not known to be delivered.
type outgoing struct {
	m     *Routed
	timer engine.Timer
}

// watch sends the message again if no Ack says in time that it was delivered.
func (r *routing) watch(o *outgoing) {
	o.timer = r.env.After(r.config.RouteTimeout<<o.m.Try+r.node.Patience(), func() {
		if int(o.m.Try)+1 >= r.config.RouteTries {
			r.env.Trace(Lost{o.m.Key, o.m.Number})
			delete(r.outgoing, o.m.Number)
			return
		}
		again := *o.m
		again.Try++
		o.m = &again
		r.watch(o)
		r.accept(o.m)
	})
}

func (r *routing) receipt(m *Routed) {
	if m.Origin.ID == r.env.Self().ID {
		r.delivered(m.Number)
	} else if _, join := m.Payload.(*Join); !join { // whose receipt is the Welcome
		r.env.Send(m.Origin, &Ack{Origin: m.Origin.ID, Number: m.Number, Delivered: true})
	}
}

// delivered forgets a message of this node's own.
func (r *routing) delivered(number uint64) {
	if o := r.outgoing[number]; o != nil {
		o.timer.Stop()
		delete(r.outgoing, number)
	}
}

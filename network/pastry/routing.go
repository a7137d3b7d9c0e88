package pastry

import (
	"time"

	"tidings/network/engine"
)

// routing moves messages one hop nearer to their keys. It is responsible for each until the next hop acknowledges it,
// and for this node's own until it learns of a delivery. It delivers what this node is closest to, once for each
// message that it remembers. What comes before the node is active waits. Its bounds are Config.MaxOutgoing, MaxPending,
// MaxHeld, MaxSeen, HopTries, RouteTries and MaxHops.
type routing struct {
	env    engine.Env
	config *Config
	node   hops
	apps   []handler

	outgoing map[uint64]*outgoing
	pending  map[name]*pending
	held     []*Routed // until the node is active
	seen     seen
}

// hops is what routing needs of its node.
type hops interface {
	// ready reports whether the node is active, after a look whether it has slept. It may release what is held.
	ready() bool
	// next chooses the node that gets a message next; false: none, this one is the closest. Those tried keep silent.
	next(m *Routed, tried []engine.ID) (engine.Peer, bool)
	// suspect looks after a hop that keeps silent.
	suspect(p engine.Peer)
	RTT(id engine.ID) (time.Duration, bool)
	Patience() time.Duration
}

func newRouting(env engine.Env, c *Config, node hops) routing {
	return routing{
		env: env, config: c, node: node,
		outgoing: make(map[uint64]*outgoing), pending: make(map[name]*pending), seen: seen{half: c.MaxSeen},
	}
}

type handler struct {
	protocol engine.ProtocolNumber
	app      App
}

// App is what runs on top: it sends payloads of its protocol by Route. Both calls may use the
// Node.
type App interface {
	// Forward is called at each node that is about to send m on to next, the first node
	// included. With false the message goes no further: it has reached its end here.
	// It may be called again for the same message, where the first node of the route
	// has sent it again.
	Forward(key engine.ID, m engine.Message, next engine.Peer) (goOn bool)

	// Deliver is called at the node whose ID is closest to key. from routed the message first; that is hearsay.
	Deliver(key engine.ID, from engine.Peer, m engine.Message, hops int)
}

// handle has app receive the payloads of one protocol.
func (r *routing) handle(p engine.ProtocolNumber, app App) {
	if r.app(p) != nil {
		panic("pastry: two applications for one protocol")
	}
	r.apps = append(r.apps, handler{p, app})
}

func (r *routing) app(p engine.ProtocolNumber) App {
	for _, h := range r.apps {
		if h.protocol == p {
			return h.app
		}
	}
	return nil
}

// onRouted accepts a message, unless it has been here already, and acknowledges it.
func (r *routing) onRouted(from engine.Peer, m *Routed) {
	if m.Payload == nil || !engine.Admissible(r.env, m.Origin.ID) {
		return
	}
	if entry := engine.IntroducerOf(r.env, from.ID); from.ID == m.Origin.ID && entry != m.Entry {
		entered := *m
		entered.Entry = entry
		m = &entered
	}
	engine.Introduce(r.env, m.Origin.ID, m.Entry)
	was, ok := r.seen.get(nameOf(m))
	ended := was.ended
	switch {
	case ok && !ended && was.try >= m.Try: // accepted before; the Ack was lost
	case int(m.Hops) >= r.config.MaxHops:
		limitHit(r.env, "MaxHops", r.config.MaxHops)
		return
	default:
		accepted := false
		if ended, accepted = r.accept(m); !accepted {
			return
		}
	}
	if !ended || from.ID != m.Origin.ID { // else the receipt has said it
		r.env.Send(from, &Ack{Origin: m.Origin.ID, Number: m.Number, Delivered: ended})
	}
}

// accept receives a message: to send it on, to deliver it, or to hold it until this node is
// active. It reports whether the message has ended here, and whether there was room for it.
func (r *routing) accept(m *Routed) (ended, accepted bool) {
	if was, _ := r.seen.get(nameOf(m)); was.ended { // another try of it was faster
		r.receipt(m)
		return true, true
	}
	if !r.node.ready() {
		if len(r.held) >= r.config.MaxHeld {
			limitHit(r.env, "MaxHeld", r.config.MaxHeld)
			return false, false
		}
		r.held = append(r.held, m)
		r.seen.put(nameOf(m), mark{try: m.Try})
		return false, true
	}
	r.seen.put(nameOf(m), mark{try: m.Try})
	next, further := r.node.next(m, nil)
	if !further {
		r.deliver(m)
		return true, true
	}
	if app := r.app(m.Payload.Kind().Protocol()); app != nil && !app.Forward(m.Key, m.Payload, next) {
		r.end(m)
		return true, true
	}
	return false, r.send(m, next)
}

// release sends on what was held.
func (r *routing) release() {
	held := r.held
	r.held = nil
	for _, m := range held {
		r.accept(m)
	}
}

// deliver ends a route at this node, unless another try of the same message has ended here.
func (r *routing) deliver(m *Routed) {
	if was, ok := r.seen.get(nameOf(m)); ok && was.ended {
		r.receipt(m)
		return
	}
	r.env.Trace(Delivered{m.Key, m.Origin.ID, m.Number, m.Payload.Kind(), int(m.Hops)})
	r.end(m)
	app := r.app(m.Payload.Kind().Protocol())
	if app == nil {
		r.env.Trace(Unhandled{m.Key, m.Payload.Kind()})
		return
	}
	app.Deliver(m.Key, m.Origin, m.Payload, int(m.Hops))
}

// end notes that the message goes no further and reports that to the origin.
func (r *routing) end(m *Routed) {
	r.seen.put(nameOf(m), mark{try: m.Try, ended: true})
	r.receipt(m)
}

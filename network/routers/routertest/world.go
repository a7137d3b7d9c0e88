package routertest

import (
	"fmt"
	"reflect"
	"slices"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// Protocol describes a router to worlds.
type Protocol[R network.Router] struct {
	// Vocabularies are what its nodes say, without Pastry's.
	Vocabularies []engine.Vocabulary

	// Ring is what Pastry runs with; nil: the router needs no ring.
	Ring *pastry.Config

	// Build puts a node that starts on its host's stack. It gives notes to the Member of the host, and asks
	// it which to pass on.
	Build func(w *World[R], h *Host[R]) R

	// Hear, if not nil, reports to checkers what the router traces: an update or its stand-in that was carried
	// somewhere, or a queue. Deliveries and notes on their way are seen without it.
	Hear check.Hear

	// Carried, if not nil, says of which topic a message carries an update, or what stands for one: to nodes that have
	// not joined it, it is noise. Without it that is every message with a note in it.
	Carried func(m engine.Message) (topic engine.ID, ok bool)

	// RootChanged, if not nil, is called within a second of when Host.Root answers otherwise.
	RootChanged func(r R, topic engine.ID)
}

// SimConfig returns what a world that nothing befalls is made with: every message passes through the codec.
func (p Protocol[R]) SimConfig() sim.Config {
	c := sim.Default(p.codec())
	c.Wire = true
	return c
}

func (p Protocol[R]) codec() *engine.Codec {
	return engine.NewCodec(append([]engine.Vocabulary{forward.Vocabulary, pastry.Vocabulary, Vocabulary},
		p.Vocabularies...)...)
}

// Settings say what a world of routers is like.
type Settings struct {
	Nodes int

	// Checkers watch besides the usual ones; see World.Watch.
	Checkers []check.Checker

	// Env, if not nil, is put around a node's Env: to make a liar of it.
	Env func(n sim.Node, env engine.Env) engine.Env

	// Homes has seven of ten nodes be private, and all forward; see forwardtest.Configure.
	Homes bool
}

// World is a simulated network of nodes that run a router.
type World[R network.Router] struct {
	*Nodes[R]

	// Watch has the oracles. Once, Genuine and Wanted are always on: each delivery was published on the topic, and is
	// delivered once, and to subscribers.
	Watch *check.Watch

	protocol Protocol[R]
	joined   [][]engine.ID // by node: the topics that it joins whenever it starts
	lived    []bool        // by node: it has started before
	roots    roots
	notes    uint64
}

// New puts nodes into a world that has none, and returns when they form a right ring, if they are to.
func New[R network.Router](w *sim.World, p Protocol[R], s Settings) *World[R] {
	world := &World[R]{protocol: p, roots: make(roots)}
	checkers := append([]check.Checker{&check.Once{}, &check.Genuine{}, &check.Wanted{}}, s.Checkers...)
	world.Watch = check.All(w, p.Hear, checkers...)
	if slices.ContainsFunc(checkers, func(c check.Checker) bool { _, ok := c.(*check.Noiseless); return ok }) {
		w.Tap(world.see)
	}
	setup := Setup[R]{
		Nodes: s.Nodes, Ring: p.Ring, Env: s.Env, Started: world.started,
		Build: func(h *Host[R]) R { return p.Build(world, h) },
	}
	if s.Homes {
		setup.Homes = p.codec()
	}
	world.Nodes = newNodes(w, setup)
	world.begin()
	world.lookAtRoots()
	return world
}

// Member returns the receiver of the notes at a node.
func (w *World[R]) Member(h *Host[R]) Member {
	return Member{h.Keys(), func(topic engine.ID, m *Note) {
		w.Watch.Report(h.Number, check.Delivered{Topic: topic, Content: m.Content()})
	}}
}

// started has a node join its topics. One that has lived before has forgotten what it was delivered.
func (w *World[R]) started(h *Host[R]) {
	n := h.Number
	for int(n) >= len(w.joined) {
		w.joined, w.lived = append(w.joined, nil), append(w.lived, false)
	}
	if w.lived[n] {
		w.Watch.Report(n, check.Forgot{})
	}
	w.lived[n] = true
	for _, topic := range w.joined[n] {
		w.Watch.Report(n, check.Subscribed{Topic: topic})
		h.Node.Join(topic)
	}
}

// see reports to the checkers notes that come to nodes.
func (w *World[R]) see(p sim.Delivery) {
	carried := w.protocol.Carried
	if carried == nil {
		carried = inAnyMessage
	}
	if topic, ok := carried(p.Message); ok && p.Fate == sim.Received {
		w.Watch.Report(p.To, check.Carried{Topic: topic})
	}
}

// inAnyMessage returns the topic of a note that is somewhere in a message.
func inAnyMessage(m engine.Message) (topic engine.ID, ok bool) {
	if n := noteIn(reflect.ValueOf(m)); n != nil {
		return n.Topic, true
	}
	return engine.ID{}, false
}

// noteIn returns a note that is somewhere in a message; nil: there is none.
func noteIn(v reflect.Value) *Note {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*Note]() {
			return (*Note)(v.UnsafePointer())
		}
		return noteIn(v.Elem())
	case reflect.Interface:
		return noteIn(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if m := noteIn(v.Field(i)); m != nil {
				return m
			}
		}
	case reflect.Slice:
		if kind := v.Type().Elem().Kind(); kind < reflect.Array { // numbers
			return nil
		}
		for i := range v.Len() {
			if m := noteIn(v.Index(i)); m != nil {
				return m
			}
		}
	}
	return nil
}

// Topic returns the i-th topic.
func Topic(i int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", i)) }

// Join has a node join a topic, now and whenever it starts again. The node must be up.
func (w *World[R]) Join(n sim.Node, topic engine.ID) {
	if !w.Wants(n, topic) {
		w.joined[n] = append(w.joined[n], topic)
	}
	w.use(topic)
	w.Watch.Report(n, check.Subscribed{Topic: topic})
	w.Do(n, func(engine.Protocol) { w.Node(n).Join(topic) })
}

// Leave ends what Join began. The node must be up.
func (w *World[R]) Leave(n sim.Node, topic engine.ID) {
	w.joined[n] = slices.DeleteFunc(w.joined[n], func(id engine.ID) bool { return id == topic })
	w.Watch.Report(n, check.Unsubscribed{Topic: topic})
	w.Do(n, func(engine.Protocol) { w.Node(n).Leave(topic) })
}

// Wants reports whether a node has joined a topic.
func (w *World[R]) Wants(n sim.Node, topic engine.ID) bool {
	return slices.Contains(w.joined[n], topic)
}

// Subscribers returns the nodes that are up and have joined a topic, in order.
func (w *World[R]) Subscribers(topic engine.ID) []sim.Node {
	return slices.DeleteFunc(w.Live(), func(n sim.Node) bool { return !w.Wants(n, topic) })
}

// Publish has a node that is up publish a note of so many bytes, and returns the note's number.
func (w *World[R]) Publish(n sim.Node, topic engine.ID, bytes int) uint64 {
	w.use(topic)
	w.notes++
	m := &Note{Topic: topic, Number: w.notes, Text: string(make([]byte, bytes)), Publisher: w.Peer(n)}
	m.Signature = w.Keys(n).Sign(m.words())
	w.Watch.Report(-1, check.Served{Topic: topic, Content: m.Content()})
	w.Watch.Report(n, check.Published{Topic: topic, Content: m.Content()})
	w.Do(n, func(engine.Protocol) { w.Node(n).Publish(topic, m) })
	return m.Number
}

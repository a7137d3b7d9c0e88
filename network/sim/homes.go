package sim

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Homes are the private nodes of a world: those behind routers, as most nodes at home are. No node can connect to them.
// They can connect to nodes that are not private. Both sides then use that connection, until one of them is down, is
// cut off from the other, or has not used it for Config.Idle. A message to a private node without a connection is lost,
// and its sender learns it by PeerDown.
type Homes struct {
	world   *World
	private set
	punched map[pair]bool // either way
	places  map[Node]*place
}

// place is what a private node has at a relay of connections.
type place struct {
	relay  Node
	most   int
	guests []Node // those that have connected by the relay
}

// HomesOf returns the private nodes of a world, of which there are none at first. It panics in a world without
// Config.Connections.
func HomesOf(w *World) *Homes {
	if !w.config.Connections {
		panic("sim: private nodes in a world without connections")
	}
	if w.homes == nil {
		w.homes = &Homes{world: w, punched: make(map[pair]bool), places: make(map[Node]*place)}
	}
	return w.homes
}

// Add makes nodes private from now on.
func (h *Homes) Add(nodes ...Node) {
	for _, n := range nodes {
		h.world.note(notePrivate, n, 0)
		h.private.add(n)
	}
}

// Has reports whether a node is private.
func (h *Homes) Has(n Node) bool { return h.private.has(n) }

// Punch says that two private nodes can connect to each other from now on: hole punching works for their routers.
func (h *Homes) Punch(a, b Node) {
	if !h.Has(a) || !h.Has(b) {
		panic("sim: a hole is punched between nodes that are not both private")
	}
	h.world.note(notePunch, a, uint64(uint32(b)))
	h.punched[pair{a, b}], h.punched[pair{b, a}] = true, true
}

// Relay gives a private node a place at a relay, which is not private. As long as that one is up, others can connect to
// the node by it, so many at a time at most. Their messages go by the relay. What that costs the relay is not counted.
func (h *Homes) Relay(n, relay Node, most int) {
	if !h.Has(n) || h.Has(relay) {
		panic("sim: a place at a relay is for a private node, at one that is not")
	}
	h.world.note(noteRelay, n, uint64(uint32(relay)))
	h.places[n] = &place{relay: relay, most: most}
}

// reaches reports whether a message of a node finds the way to another. There is a connection, or the node can make
// one.
func (h *Homes) reaches(from, to Node) bool {
	return h == nil || from == to || !h.Has(to) || h.punched[pair{from, to}] || connected(h.world, from, to) ||
		h.enter(from, to)
}

// enter has a node connect to another by its relay, if there is room.
func (h *Homes) enter(from, to Node) bool {
	p := h.places[to]
	if p == nil || from == p.relay || !h.carries(p, from, to) {
		return false
	}
	p.guests = slices.DeleteFunc(p.guests, func(n Node) bool { return n != from && !connected(h.world, n, to) })
	if slices.Contains(p.guests, from) {
		return true
	}
	if len(p.guests) >= p.most {
		return false
	}
	p.guests = append(p.guests, from)
	return true
}

// carries reports whether a relay can be reached by both sides.
func (h *Homes) carries(p *place, from, to Node) bool {
	w := h.world
	return w.node(p.relay).up() && !w.cut(from, p.relay) && !w.cut(to, p.relay)
}

// by returns the place at a relay by which two nodes are connected; nil: there is none.
func (h *Homes) by(a, b Node) *place {
	if h == nil {
		return nil
	}
	for _, ends := range [][2]Node{{a, b}, {b, a}} {
		if p := h.places[ends[1]]; p != nil && slices.Contains(p.guests, ends[0]) {
			return p
		}
	}
	return nil
}

// latency draws how long a message is under way.
func (h *Homes) latency(w *World, from, to Node) time.Duration {
	if p := h.by(from, to); p != nil {
		return between(w, from, p.relay) + between(w, p.relay, to)
	}
	return between(w, from, to)
}

func between(w *World, from, to Node) time.Duration {
	return max(w.config.Latency.Between(w.latencyChance, from, to), 0)
}

// connected reports whether there is a connection between two nodes.
func connected(w *World, a, b Node) bool {
	if p := w.homes.by(a, b); p != nil && !w.homes.carries(p, a, b) {
		return false
	}
	return holds(w, a, b) && holds(w, b, a) && !w.cut(a, b) && !w.cut(b, a)
}

// holds reports whether a node holds a connection to another.
func holds(w *World, n, peer Node) bool {
	v := w.node(n)
	if !v.up() || v.condition == nil {
		return false
	}
	c := &v.condition.contacts
	i := slices.Index(c.peers, peer)
	return i >= 0 && c.used[i].at >= w.now-w.config.Idle
}

// Link implements engine.Linker. It knows of no connections in a world without Config.Connections.
func (e *env) Link(id engine.ID) (engine.Peer, bool) {
	w := e.world
	if !w.config.Connections || !e.alive() {
		return engine.Peer{}, false
	}
	for _, n := range w.named.with(w, id) {
		if connected(w, e.node, n) {
			return w.Peer(n), true
		}
	}
	return engine.Peer{}, false
}

// directory finds nodes by their IDs.
type directory struct {
	nodes map[engine.ID][]Node
	until Node // those before it are in nodes
}

// with returns the nodes that have an ID: more than one only after Clone.
func (d *directory) with(w *World, id engine.ID) []Node {
	if d.nodes == nil {
		d.nodes = make(map[engine.ID][]Node)
	}
	for ; int(d.until) < w.Len(); d.until++ {
		id := w.node(d.until).id
		d.nodes[id] = append(d.nodes[id], d.until)
	}
	return d.nodes[id]
}

package sim

import (
	"time"

	"tidings/network/engine"
)

// Node is a node's number in its world, from 0 in the order of Add. It stays the same
// through crashes and restarts.
type Node int32

// nobody is the number of no node.
const nobody Node = -1

// Start makes the protocols of a node that starts. What it does with env happens at the
// moment of the start. Disk holds what earlier incarnations kept.
type Start func(env engine.Env, disk *Disk) engine.Protocol

// node is what every message needs of a node: two cache lines, which stay where they are. What
// few nodes need is in condition, what a start or a lost message needs in origin.
type node struct {
	protocol    engine.Protocol // nil: the node is down
	condition   *condition      // nil: nothing is special about the node
	id          engine.ID
	place       int32 // where it lives
	incarnation uint32
	calls       uint32 // its newest call; slot+1, 0: none
	working     int32  // jobs with their done to come
	_           [4]byte

	sent, sentBytes         uint64
	received, receivedBytes uint64
	first                   env // of the first incarnation
}

func (v *node) up() bool { return v.protocol != nil }

// condition is what may be special about a node.
type condition struct {
	outages  map[engine.ID][]*outage // peers that did not answer, by the order of finding
	contacts contacts
	faults   *Faults
	clock    clock
	sleep    sleep
	pipes    [pipes]*pipe
}

// of returns the condition of n, which it makes if need be.
func (w *World) conditionOf(n Node) *condition {
	v := w.node(n)
	if v.condition == nil {
		v.condition = &condition{clock: clock{rate: trueRate}}
	}
	return v.condition
}

// origin is what a node starts from.
type origin struct {
	start   Start
	disk    *Disk
	dropped uint64 // of the messages that the node sent
}

// nodesAtOnce is how many nodes lie together.
const nodesAtOnce = 512

func (w *World) node(n Node) *node {
	return &w.nodes[uint32(n)/nodesAtOnce][uint32(n)%nodesAtOnce]
}

// Add makes a node, which is down until Boot.
func (w *World) Add(id engine.ID, start Start) Node {
	n := Node(w.Len())
	if n%nodesAtOnce == 0 {
		w.nodes = append(w.nodes, new([nodesAtOnce]node))
	}
	w.origins = append(w.origins, origin{start: start})
	v := w.node(n)
	v.id = id
	v.place = w.places.add(n)
	return n
}

// Len returns how many nodes were added.
func (w *World) Len() int { return len(w.origins) }

// Up reports whether a node runs. A node that is paused or asleep does.
func (w *World) Up(n Node) bool { return w.node(n).up() }

// Peer returns a node as others know it.
func (w *World) Peer(n Node) engine.Peer {
	v := w.node(n)
	return engine.Peer{ID: v.id, Address: w.places.address(v.place)}
}

// Protocol returns what Start made for the node; nil if it is down.
func (w *World) Protocol(n Node) engine.Protocol { return w.node(n).protocol }

// NodeAt returns which node lives at a peer's address, and whether any does.
func (w *World) NodeAt(p engine.Peer) (Node, bool) {
	place, ok := w.places.find(p.Address)
	if !ok {
		return 0, false
	}
	n := w.places.home(place)
	return n, w.node(n).place == place
}

// Do calls into a node's protocol at this moment, between events, as the program around it would: to route, to join, to
// publish. It returns false and does nothing if the node is down. It notes the call in the trace. An experiment may
// also call the methods of protocols directly, between two calls of Run and in functions for After and At. It never may
// from an observer: there a protocol is running.
func (w *World) Do(n Node, f func(p engine.Protocol)) bool {
	p := w.node(n).protocol
	if p == nil {
		return false
	}
	w.note(noteDo, n, 0)
	f(p)
	return true
}

// machineTime returns the time since the world began by the clock of a node's machine.
func (w *World) machineTime(v *node) time.Duration {
	if v.condition == nil {
		return w.now
	}
	return v.condition.clock.at(w.now)
}

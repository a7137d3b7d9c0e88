package sim

import (
	"encoding/binary"
	"time"
	"unsafe"

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

// node is what every message needs of a node: two cache lines. What few nodes need is in
// condition, what a start needs in origin.
type node struct {
	protocol    engine.Protocol // nil: the node is down
	env         *env            // of the incarnation that runs
	condition   *condition      // nil: nothing is special about the node
	id          engine.ID
	place       int32 // number of its address
	incarnation uint32
	calls       uint32 // its newest call; slot+1, 0: none

	count NodeCount
	_     [24]byte
}

func (v *node) up() bool { return v.protocol != nil }

// condition is what may be special about a node.
type condition struct {
	outages  map[engine.ID][]*outage // peers that did not answer, by the order of finding
	contacts []contact               // open connections, the one used last first
	faults   *Faults
	clock    clock
	sleep    sleep
	pipes    [pipes]*pipe
}

// of returns the condition of n, which it makes if need be.
func (w *World) conditionOf(n Node) *condition {
	v := &w.nodes[n]
	if v.condition == nil {
		v.condition = &condition{clock: clock{rate: trueRate}}
	}
	return v.condition
}

// origin is what a node starts from.
type origin struct {
	start Start
	disk  *Disk
}

// addressesAtOnce is how many addresses share one string.
const addressesAtOnce = 1024

// stride returns how far apart addresses lie in that string: a cache line, if they fit in.
func (w *World) stride() int {
	if w.config.AddressBytes < 64 {
		return 64
	}
	return w.config.AddressBytes
}

// address returns the address of a place. All addresses are parts of few strings, which costs
// a node nothing beyond the bytes.
func (w *World) address(place int32) engine.Address {
	at := int(place) % addressesAtOnce * w.stride()
	return engine.Address(w.addresses[place/addressesAtOnce][at : at+w.config.AddressBytes])
}

// newPlace makes a place for n to live at. Places are never given to another node.
func (w *World) newPlace(n Node) int32 {
	place := int32(len(w.places))
	w.places = append(w.places, n)
	if int(place)%addressesAtOnce == 0 {
		w.block = make([]byte, addressesAtOnce*w.stride())
		w.addresses = append(w.addresses, unsafe.String(&w.block[0], len(w.block)))
	}
	writeAddress(w.block[int(place)%addressesAtOnce*w.stride():][:w.config.AddressBytes], place, n, w.nodes[n].id)
	return place
}

// writeAddress writes an address: the number of a place, in four bytes, the number of the node
// that lives or lived there, as much of its ID as there is room for, and zeros. So a message
// can be sent without a look at who is to receive it, which would be far away in memory.
func writeAddress(b []byte, place int32, n Node, id engine.ID) {
	binary.BigEndian.PutUint32(b, uint32(place))
	if len(b) >= wholeAddress {
		binary.BigEndian.PutUint32(b[4:], uint32(n))
		copy(b[8:], id[:])
	}
}

// wholeAddress is the length from which addresses tell node and ID.
const wholeAddress = 8 + len(engine.ID{})

// resolve returns the place that a peer's address names, who lives or lived there, and whether
// that is the peer; nobody if there is no such address.
func (w *World) resolve(p engine.Peer) (place int32, n Node, is bool) {
	a := p.Address
	if len(a) != w.config.AddressBytes {
		return 0, nobody, false
	}
	place = int32(uint32(a[0])<<24 | uint32(a[1])<<16 | uint32(a[2])<<8 | uint32(a[3]))
	if uint(place) >= uint(len(w.places)) {
		return 0, nobody, false
	}
	if len(a) >= wholeAddress {
		n = Node(uint32(a[4])<<24 | uint32(a[5])<<16 | uint32(a[6])<<8 | uint32(a[7]))
		if uint(n) >= uint(len(w.nodes)) {
			return 0, nobody, false
		}
		return place, n, string(a[8:wholeAddress]) == string(p.ID[:])
	}
	if n = w.places[place]; n == nobody {
		return 0, nobody, false
	}
	return place, n, w.nodes[n].id == p.ID
}

// Add makes a node, which is down until Boot.
func (w *World) Add(id engine.ID, start Start) Node {
	n := Node(len(w.nodes))
	w.nodes = append(w.nodes, node{id: id})
	w.nodes[n].place = w.newPlace(n)
	w.origins = append(w.origins, origin{start: start})
	return n
}

// Len returns how many nodes were added.
func (w *World) Len() int { return len(w.nodes) }

// Up tells whether a node runs. A node that is paused or asleep does.
func (w *World) Up(n Node) bool { return w.nodes[n].up() }

// Peer returns a node as others know it.
func (w *World) Peer(n Node) engine.Peer {
	v := &w.nodes[n]
	return engine.Peer{ID: v.id, Address: w.address(v.place)}
}

// Protocol returns what Start made for the node; nil if it is down.
func (w *World) Protocol(n Node) engine.Protocol { return w.nodes[n].protocol }

// NodeAt returns which node lives at a peer's address, and whether any does.
func (w *World) NodeAt(p engine.Peer) (Node, bool) {
	place, n, _ := w.resolve(p)
	if n == nobody || w.places[place] != n {
		return 0, false
	}
	return n, true
}

// Do calls into a node's protocol at this moment, between events, as the program around it
// would: to route, to join, to publish. It returns false and does nothing if the node is down.
// It takes note of the call in the trace. An experiment may also call the methods of protocols
// directly, between two calls of Run and in what it gives to After and At, but never from an
// observer: there a protocol is running.
func (w *World) Do(n Node, f func(p engine.Protocol)) bool {
	p := w.nodes[n].protocol
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

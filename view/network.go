package view

import (
	"slices"
	"time"

	"tidings"
)

// Network is how a node stands among the others.
type Network struct {
	ID        string   `json:"id"`        // the node's: 40 hexadecimal digits
	Addresses []string `json:"addresses"` // full multiaddrs, to give to friends
	Position  float64  `json:"position"`  // of the node on the ring, from 0 up to 1

	// Nodes is how many nodes the ring seems to have, this one included, judged by how
	// densely the neighbours lie.
	Nodes int `json:"nodes"`

	// Neighbours are the nodes next to this one on the ring, in the ring's order from
	// below to above. Empty: the node is alone.
	Neighbours []Peer `json:"neighbours"`

	Joins   []Join    `json:"joins"`
	Traffic []Traffic `json:"traffic"` // by kind, most bytes first

	Reachable Reach `json:"reachable"`

	// Router is what the node has seen of the router before it.
	Router Router `json:"router,omitzero"`

	// Clock is how this machine's clock stands against those of other nodes.
	Clock Clock `json:"clock,omitzero"`

	// DuplicateKey says that another running node has this node's key: one of the two must get
	// an identity of its own. It ends when that node was not met for DuplicateKeyGone. DuplicateKeyAt is
	// where it was met, if that is known, DuplicateKeyMet when it last was.
	DuplicateKey    bool      `json:"duplicate_key,omitempty"`
	DuplicateKeyAt  string    `json:"duplicate_key_at,omitempty"`
	DuplicateKeyMet time.Time `json:"duplicate_key_met,omitzero"`

	// Zones is in which zone the node is, and by whose word; nil: it is in none.
	Zones *ZoneMembership `json:"zones,omitempty"`

	// Mining is how far the node is with making a key whose ID the network admits: until it has one it works
	// alone, and then it starts anew by itself. Nil: it has one.
	Mining *Mining `json:"mining,omitempty"`

	// Off says that the node is set to work alone, or does while it is Mining: nothing else of Network is
	// known but the ID.
	Off bool `json:"off,omitempty"`
}

// Mining is how a node makes keys until one has an ID with so many bits of work. It remembers nothing between keys:
// whatever was tried already, Expected are to be tried yet, on average.
type Mining struct {
	Bits          int     `json:"bits"`
	Tried         uint64  `json:"tried"`    // keys, since the node started
	Expected      uint64  `json:"expected"` // keys that are tried on average
	KeysPerSecond float64 `json:"keys_per_second"`
}

// Expects returns how long that lasts on average; 0: that is not known yet.
func (m Mining) Expects() time.Duration {
	if m.KeysPerSecond == 0 {
		return 0
	}
	return time.Duration(float64(m.Expected) / m.KeysPerSecond * float64(time.Second))
}

// Bounds on the addresses by which a node joins.
const (
	MaxJoins       = 64   // addresses
	MaxJoinAddress = 2048 // bytes of one, which may be several multiaddrs of one node with commas between
)

// DuplicateKeyGone is how long a node with the same key must be absent to count as gone. A node that is kept out of the
// ring tries to enter again after 10 minutes at most. So a running one is met in time.
const DuplicateKeyGone = 15 * time.Minute

// Clock compares this machine's calendar clock with others'.
type Clock struct {
	Offset float64 `json:"offset_ms"` // this clock less the median of the others', in milliseconds
	Others int     `json:"others"`    // how many were compared; 0: nothing is known
	Agree  int     `json:"agree"`     // how many of them are within ClockOff of their median
}

// ClockOff is by how much a clock may differ from others before people are warned.
const ClockOff = 30 * time.Second

// ClockOf sums up by how much this clock is ahead of each of the others.
func ClockOf(ahead []time.Duration) Clock {
	n := len(ahead)
	if n == 0 {
		return Clock{}
	}
	sorted := slices.Sorted(slices.Values(ahead))
	median := (sorted[(n-1)/2] + sorted[n/2]) / 2
	clock := Clock{Offset: float64(median) / float64(time.Millisecond), Others: n}
	for _, a := range sorted {
		if (a - median).Abs() < ClockOff {
			clock.Agree++
		}
	}
	return clock
}

// Agreed reports whether the others can be believed: at least three of them agree, and they are
// more than half. Of fewer, it may be theirs that are wrong.
func (c Clock) Agreed() bool { return c.Agree >= 3 && 2*c.Agree > c.Others }

// Reach is whether nodes outside can connect to this one.
type Reach string

// What is known of a node's reachability.
const (
	ReachUnknown Reach = "unknown"
	ReachPublic  Reach = "public"
	ReachPrivate Reach = "private" // behind a firewall or NAT
)

// Router is what a node has seen of the router that stands between it and the internet, if one does.
type Router struct {
	Ports RouterPorts `json:"ports,omitempty"`

	// Forwards says that the router forwards the node's port because the node has asked it to (UPnP, NAT-PMP, PCP).
	Forwards bool `json:"forwards,omitempty"`

	// NoUDP says that all that comes through is TCP, though others speak QUIC as well.
	NoUDP bool `json:"no_udp,omitempty"`

	// Relays is at how many other nodes the node has a place, through which others reach it.
	Relays int `json:"relays,omitempty"`
}

// RouterPorts is how a router translates the port of a node.
type RouterPorts string

// The ways of routers; empty: not known.
const (
	// to one for all other nodes: they can connect straight once both sides try at once
	PortsSame RouterPorts = "same"
	PortsVary RouterPorts = "varies" // to another one for each other node: only few can connect straight
)

// Way is how another node is reached.
type Way string

// The ways to other nodes, by a connection but for the last.
const (
	WayDirect  Way = "direct"  // one side could dial the other
	WayPunched Way = "punched" // neither could, and both have opened their routers by dialling at once
	WayRelayed Way = "relayed" // through a third node, slower and within its limits

	// WayForwarded is that of a node without a connection: a neighbour of both passes on each message.
	WayForwarded Way = "forwarded"
)

// Peer is another live node that this one knows.
type Peer struct {
	ID      string `json:"id"`
	Address string `json:"address"` // full multiaddr

	Position  float64 `json:"position"`         // on the ring, from 0 up to 1
	RTT       float64 `json:"rtt_ms,omitempty"` // round trip in milliseconds; 0: not measured
	Neighbour bool    `json:"neighbour"`        // in the leaf set
	Connected bool    `json:"connected"`        // a connection is open
	Way       Way     `json:"way,omitempty"`    // how it is reached; empty: by none

	// Trust is what people here think of it as one that finds changes for them; empty: nothing.
	Trust tidings.TrustLevel `json:"trust,omitempty"`
}

// Join is an address of another node by which this one joins.
type Join struct {
	Address string    `json:"address"`
	Saved   bool      `json:"saved"` // kept in the data directory; else given at the start alone
	State   JoinState `json:"state"`
	Failure string    `json:"failure,omitempty"` // why the last attempt failed, in words for people
	Next    time.Time `json:"next,omitzero"`     // of the next attempt
}

// JoinState is how far joining by an address has got.
type JoinState string

// The states of a Join.
const (
	Joining JoinState = "joining" // an attempt is under way
	Joined  JoinState = "joined"
	Waiting JoinState = "waiting" // it failed and is tried again at Next
)

// Traffic is what was sent and received of one kind of message since the node started.
type Traffic struct {
	Kind          string `json:"kind"` // "pastry.Join"
	Sent          uint64 `json:"sent"`
	SentBytes     uint64 `json:"sent_bytes"`
	Received      uint64 `json:"received"`
	ReceivedBytes uint64 `json:"received_bytes"`
	Dropped       uint64 `json:"dropped"` // before sending: a queue was full or the peer gone
	Refused       uint64 `json:"refused"` // after receiving: above what the peer may send
}

package live

import (
	"errors"
	"time"

	"tidings/network/engine"
)

// Limits are the bounds of all that peers can make a host hold or do. Start from
// DefaultLimits.
type Limits struct {
	// Links is how many peers can be connected, or about to be. Pastry knows some 100
	// of 10^5 nodes; the other overlays some 20 each. A peer more is reported as down.
	Links int

	// LinksInbound is how many of them there may be for peers to come in, so that no crowd of them keeps this node from
	// dialling.
	LinksInbound int

	// From HighWater links on, those that nobody used for IdleAfter are ended, the
	// longest unused first, until LowWater are left. A link costs about 0.1 MB.
	HighWater, LowWater int
	IdleAfter           time.Duration

	// PingEvery is the time between signs of life on a link. A peer from which nothing came for DeadAfter is down.
	// Shorter finds the dead sooner and costs two packets a Ping. Below 2 round trips of the slowest network it finds
	// the living too.
	PingEvery, DeadAfter time.Duration

	// RestEvery replaces PingEvery on a link that has lasted for RestAfter, and DeadAfter grows by the difference:
	// nodes at rest cost little. It is below the least time for which routers remember a UDP mapping (30 s; RFC 4787
	// asks for 2 minutes). It is also below the time after which QUIC would send packets of its own besides (15 s). A
	// host that finds a peer dead notifies the others (Suspect).
	RestEvery, RestAfter time.Duration

	// AwakeWithin is how long a peer has for a sign of life when this machine has slept.
	AwakeWithin time.Duration

	// Dials is how many dials run at a time, each for DialTimeout at most. Others wait. BusyDials is how many of those
	// run that begin while this node comes to run late: more would slow each other down, until none succeeds within its
	// own time.
	Dials, BusyDials int
	DialTimeout      time.Duration

	// After a dial failed the same peer is not dialled for Backoff, which doubles with each failure in a row up to
	// BackoffMax. Outages is how many such peers are remembered, for OutageFor each since their last failure. One that
	// is forgotten may be reported as down again.
	Backoff, BackoffMax time.Duration
	Outages             int
	OutageFor           time.Duration

	// HelloWithin is how long a peer has to say Hello on a new stream. Shorter than
	// DeadAfter, so that a stranger that says nothing does not count as a dead node.
	HelloWithin time.Duration

	// Stall ends a link on which the peer accepted none of 16 KiB for so long. What it did
	// not read meanwhile fell out of its own queue.
	Stall time.Duration

	// Farewell is how long the last messages of a node that stops, or of a link that ends, have to arrive.
	Farewell time.Duration

	// QueueMessages and QueueBytes bound what waits to be sent to one peer.
	QueueMessages, QueueBytes int

	// InboxMessages and InboxBytes bound what one peer sent and the loop has not handled; then the peer is read no
	// further. One message always fits.
	InboxMessages, InboxBytes int

	// Rates bounds the messages of each class that a peer may send, Bytes their bytes.
	// What is above is dropped; as much again above, and the peer is at fault.
	Rates [engine.Classes]Rate
	Bytes Rate

	// A peer with Strikes faults is refused for Refuse, which doubles with every
	// further fault up to RefuseMax. Faults are forgotten after StrikeFor without
	// another. StrikeTable is how many peers are remembered.
	Strikes           int
	Refuse, RefuseMax time.Duration
	StrikeFor         time.Duration
	StrikeTable       int

	// Incarnations is how many peers' incarnations are remembered, Meters how many peers'
	// rates: at least as many as Links.
	Incarnations, Meters int

	// Found is how many peers found by mDNS wait to be looked at.
	Found int

	// AutoNATPerMinute is how many dial-backs this node does for others, together, and
	// AutoNATPeerMinute how many for one of them.
	AutoNATPerMinute, AutoNATPeerMinute int

	// Relay is what a host relays that is set to (Config.Relay), SmallRelay what any other does that is public.
	Relay, SmallRelay Relaying

	Resources Resources
}

// Relaying bounds what a host carries for others where it serves as a relay.
type Relaying struct {
	// Places is how many nodes can be reached through this one, and PlacesPerIP how many
	// of them may share an IP address.
	Places, PlacesPerIP int

	// Circuits is how many connections a node may have through this one. Each ends after Lasts, or when Bytes have gone
	// either way: enough to talk about hole punching, and for a small node to get by.
	Circuits int
	Bytes    int64
	Lasts    time.Duration
}

// valid reports whether a relay with these bounds could carry anything.
func (r Relaying) valid() bool {
	return r.Places >= 1 && r.PlacesPerIP >= 1 && r.Circuits >= 1 && r.Bytes >= 1 && r.Lasts > 0
}

// Rate is a token bucket: so many a second, and so many at once. Zero: no bound.
type Rate struct{ PerSecond, Burst float64 }

// Resources are what libp2p's resource manager grants.
type Resources struct {
	// Connections of all kinds, and those among them that others opened, so that
	// a flood leaves room to dial.
	Connections, ConnectionsInbound int

	// Handshakes is how many inbound connections may be between their first byte
	// and their last of the handshake. Connections that are made do not count, so that
	// slow handshakes push out nobody. Greetings is how many may have come through it and not said
	// Hello. No address, IPv4 /24 or IPv6 /48 gets more of either than half of what is left free.
	// While less than half are free, a TCP handshake has HandshakeFor, and a Hello HelloWithin. See package newcomers.
	Handshakes, Greetings int
	HandshakeFor          time.Duration

	// ConnectionsPerPeer is 2 if both dial at once, and a few for changing networks
	// and relays.
	ConnectionsPerPeer int

	// StreamsPerPeer are those a peer may open: ours, identify, AutoNAT, relay. Streams
	// bounds all.
	StreamsPerPeer, Streams int

	// Memory is bytes of buffers of connections and streams together.
	Memory int64

	// FileDescriptors is how many TCP sockets may be open.
	FileDescriptors int

	// Connections of an IPv4 address, of an IPv4 /24, of an IPv6 /56 (a home), of an
	// IPv6 /48 (a site). Loopback has no such bound.
	PerIP4, PerIP4Net, PerIP6Home, PerIP6Site int

	// HandshakesPerIP4 and HandshakesPerIP6Home are how many connections such an address
	// may begin a second, with 16 at once.
	HandshakesPerIP4, HandshakesPerIP6Home float64
}

// DefaultLimits returns the limits of an ordinary node: at most some 100 MB in the worst case.
func DefaultLimits() Limits {
	return Limits{
		Links: 512, LinksInbound: 448, HighWater: 192, LowWater: 160, IdleAfter: 2 * time.Minute,
		PingEvery: 3500 * time.Millisecond, DeadAfter: 8 * time.Second, RestEvery: 9 * time.Second,
		RestAfter: time.Minute, AwakeWithin: 5 * time.Second,
		Dials: 32, BusyDials: 4, DialTimeout: 10 * time.Second,
		Backoff: time.Second, BackoffMax: time.Minute, Outages: 4096, OutageFor: 10 * time.Minute,
		HelloWithin: 6 * time.Second, Stall: time.Minute, Farewell: 2 * time.Second,
		QueueMessages: 1024, QueueBytes: 4 << 20,
		InboxMessages: 64, InboxBytes: 1 << 20,
		Rates: [engine.Classes]Rate{
			engine.Control: {PerSecond: 200, Burst: 2000},
			engine.Update:  {PerSecond: 500, Burst: 5000},
			engine.Bulk:    {PerSecond: 200, Burst: 2000},
		},
		Bytes:   Rate{PerSecond: 4 << 20, Burst: 32 << 20},
		Strikes: 3, Refuse: 10 * time.Minute, RefuseMax: 6 * time.Hour, StrikeFor: time.Hour,
		StrikeTable: 1024, Incarnations: 4096, Meters: 1024, Found: 64,
		AutoNATPerMinute: 30, AutoNATPeerMinute: 3,
		Relay:      Relaying{Places: 128, PlacesPerIP: 8, Circuits: 16, Bytes: 4 << 20, Lasts: 30 * time.Minute},
		SmallRelay: Relaying{Places: 16, PlacesPerIP: 4, Circuits: 8, Bytes: 256 << 10, Lasts: 4 * time.Minute},
		Resources: Resources{
			Connections: 640, ConnectionsInbound: 448, Handshakes: 64, Greetings: 128, HandshakeFor: 3 * time.Second,
			ConnectionsPerPeer: 6, StreamsPerPeer: 32, Streams: 4096,
			Memory: 128 << 20, FileDescriptors: 512,
			PerIP4: 32, PerIP4Net: 96, PerIP6Home: 16, PerIP6Site: 64,
			HandshakesPerIP4: 2, HandshakesPerIP6Home: 1,
		},
	}
}

// Validate says what cannot be.
func (l Limits) Validate() error {
	switch {
	case l.Links < 1 || l.LowWater < 1 || l.HighWater < l.LowWater || l.Links < l.HighWater:
		return errors.New("limits: 1 ≤ LowWater ≤ HighWater ≤ Links must hold")
	case l.LinksInbound < 1 || l.LinksInbound > l.Links:
		return errors.New("limits: 1 ≤ LinksInbound ≤ Links must hold")
	case l.PingEvery <= 0 || l.DeadAfter < 2*l.PingEvery:
		return errors.New("limits: DeadAfter must be at least twice PingEvery")
	case l.RestEvery < l.PingEvery || l.RestAfter <= 0:
		return errors.New("limits: RestEvery must be no less than PingEvery, and RestAfter above zero")
	case l.HelloWithin >= l.DeadAfter:
		return errors.New("limits: HelloWithin must be less than DeadAfter")
	case l.QueueMessages < 1 || l.InboxMessages < 1:
		return errors.New("limits: queues must hold a message")
	case l.QueueBytes < engine.MaxMessage+maxFramePrefix || l.InboxBytes < 1:
		return errors.New("limits: a queue must hold the longest message")
	case l.Dials < 1 || l.BusyDials < 1 || l.DialTimeout <= 0 || l.Backoff <= 0 || l.BackoffMax < l.Backoff:
		return errors.New("limits: dials need room, time and a back-off")
	case l.Outages < 1 || l.StrikeTable < 1 || l.Incarnations < 1 || l.Meters < l.Links || l.Strikes < 1 || l.Found < 1:
		return errors.New("limits: tables must hold an entry, Meters as many as Links")
	case l.HelloWithin <= 0 || l.Stall <= 0 || l.Farewell <= 0 || l.AwakeWithin <= 0 || l.IdleAfter <= 0 ||
		l.OutageFor <= 0:
		return errors.New("limits: times must be above zero")
	case l.Refuse <= 0 || l.RefuseMax < l.Refuse || l.StrikeFor <= 0:
		return errors.New("limits: refusals must last")
	case l.AutoNATPerMinute < 1 || l.AutoNATPeerMinute < 1:
		return errors.New("limits: dial-backs must be bounded above zero")
	case !l.Relay.valid() || !l.SmallRelay.valid():
		return errors.New("limits: a relay must have places, circuits, bytes and time")
	case l.Resources.Handshakes < 1 || l.Resources.Greetings < 1 || l.Resources.HandshakeFor <= 0:
		return errors.New("limits: newcomers need places and time")
	case l.Resources.Connections < 1 || l.Resources.Memory < 1<<20:
		return errors.New("limits: libp2p needs connections and memory")
	}
	return nil
}

// maxFramePrefix is how long the length in front of a message can be.
const maxFramePrefix = 3

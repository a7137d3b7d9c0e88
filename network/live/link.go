package live

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"tidings/network/engine"
)

// link is what joins this node and a peer: a stream of ours, one of theirs, and what waits to be sent. The loop owns
// it. Fields that readers and writers share are marked.
type link struct {
	peer  engine.Peer // as it is reached now
	pid   peer.ID
	state linkState
	began time.Duration // loop time
	used  time.Duration // when a protocol last sent or received

	// Ours. Nil while it is being opened.
	stream  network.Stream
	stop    context.CancelFunc // ends the opening, then the writer
	written <-chan struct{}    // closed when the latest writer has ended

	punching punching
	moving   bool // a stream is being opened on another connection
	punched  bool // it moved from a relay to a connection of its own
	near     bool // the peer is behind the same router, and knows where on the local network this host is

	// Theirs. Nil before their Hello, and when it broke.
	in        *incoming
	helloBy   time.Duration // when in must not be nil any more
	connected bool          // both sides have said Hello; messages flow, and Connected was observed
	greeted   chan struct{} // closed when connected: the writer waits for it
	wanted    bool          // something was sent, so that the protocols must learn if it fails
	redialled bool          // before it was connected
	attempt   int           // to open our stream, counted
	dialling  bool          // the attempt under way dials
	inbound   bool          // the peer dialled

	asked   time.Duration // when the last ping was sent
	aliveBy time.Duration // after a sleep: when something must have come from the peer; 0: no such time
	askedAt time.Duration // since when something must have come, for aliveBy
	// for which this node did not come to run since something came from the peer at sparedSince
	spared      time.Duration
	sparedSince int64         // as pulse.heard
	suspected   bool          // somebody has found it dead, and it is to be asked soon
	overAt      time.Duration // while ending: when it is over in any case
	ending      ByeReason
	awaited     bool          // while ending: the peer dials anew, and this link ends with its new stream
	successor   *outbox       // what was sent while ending
	reopened    int           // since the last message from the peer
	waiters     []func(error) // called, in the loop, when the link is connected or has failed
	duplicateAt time.Duration // when another incarnation of the peer was last reported; 0: never

	// Shared, each safe by itself.
	out   *outbox
	flow  *inflow
	meter *meter
	pulse pulse
	wrote atomic.Int64 // bytes
}

// linkState says how far a link is; see the package comment.
type linkState int

const (
	opening linkState = iota
	open              // our stream is open
	ending            // a Bye is under way; what is sent now waits for the next link
	gone              // not in loop.links any more
)

// pulse is what a link's reader learns of the peer's life. Times are since the host's clock
// started, by Go's monotonic clock, without sleep.
type pulse struct {
	heard atomic.Int64 // when bytes last came
	read  atomic.Int64 // how many bytes have come
	nonce atomic.Uint64
	sent  atomic.Int64                  // when the ping with that nonce was sent; 0: answered
	rtt   atomic.Int64                  // smoothed
	clock atomic.Pointer[time.Duration] // this machine's calendar clock less the peer's; nil: not known
}

// incoming is a stream that a peer opened.
type incoming struct {
	stream      network.Stream
	hello       *engine.Hello
	place       *Place
	contact     contact // of place
	incarnation uint64
	before      *incoming     // on another connection, to be read to its end first; nil: none
	read        chan struct{} // closed when nothing more is read of it
}

// finish waits until a stream has been read to its end, which its peer has promised by opening another, for so long at
// most.
func (in *incoming) finish(within time.Duration, quit <-chan struct{}) {
	alarm := time.NewTimer(within)
	defer alarm.Stop()
	select {
	case <-in.read:
	case <-quit:
	case <-alarm.C: // the connection is dead, and the peer has noticed first
		_ = in.stream.Reset()
		<-in.read
	}
}

func (p *loop) newLink(to engine.Peer, pid peer.ID) *link {
	now := p.clock.now()
	l := &link{peer: to, pid: pid, began: now, used: now, asked: now, out: p.h.outboxFor(to.ID),
		greeted: make(chan struct{})}
	l.flow, l.meter = p.h.inbox.flow(l, p.h.limits), p.meters.peer(to.ID)
	p.links[to.ID] = l
	p.h.net.ConnManager().Protect(pid, protocolID)
	return l
}

// maybeConnected observes that both sides have said Hello, once.
func (p *loop) maybeConnected(l *link) {
	if l.connected || l.state != open || l.in == nil {
		return
	}
	l.connected = true
	close(l.greeted)
	l.answer(nil)
	p.ways.maybeMove(l)
	p.observe(Connected{l.peer, l.inbound, l.in.hello.Program})
	p.h.config.OnPeers()
	p.h.log.Debug("connected", "peer", l.peer.ID.Short(), "inbound", l.inbound)
}

// elapsed is the time since the start by Go's clock, which readers use as well.
func (p *loop) elapsed() time.Duration { return time.Since(p.clock.start) }

// answer answers those that wait for the link to be connected.
func (l *link) answer(err error) {
	waiters := l.waiters
	l.waiters = nil
	for _, w := range waiters {
		w(err)
	}
}

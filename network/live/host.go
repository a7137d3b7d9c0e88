package live

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	bhost "github.com/libp2p/go-libp2p/p2p/host/basic"
	"github.com/libp2p/go-libp2p/p2p/protocol/holepunch"
	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/engine"
	"tidings/network/live/nat"
	"tidings/network/live/newcomers"
	"tidings/network/live/suspend"
)

// ErrStopped says that a host does not run, or no longer.
var ErrStopped = errors.New("the node's network is not running")

// Host is one node among others. New makes it, and Run is its life. Its other methods may be called from any goroutine,
// and wait for nothing but the loop.
type Host struct {
	config      Config
	limits      Limits
	log         *slog.Logger
	id          engine.ID
	pid         peer.ID
	incarnation uint64

	net       host.Host // set before ready closes
	newcomers *newcomers.Guard
	mail      *mailbox
	inbox     *inbox
	traffic   *traffic
	penalties *penalties
	found     chan engine.Peer
	dials     chan struct{} // as many as may run
	busyDials chan struct{} // the same of those that began while this node was busy
	busyUntil atomic.Int64  // as loop.elapsed
	self      atomic.Pointer[engine.Peer]
	reach     atomic.Int32
	outside   *nat.Outside
	punch     *holepunch.Service
	ports     bhost.NATManager // nil: the router is asked for nothing
	forwards  atomic.Bool      // the router does what it was asked for

	presumption event.Emitter // of reachability
	isForced    bool          // reachability is, so that nothing is presumed
	loop        *loop

	verified verified

	ran   atomic.Bool
	ready chan struct{}   // closed when protocols run
	life  context.Context // ends when nothing is read or written any more
	end   context.CancelFunc
	quit  <-chan struct{} // of life
	done  chan struct{}   // closed when Run returns
	tasks tasks
}

// New checks the configuration and returns a host. It starts nothing.
func New(c Config) (*Host, error) {
	if c.suspended == nil {
		c.suspended = suspend.Time
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("setting up the network: %w", err)
	}
	c.setDefaultCallbacks()
	quieten()
	public := c.Key.Public().(ed25519.PublicKey)
	pid, err := peerID(public)
	if err != nil {
		return nil, fmt.Errorf("setting up the network: %w", err)
	}
	h := &Host{
		config: c, limits: c.Limits, log: c.Logger,
		id: NodeID(public), pid: pid, incarnation: drawIncarnation(),
		mail: newMailbox(), inbox: newInbox(), traffic: newTraffic(c.Codec), penalties: newStrikes(c.Limits),
		found: make(chan engine.Peer, c.Limits.Found), dials: make(chan struct{}, c.Limits.Dials),
		busyDials: make(chan struct{}, c.Limits.BusyDials),
		ready:     make(chan struct{}), done: make(chan struct{}), outside: nat.New(),
	}
	h.life, h.end = context.WithCancel(context.Background())
	h.quit = h.life.Done()
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.self.Store(&engine.Peer{ID: h.id, Address: contact{key: public}.address()})
	return h, nil
}

// Run listens, starts the protocols and runs them until ctx ends. Then it stops them, waits up to Limits.Farewell for
// their last messages to arrive, and closes everything. No goroutine is left. start is called in the loop; what it
// sends goes out. A host runs once.
func (h *Host) Run(ctx context.Context, start func(engine.Env) engine.Protocol) error {
	if h.ran.Swap(true) {
		return errors.New("running the network: it ran before")
	}
	defer close(h.done)
	if err := h.listen(); err != nil {
		return err
	}
	defer h.close()
	if err := h.startPunching(); err != nil {
		return err
	}
	h.loop = newLoop(h)
	if err := h.watch(); err != nil {
		return err
	}
	h.loop.protocol = start(h.loop.env)
	close(h.ready)
	h.loop.run(ctx, nil)
	h.loop.farewell()
	return nil
}

// close ends whatever the host started and waits for it.
func (h *Host) close() {
	h.end()
	if h.presumption != nil {
		if err := h.presumption.Close(); err != nil {
			h.log.Debug("closing what is presumed", "err", err)
		}
	}
	if h.punch != nil {
		if err := h.punch.Close(); err != nil {
			h.log.Debug("closing what punches holes", "err", err)
		}
	}
	if err := h.net.Close(); err != nil {
		h.log.Debug("closing the network", "err", err)
	}
	h.mail.close()
	h.tasks.end()
}

// task runs f in a goroutine that Run waits for at its end. The loop and what it started may
// call it: Run waits for those first.
func (h *Host) task(f func()) {
	h.tasks.start(f)
}

// Ready is closed when the host listens and its protocols run.
func (h *Host) Ready() <-chan struct{} { return h.ready }

// Do runs f in the loop, where nothing else touches the protocols, and waits for its end.
// f must be quick and must not call Do. On an error f has not run, and will not.
func (h *Host) Do(ctx context.Context, f func()) error {
	ran := make(chan struct{})
	var decided atomic.Bool // f runs, or is given up
	if !h.isReady() || !h.mail.post(func() {
		if decided.CompareAndSwap(false, true) {
			f()
			close(ran)
		}
	}) {
		return ErrStopped
	}
	err := ErrStopped
	select {
	case <-ran:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-h.done:
	}
	if decided.CompareAndSwap(false, true) {
		return err
	}
	<-ran
	return nil
}

func (h *Host) isReady() bool {
	select {
	case <-h.ready:
		return true
	default:
		return false
	}
}

// Self returns this node as others know it. The address has no places before Ready.
func (h *Host) Self() engine.Peer { return *h.self.Load() }

// Addresses returns where this node can be reached as full multiaddrs, best first, to share with friends. Where it
// cannot be reached from everywhere, those of its local network are among them, which strangers do not learn: a friend
// may be there.
func (h *Host) Addresses() []string {
	self := h.Self()
	c, err := parseContact(self.Address)
	if err == nil && h.isReady() && !slices.ContainsFunc(c.places, nat.IsOpen) {
		c.places = bestFirst(append(slices.Clone(c.places), h.local()...))
		self.Address = c.address()
	}
	return FormatAddresses(self)
}

// Port returns the port at which this node listens, that of QUIC if it speaks it; 0 before
// Ready. A router may show another one to others.
func (h *Host) Port() int {
	if !h.isReady() {
		return 0
	}
	byTCP := 0
	for _, a := range h.net.Network().ListenAddresses() {
		switch transportOf(a) {
		case overQUIC:
			return portIn(a, ma.P_UDP)
		case overTCP:
			byTCP = portIn(a, ma.P_TCP)
		}
	}
	return byTCP
}

// portIn returns the port of a protocol in an address; 0 if there is none.
func portIn(a ma.Multiaddr, code int) int {
	text, err := a.ValueForProtocol(code)
	if err != nil {
		return 0
	}
	port, _ := strconv.Atoi(text) // multiaddrs hold numbers there
	return port
}

// Found returns peers that were seen on the local network. Nothing is known of them but what
// somebody there claims. Those that nobody accepts in time are dropped.
func (h *Host) Found() <-chan engine.Peer { return h.found }

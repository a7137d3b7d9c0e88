package member

import (
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/node/broadcast"
	"tidings/store/db"
)

// Host is what the package asks of the node that it is a part of.
type Host interface {
	// Start makes the protocols that run on the ring and puts them on the ring's stack. It is called in the loop of the
	// connections, as all protocols are.
	Start(env engine.Env, connections *live.Host, ring *pastry.Node, stack *engine.Stack)
	// Stopped is called when the connections have failed: the node works alone from then on.
	Stopped()
	// Friends returns the nodes that the node's router would like to meet again after a restart, the best first, by all
	// addresses of each. It is called in the loop.
	Friends() []string
}

// Config says how the node is a member. All but Join, Listen, NetworkKey, Delay and Observe is needed.
type Config struct {
	Key    ed25519.PrivateKey // the node's identity
	IDWork int                // bits of work that IDs of the network have, Key's too
	Codec  *engine.Codec      // of all that runs on the connections
	Agent  string             // the program's name and version

	Join       []string // addresses to join by, each as CheckJoin lets it pass; at most view.MaxJoins
	Listen     []string // multiaddrs to listen at, each as CheckListen lets it pass; empty: at Port
	Port       int      // to listen at, or beside it if another program has it; 0: any that is free
	NetworkKey []byte   // of a private network; nil: the open one
	MDNS       bool     // look for nodes on the local network, and be found there
	Relay      bool     // let nodes that cannot be reached directly be reached through this one, many of them
	NoRelay    bool     // let none
	MapPorts   bool     // ask the router to forward the ports

	Descriptors int // of the system, that connections may use at most

	Delay   func(to engine.ID) time.Duration // as live.Config.Delay
	Observe func(event any)                  // as live.Config.Observe
	OnRTT   func(time.Duration)              // as live.Config.OnRTT

	// Changed rings when Network differs, and may be rung by others for what they add to that.
	Changed *broadcast.Broadcast

	Settings *db.DB
	Log      *slog.Logger
}

// DefaultPort is the port at which nodes listen unless another is configured.
const DefaultPort = 7601

const (
	// aloneAfter is how long a node tries in vain before it opens a ring of its own.
	aloneAfter = 20 * time.Second
	// rememberAfter is how long after a change what is known of the network is saved. Changes in the meantime are saved
	// with it.
	rememberAfter = 2 * time.Second
	// tablePeriod is how often a row of contacts is exchanged. A node at rest must send little, and connections find
	// the dead among contacts by themselves.
	tablePeriod = 3 * time.Minute
	// saveWithin is how long saving it may last when the node stops; a loaded disk needs seconds.
	saveWithin = 30 * time.Second
)

// Member is the node among others: started, remembered, stopped. Its methods are safe for concurrent use.
type Member struct {
	host   Host
	config Config
	log    *slog.Logger

	connections *live.Host
	ring        *pastry.Node  // touched in the loop alone
	forward     *forward.Node // as ring
	bootstrap   *bootstrap
	duplicates  duplicateKeys

	stop  context.CancelFunc
	ended chan struct{} // closed when the connections have ended

	mu     sync.Mutex
	memory memory
	saved  string // of memory, as it stands in the store
}

// New returns a member that knows what an earlier run has saved. It starts nothing.
func New(ctx context.Context, host Host, c Config) (*Member, error) {
	m := &Member{host: host, config: c, log: c.Log}
	text, err := c.Settings.Setting(ctx, setting)
	if err != nil {
		return nil, err
	}
	if err := m.recall(text); err != nil {
		c.Log.Warn("what was known of the network is lost; give the addresses to join by again", "error", err)
	}
	m.bootstrap = newBootstrap(m.connect, m.IsAlone, c.Changed.Ring, c.Log)
	if err := m.addSeeds(); err != nil {
		return nil, err
	}
	return m, nil
}

// Start opens the connections, and returns when the node listens and its protocols run. After an error nothing runs.
func (m *Member) Start(ctx context.Context) error { return m.listen(ctx) }

// open starts connections, at a port if the configuration says no addresses, and returns when
// they are listened for.
func (m *Member) open(ctx context.Context, port int) (err error) {
	c := live.Default()
	c.Key, c.IDWork, c.Codec, c.Agent = m.config.Key, m.config.IDWork, m.config.Codec, m.config.Agent
	c.Listen, c.Port, c.NetworkKey = m.config.Listen, port, m.config.NetworkKey
	c.MDNS, c.Relay, c.NoRelay, c.PortMapping = m.config.MDNS, m.config.Relay, m.config.NoRelay, m.config.MapPorts
	c.Limits.Resources.FileDescriptors = min(c.Limits.Resources.FileDescriptors, m.config.Descriptors)
	c.Delay, c.Logger, c.Observe = m.config.Delay, m.log, m.config.Observe
	c.OnPeers, c.OnRTT, c.OnDuplicateKey = m.config.Changed.Ring, m.config.OnRTT, m.foundDuplicateKey
	if m.connections, err = live.New(c); err != nil {
		return err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	failed, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		failed <- m.connections.Run(life, m.startForwarding)
	}()
	select {
	case err := <-failed:
		stop()
		return err
	case <-ctx.Done():
		stop()
		<-ended
		return ctx.Err()
	case <-m.connections.Ready():
		m.stop, m.ended = stop, ended
		return nil
	}
}

// startForwarding puts what forwards between the connections and the protocols; it is called in the loop.
func (m *Member) startForwarding(env engine.Env) engine.Protocol {
	m.forward = forward.New(env, m.connections.Keys(), m.config.Codec, forward.Default())
	m.forward.Serve(m.start(m.forward))
	return m.forward
}

// start makes the protocols.
func (m *Member) start(env engine.Env) engine.Protocol {
	c := pastry.Default()
	c.TablePeriod = tablePeriod
	m.ring = pastry.New(env, c)
	m.ring.OnNeighbours(m.config.Changed.Ring)
	m.ring.OnDuplicateKey(m.foundDuplicateID)
	m.ring.OnJoined(func(nodes int) {
		if nodes > 1 {
			m.log.Info("joined the ring", "nodes", nodes)
		} else {
			m.log.Info("opened a ring; no other node is known yet")
		}
	})
	stack := engine.NewStack(env)
	stack.Add(engine.Pastry, m.ring)
	m.host.Start(env, m.connections, m.ring, stack)
	return stack
}

// Run keeps the node among others, and what it knows of them saved, until ctx ends.
func (m *Member) Run(ctx context.Context) {
	var parts sync.WaitGroup
	parts.Go(func() { m.bootstrap.run(ctx) })
	parts.Go(func() { m.runMDNS(ctx) })
	parts.Go(func() { m.maybeOpenRing(ctx) })
	parts.Go(func() { m.joinByAny(ctx) })
	defer parts.Wait()
	for {
		changed := m.NetworkChanged() // before the state is read
		m.remember(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(rememberAfter):
		}
		select {
		case <-ctx.Done():
			return
		case <-m.ended:
			m.log.Error("the network stopped; the node works alone")
			m.host.Stopped()
			return
		case <-changed:
		}
	}
}

// Close saves what the next run is to know, and ends the connections, with farewells. It may be called again.
func (m *Member) Close() {
	saving, cancel := context.WithTimeout(context.Background(), saveWithin)
	defer cancel()
	m.remember(saving)
	m.stop()
	<-m.ended
}

// NetworkChanged returns a channel that is closed when Network next differs. Changes of round trips and traffic do not
// count, nor does a node with the same key that counts as gone.
func (m *Member) NetworkChanged() <-chan struct{} { return m.config.Changed.Wait() }

// maybeOpenRing opens a ring of the node's own if there is no node to join by, or none answers. Before that, it could
// let no other node in. Rings that find each other later merge.
func (m *Member) maybeOpenRing(ctx context.Context) {
	if m.awaitOthers(ctx); ctx.Err() != nil {
		return
	}
	m.do(ctx, func() {
		if !m.ring.Active() {
			m.ring.Create()
		}
	})
}

// awaitOthers waits up to aloneAfter for the nodes to join by to let it in.
func (m *Member) awaitOthers(ctx context.Context) {
	patience := time.After(aloneAfter)
	for {
		changed := m.NetworkChanged() // before the check
		if m.bootstrap.inVain() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-patience:
			return
		case <-changed:
		}
	}
}

// do runs f in the loop; where the connections have ended it runs nothing.
func (m *Member) do(ctx context.Context, f func()) {
	if err := m.connections.Do(ctx, f); err != nil && ctx.Err() == nil {
		m.log.Debug("the network did not answer", "error", err)
	}
}

// connect joins by an address that was given by a person, remembered, or seen.
func (m *Member) connect(ctx context.Context, address string) error {
	peer, err := m.connections.Connect(ctx, address)
	if errors.Is(err, live.ErrMyself) {
		return errMyself
	}
	if err != nil {
		return err
	}
	return m.connections.Do(ctx, func() { m.ring.Join(peer) })
}

// IsAlone reports whether no other node is known; not if ctx ends first.
func (m *Member) IsAlone(ctx context.Context) bool {
	alone := false
	m.do(ctx, func() { alone = len(m.ring.Known()) == 0 })
	return alone
}

// AddJoin keeps an address to join by, and has it tried at once. One that cannot be an address, or is the node's own,
// is [tidings.ErrInvalid].
func (m *Member) AddJoin(ctx context.Context, address string) error {
	if err := CheckJoin(address); err != nil {
		return err
	}
	if peer, err := live.ParseAddress(address); err != nil {
		return tidings.Invalidf("%v", err)
	} else if peer.ID == m.connections.Self().ID {
		return tidings.Invalidf("%v", errMyself)
	}
	if err := m.bootstrap.add(address, true, false); err != nil {
		return err
	}
	m.remember(ctx)
	m.config.Changed.Ring()
	return nil
}

// RemoveJoin forgets an address to join by; [tidings.ErrNotFound] if there is none. Connections stay.
func (m *Member) RemoveJoin(ctx context.Context, address string) error {
	if err := m.bootstrap.remove(address); err != nil {
		return err
	}
	m.remember(ctx)
	m.config.Changed.Ring()
	return nil
}

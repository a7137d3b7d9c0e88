package node

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	router "tidings/network"
	"tidings/network/archive"
	"tidings/network/astrolabe"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/live"
	"tidings/network/newswire"
	"tidings/network/pastry"
	"tidings/network/pieces"
	"tidings/network/rappel"
	"tidings/network/scribe"
	"tidings/network/spidercast"
	"tidings/network/vivaldi"
	"tidings/network/volunteer"
	"tidings/node/broadcast"
	"tidings/node/coop"
	"tidings/node/files"
	"tidings/node/history"
)

// Codec returns the codec of all that nodes say to each other.
func Codec() *engine.Codec {
	return engine.NewCodec(engine.TransportVocabulary, live.Vocabulary, pastry.Vocabulary, vivaldi.Vocabulary, corona.Vocabulary,
		scribe.Vocabulary, feedtree.Vocabulary, archive.Vocabulary, volunteer.Vocabulary, pieces.Vocabulary, rappel.Vocabulary, spidercast.Vocabulary,
		astrolabe.Vocabulary, newswire.Vocabulary)
}

// network is the node's part among other nodes: the transport, the protocols that run on
// it, and the ways by which it joins.
type network struct {
	host       *live.Host
	ring       *pastry.Node // touched in the host's loop only
	node       *Node
	coop       *coop.Coop
	pushes     *pushes
	archive    *history.Archive
	files      *files.Files
	joins      *joins
	env        engine.Env // touched in the host's loop only, as are the routers
	rappel     *rappel.Node
	scribe     *scribe.Node
	spider     *spidercast.Node
	zoned      *zoned
	zoneMember *zoneMember // what people have told of the node's zone
	friends    friendsMemory
	clones     clones
	changed    *broadcast.Broadcast
	measured   func(time.Duration) // is told of every round trip that the transport measures
	trace      func(event any)     // Config.Trace
	log        *slog.Logger
}

// aloneAfter is how long a node tries in vain before it opens a ring of its own.
const aloneAfter = 20 * time.Second

// newNetwork makes a host that listens where c says, and else at the given port; it starts
// nothing.
func newNetwork(c Config, key ed25519.PrivateKey, port int, measured func(time.Duration)) (*network, error) {
	n := &network{changed: broadcast.New(), measured: measured, trace: c.Trace, log: c.Logger}
	config := live.Default()
	config.Key, config.Listen, config.Port, config.Codec = key, c.Listen, port, Codec()
	config.MDNS, config.Relay = !c.NoMDNS, c.Relay
	config.Limits.Resources.FileDescriptors = min(config.Limits.Resources.FileDescriptors, c.descriptors().network)
	config.Agent, config.Delay = "tidings "+Version, c.Delay
	config.Logger, config.Observe = c.Logger, n.observe
	if c.NetworkKeyFile != "" {
		psk, err := readNetworkKey(c.NetworkKeyFile)
		if err != nil {
			return nil, err
		}
		config.NetworkKey = psk
	}
	var err error
	if n.host, err = live.New(config); err != nil {
		return nil, err
	}
	n.joins = newJoins(n.connect, n.isAlone, n.changed.Ring, c.Logger)
	return n, nil
}

// start makes the protocols; it is called in the host's loop.
func (n *network) start(env engine.Env) engine.Protocol {
	n.env = env
	n.ring = pastry.New(env, pastry.Default())
	n.ring.OnNeighbours(n.changed.Ring)
	stack := engine.NewStack(env)
	stack.Add(engine.Pastry, n.ring)
	coordinates := vivaldi.New(env, vivaldi.Default(), vicinity{n.ring})
	stack.Add(engine.Vivaldi, coordinates)
	updates, turns := n.coop.Start(env, n.ring)
	updates.Listen(agreeing{n.coop.Listener(), n})
	stack.Add(engine.Corona, updates)
	n.rappel = rappel.New(env, rappel.Default(), rappel.Seams{
		Member: updates.TreeMember(), Directory: updates, Coordinates: coordinates, Keys: n.host.Keys(), Memory: &n.friends,
	})
	updates.Use(router.Rappel, n.rappel)
	updates.OnRoot(n.rappel.RootChanged)
	stack.Add(engine.Rappel, n.rappel)
	n.spider = spidercast.New(env, spidercast.Default(), spidercast.Seams{Member: updates.TreeMember(), Coordinates: coordinates})
	updates.Use(router.SpiderCast, &introduced{Node: n.spider, ring: n.ring})
	stack.Add(engine.SpiderCast, n.spider)
	n.zoned = newZoned(env, n.ring, n.zoneMember, n.host.Keys(), coordinates, newsMember{TreeMember: updates.TreeMember(), node: n.node})
	updates.Use(router.NewsWire, n.zoned)
	n.zoned.addTo(stack)
	n.archive.Start(env, n.ring, stack)
	n.scribe = n.pushes.start(env, n.ring, stack, updates, turns)
	n.files.Start(env, n.ring, stack)
	return stack
}

// vicinity is whom coordinates are measured against.
type vicinity struct{ ring *pastry.Node }

func (v vicinity) Peers() []engine.Peer { return v.ring.Known() }

// run keeps the node among others until ctx ends. It opens a ring of its own where there is
// nobody to join by, or nobody answers: before that, it could let nobody else in. Rings that
// find each other later merge.
func (n *network) run(ctx context.Context) {
	var parts sync.WaitGroup
	parts.Go(func() { n.joins.run(ctx) })
	parts.Go(func() { n.meet(ctx) })
	defer parts.Wait()
	if n.awaitOthers(ctx); ctx.Err() != nil {
		return
	}
	n.do(ctx, func() {
		if !n.ring.Active() {
			n.ring.Create()
		}
	})
}

// awaitOthers gives those whom the node is to join by some time to let it in.
func (n *network) awaitOthers(ctx context.Context) {
	patience := time.After(aloneAfter)
	for {
		changed := n.changed.Wait() // before the check
		if n.joins.inVain() {
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

// do runs f in the host's loop; a host that has stopped runs nothing.
func (n *network) do(ctx context.Context, f func()) {
	if err := n.host.Do(ctx, f); err != nil && ctx.Err() == nil {
		n.log.Debug("the network did not answer", "error", err)
	}
}

// connect joins by an address that was given by a person, remembered, or seen.
func (n *network) connect(ctx context.Context, address string) error {
	peer, err := n.host.Connect(ctx, address)
	if errors.Is(err, live.ErrMyself) {
		return errMyself
	}
	if err != nil {
		return err
	}
	return n.host.Do(ctx, func() { n.ring.Join(peer) })
}

// isAlone reports whether no other node is known; not if ctx ends first.
func (n *network) isAlone(ctx context.Context) bool {
	alone := false
	n.do(ctx, func() { alone = len(n.ring.Known()) == 0 })
	return alone
}

// agreeing has the network follow what its nodes agree on.
type agreeing struct {
	corona.Listener
	network *network
}

// Agreed implements corona.Listener.
func (a agreeing) Agreed(e corona.Agreed) {
	a.Listener.Agreed(e)
	a.network.zoned.agreed(e.Params.Router == router.NewsWire)
	a.network.changed.Ring()
}

// Disagreed implements corona.Listener.
func (a agreeing) Disagreed(e corona.Disagreed) {
	a.Listener.Disagreed(e)
	a.network.changed.Ring()
}

// observe hears of everything that the protocols and the transport trace, in the loop.
func (n *network) observe(event any) {
	if n.trace != nil {
		n.trace(event)
	}
	if n.log.Enabled(context.Background(), slog.LevelDebug) {
		n.log.Debug("network", "event", fmt.Sprintf("%T%+v", event, event))
	}
	switch e := event.(type) {
	case live.Connected, live.Disconnected, live.Moved, live.Reached:
		n.changed.Ring()
	case astrolabe.NotAdmitted:
		n.log.Warn("other nodes do not let this one into their zones", "why", e.Why.String(), "said by", e.By.ID.Short())
		n.changed.Ring()
	case astrolabe.Placed:
		n.changed.Ring()
	case live.Measured:
		n.measured(e.RTT)
	case live.Cloned:
		n.noteClone(e.ID, e.Own, "")
	case pastry.Cloned:
		n.noteClone(e.ID, e.Myself, n.elsewhere(e))
	case pastry.Joined:
		if n.zoned.asked {
			n.env.After(0, n.zoned.begin) // now that there are nodes to ask
		}
		if nodes := n.ring.Nodes(); nodes > 1 {
			n.log.Info("joined the ring", "nodes", nodes)
		} else {
			n.log.Info("opened a ring; no other node is known yet")
		}
	}
}

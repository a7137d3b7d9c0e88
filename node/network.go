package node

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/network/vivaldi"
)

// Codec returns the codec of all that nodes say to each other.
func Codec() *engine.Codec {
	return engine.NewCodec(engine.TransportMessages, live.Messages, pastry.Vocabulary, vivaldi.Vocabulary)
}

// network is the node's part among other nodes: the transport, the protocols that run on
// it, and the ways by which it joins.
type network struct {
	host    *live.Host
	ring    *pastry.Node     // touched in the host's loop only
	nearby  *vivaldi.Vivaldi // touched in the host's loop only
	joins   *joins
	changed *wake
	log     *slog.Logger

	// measured is told of every round trip that the transport measures.
	measured func(time.Duration)

	mu     sync.Mutex
	cloned bool   // another node has this one's key
	twin   string // where it was met, if that is known
	met    map[engine.ID]time.Time
	twins  map[engine.ID]bool // others' clones that were warned of
}

const (
	aloneAfter = 20 * time.Second // of trying in vain a node opens a ring of its own
	metAgain   = 10 * time.Minute // between attempts to join by one node that was seen on the local network
	meetWithin = 5 * time.Second  // such an attempt; others wait for it
	maxMet     = 256
)

// newNetwork makes a host that listens where c says, and else at the given port; it starts
// nothing.
func newNetwork(c Config, key ed25519.PrivateKey, port int, measured func(time.Duration)) (*network, error) {
	log := c.Logger
	n := &network{changed: newWake(), log: log, measured: measured, met: make(map[engine.ID]time.Time), twins: make(map[engine.ID]bool)}
	config := live.Default()
	config.Key, config.Listen, config.Port, config.Codec = key, c.Listen, port, Codec()
	config.MDNS, config.Relay = !c.NoMDNS, c.Relay
	config.Agent = "tidings " + Version
	config.Logger, config.Observe = log, n.observe
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
	n.joins = newJoins(n.connect, n.isAlone, n.changed.ring, log)
	return n, nil
}

// start makes the protocols; it is called in the host's loop.
func (n *network) start(env engine.Env) engine.Protocol {
	n.ring = pastry.New(env, pastry.Default())
	n.nearby = vivaldi.New(env, vivaldi.Default(), vicinity{n.ring})
	n.ring.OnNeighbours(n.changed.ring)
	stack := engine.NewStack(env)
	stack.Add(engine.Pastry, n.ring)
	stack.Add(engine.Vivaldi, n.nearby)
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
		changed := n.changed.wait() // before the look
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

// connect joins by an address that a person gave.
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

// meet joins by the nodes that are seen on the local network, until ctx ends. They are
// connected to first, one after the other: anybody there can name any number of nodes that do
// not exist, and the ring asks a few seeds at most.
func (n *network) meet(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case peer := <-n.host.Found():
			if n.isNew(peer, time.Now()) {
				n.try(ctx, peer)
			}
		}
	}
}

// try joins by a node that was seen, if it is there.
func (n *network) try(ctx context.Context, peer engine.Peer) {
	bounded, cancel := context.WithTimeout(ctx, meetWithin)
	defer cancel()
	if err := n.connect(bounded, strings.Join(live.FormatAddresses(peer), ",")); err != nil && ctx.Err() == nil {
		n.log.Debug("a node that was seen on the local network cannot be reached", "node", peer.ID.Short(), "error", err)
	}
}

// isNew tells whether joining by a peer that was seen was not tried lately.
func (n *network) isNew(peer engine.Peer, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now.Sub(n.met[peer.ID]) < metAgain {
		return false
	}
	if len(n.met) >= maxMet {
		clear(n.met)
	}
	n.met[peer.ID] = now
	return true
}

func (n *network) isAlone() bool {
	alone := false
	n.do(context.Background(), func() { alone = len(n.ring.Known()) == 0 })
	return alone
}

// observe hears of everything that the protocols and the transport trace, in the loop.
func (n *network) observe(event any) {
	if n.log.Enabled(context.Background(), slog.LevelDebug) {
		n.log.Debug("network", "event", fmt.Sprintf("%T%+v", event, event))
	}
	switch e := event.(type) {
	case live.Connected, live.Disconnected, live.Moved, live.Reached:
		n.changed.ring()
	case live.Measured:
		n.measured(e.RTT)
	case live.Cloned:
		n.noteClone(e.ID, e.Own, "")
	case pastry.Cloned:
		n.noteClone(e.ID, e.Myself, n.elsewhere(e))
	case pastry.Joined:
		if nodes := n.ring.Nodes(); nodes > 1 {
			n.log.Info("joined the ring", "nodes", nodes)
		} else {
			n.log.Info("opened a ring; no other node is known yet")
		}
	}
}

// noteClone takes note that one key runs on two machines: where is that of the other, if
// the key is this node's own and the place is known.
func (n *network) noteClone(id engine.ID, own bool, where string) {
	if !own {
		if n.isNewTwin(id) {
			n.log.Warn("two nodes have one key", "node", id.Short())
		}
		return
	}
	n.mu.Lock()
	known := n.cloned
	n.cloned = true
	if where != "" {
		n.twin = where
	}
	n.mu.Unlock()
	if !known {
		n.log.Error("another running node has this node's key; see: tidings doctor", "at", where)
	}
	n.changed.ring()
}

// isNewTwin tells whether it was not said before that others have one key; it is said once.
func (n *network) isNewTwin(id engine.ID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.twins[id] {
		return false
	}
	if len(n.twins) >= maxMet {
		clear(n.twins)
	}
	n.twins[id] = true
	return true
}

// elsewhere returns which of a clone's two addresses is not this node's.
func (n *network) elsewhere(e pastry.Cloned) string {
	other := engine.Peer{ID: e.ID, Address: e.Other}
	if other == n.host.Self() {
		other.Address = e.One
	}
	return live.FormatAddress(other)
}

// NetworkChanged returns a channel that is closed when Network next differs.
func (n *network) NetworkChanged() <-chan struct{} { return n.changed.wait() }

// Network tells how the node stands among the others.
func (n *network) Network(ctx context.Context) (tidings.Network, error) {
	self := n.host.Self()
	view := tidings.Network{
		ID: self.ID.String(), Position: position(self.ID), Addresses: n.host.Addresses(),
		Joins: n.joins.shown(), Reachable: tidings.Reach(n.host.Reachability()),
	}
	peers, err := n.Peers(ctx)
	if err != nil {
		return view, err
	}
	view.Neighbours = neighbours(peers, view.Position)
	nodes := 0
	if err := n.host.Do(ctx, func() { nodes = n.ring.Nodes() }); err != nil {
		return view, fmt.Errorf("asking the network: %w", err)
	}
	view.Nodes = nodes
	view.Traffic = n.traffic()
	view.Clock = n.clock()
	n.mu.Lock()
	defer n.mu.Unlock()
	view.Cloned, view.ClonedAt = n.cloned, n.twin
	return view, nil
}

// clock compares this machine's clock with those of the connected peers.
func (n *network) clock() tidings.Clock {
	var ahead []time.Duration
	for _, p := range n.host.Peers() {
		if p.Clock != nil {
			ahead = append(ahead, *p.Clock)
		}
	}
	return clockOf(ahead)
}

func (n *network) traffic() []tidings.Traffic {
	traffic := []tidings.Traffic{}
	for _, t := range n.host.Traffic() {
		traffic = append(traffic, tidings.Traffic{
			Kind: t.Name, Sent: t.Sent, SentBytes: t.SentBytes,
			Received: t.Received, ReceivedBytes: t.ReceivedBytes, Dropped: t.Dropped, Refused: t.Refused,
		})
	}
	return traffic
}

// Peers lists every live node that this one knows, neighbours first, then by ID.
func (n *network) Peers(ctx context.Context) ([]tidings.Peer, error) {
	connected := make(map[engine.ID]live.PeerInfo)
	for _, p := range n.host.Peers() {
		connected[p.Peer.ID] = p
	}
	list := []tidings.Peer{}
	err := n.host.Do(ctx, func() {
		below, above := n.ring.LeafSet()
		next := make(map[engine.ID]bool)
		for _, p := range slices.Concat(below, above) {
			next[p.ID] = true
		}
		for _, p := range n.ring.Known() {
			rtt, _ := n.ring.RTT(p.ID)
			link, open := connected[p.ID]
			if link.RTT > 0 {
				rtt = link.RTT
			}
			delete(connected, p.ID)
			list = append(list, peerOf(p, rtt, next[p.ID], open))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("asking the network: %w", err)
	}
	for _, p := range connected {
		list = append(list, peerOf(p.Peer, p.RTT, false, true))
	}
	slices.SortFunc(list, func(a, b tidings.Peer) int {
		if a.Neighbour != b.Neighbour {
			if a.Neighbour {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return list, nil
}

func peerOf(p engine.Peer, rtt time.Duration, neighbour, connected bool) tidings.Peer {
	return tidings.Peer{
		ID: p.ID.String(), Address: live.FormatAddress(p), Position: position(p.ID),
		RTT: float64(rtt) / float64(time.Millisecond), Neighbour: neighbour, Connected: connected,
	}
}

// neighbours returns those of peers that are, in the ring's order around a position: from
// the farthest below to the farthest above.
func neighbours(peers []tidings.Peer, around float64) []tidings.Peer {
	near := []tidings.Peer{}
	for _, p := range peers {
		if p.Neighbour {
			near = append(near, p)
		}
	}
	// The place of the one that is farthest away is halfway round the ring.
	turned := func(p tidings.Peer) float64 {
		d := p.Position - around
		if d < -0.5 {
			d++
		} else if d >= 0.5 {
			d--
		}
		return d
	}
	slices.SortFunc(near, func(a, b tidings.Peer) int { return cmp.Compare(turned(a), turned(b)) })
	return near
}

// position returns where an ID lies on the ring, from 0 up to 1.
func position(id engine.ID) float64 {
	p := 0.0
	for i := 6; i >= 0; i-- { // 56 bits are more than a float holds
		p = (p + float64(id[i])) / 256
	}
	return p
}

package archive

import (
	"time"

	"tidings/network/engine"
)

// Node is one node's part in the archive: an engine.Protocol, and the application of the archive's messages
// on the ring.
type Node struct {
	env      engine.Env
	config   Config
	ring     Ring
	verifier Verifier
	onLied   func(Lied) // never nil

	standing  standing
	stock     stock
	inquiries inquiries
	lookups   lookups
	inserts   inserts
	offers    offers
	pull      pull
	acks      acks
	serving   serving
	replicas  replicas
	surplus   surplus
	penalties penalties
}

var _ engine.Protocol = (*Node)(nil)

// New returns a node that works as soon as ring is active and it has read what is in the store. Nothing is to be
// delivered to the node before. It panics if c is not valid.
func New(env engine.Env, ring Ring, verifier Verifier, store Store, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{
		env: env, config: c, ring: ring, verifier: verifier, onLied: func(Lied) {},
	}
	n.standing = standing{env: env, ring: ring, k: c.Replicas, moved: n.moved}
	n.stock = stock{env: env, config: &n.config, store: store, node: n, held: newIndex()}
	n.inquiries = inquiries{env: env, config: &n.config, ring: ring, node: n, open: make(map[Name][]*inquiry)}
	n.lookups = lookups{env: env, config: &n.config, node: n, open: make(map[Name]*lookup)}
	n.inserts = inserts{env: env, config: &n.config, node: n, open: make(map[Name]*insert)}
	n.pull = pull{env: env, config: &n.config, node: n, wanted: make(map[Name]*want)}
	n.acks = acks{env: env, owed: make(map[Name][]pendingAck)}
	n.offers = offers{env: env}
	n.replicas = replicas{env: env, config: &n.config, node: n}
	n.surplus = surplus{env: env, config: &n.config, node: n}
	n.serving = serving{env: env, config: &n.config, node: n, bucket: engine.NewBucket(c.ServeRate, c.ServeBurst)}
	ring.OnNeighbours(n.standing.changed)
	n.standing.changed()
	n.stock.load(nil, n.standing.changed)
	return n
}

// Use has items read from a local source that would be fetched from others. It is called once, before any message
// comes.
func (n *Node) Use(s LocalSource) { n.stock.source = s }

// OnLied calls f with peers that have sent bytes that are not genuine. f is called in the loop and must not call back.
// It is called once, before any message comes.
func (n *Node) OnLied(f func(Lied)) { n.onLied = f }

// Receive handles a message from a peer.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Find:
		n.inquiries.onFind(m)
	case *Where:
		n.inquiries.onWhere(from, m)
	case *Fetch:
		n.onFetch(from, m)
	case *Item:
		n.onItem(from, m)
	case *Fetched:
		n.onFetched(from, m)
	case *Give:
		n.onGive(from, m)
	case *Taken:
		n.inserts.onTaken(from, m)
	case *Offer:
		n.onOffer(from, m)
	case *Offered:
		n.offers.onOffered(from, m)
	case *Compare:
		n.onCompare(from, m)
	case *Equal:
		n.replicas.onEqual(from)
	case *Have:
		n.onHave(from, m)
	}
}

// Deliver handles a message that was routed to a key which this node is closest to.
func (n *Node) Deliver(_ engine.ID, _ engine.Peer, m engine.Message, _ int) {
	if m, ok := m.(*Find); ok {
		n.inquiries.answer(m, true)
	}
}

// Forward is called for a message on its way: a Find ends at a node that knows the answer.
func (n *Node) Forward(_ engine.ID, m engine.Message, _ engine.Peer) (goOn bool) {
	if m, ok := m.(*Find); ok {
		return isSelf(n.env, m.Asker) || !n.inquiries.answer(m, false)
	}
	return true
}

// PeerDown has what was asked of a peer asked of another.
func (n *Node) PeerDown(p engine.Peer) {
	n.lookups.down(p)
	n.inserts.down(p)
	n.pull.down(p)
}

// Stop does nothing: the other owners have what this node has.
func (n *Node) Stop() {}

// owners returns the owners of a key, closest first, if this node knows them for sure.
func (n *Node) owners(key engine.ID) ([]engine.Peer, bool) { return n.standing.owners(key) }

func isSelf(env engine.Env, p engine.Peer) bool { return p.ID == env.Self().ID }

func limitHit(env engine.Env, what string, limit int) { env.Trace(LimitHit{what, limit}) }

// jitter returns d, more or less.
func jitter(env engine.Env, d time.Duration) time.Duration {
	return d - d/8 + time.Duration(env.Rand().Int64N(int64(d/4)+1))
}

package pieces

import (
	"slices"

	"tidings/network/engine"
)

// Node is one node's part: an engine.Protocol.
type Node struct {
	env    engine.Env
	config Config
	ring   Ring // nil: fetches know the sources that they are given, and no lender is announced
	store  BlockStore

	onCame func(Came) // never nil, as onLied
	onLied func(Lied)

	fetches []*fetch // in the order of beginning
	bucket  engine.Bucket
	serving int // reads under way

	lending lending
	known   known
}

var _ engine.Protocol = (*Node)(nil)

// New returns a node that serves what is in the store. Without a ring it knows of no other sources than those
// that Fetch is given. It panics if c is not valid.
func New(env engine.Env, ring Ring, store BlockStore, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &Node{
		env: env, config: c, ring: ring, store: store, bucket: engine.NewBucket(c.ServeRate, c.ServeBurst),
		lending: lending{index: make(map[Ref]*lent)}, known: newKnown(),
		onCame: func(Came) {}, onLied: func(Lied) {},
	}
}

// OnCame has f called with each piece that has come, and OnLied of each source that has sent something else than it was
// asked for. f is called in the loop and calls nothing back. They are called once, before any message comes.
func (n *Node) OnCame(f func(Came)) { n.onCame = f }

// OnLied is described with OnCame.
func (n *Node) OnLied(f func(Lied)) { n.onLied = f }

// Receive handles a message from a peer.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Open:
		n.open(from, m)
	case *Holding:
		n.holding(from, m)
	case *Ask:
		n.serve(from, m)
	case *Piece:
		n.piece(from, m)
	case *Sorry:
		n.sorry(from, m)
	case *Seek:
		n.start(m)
	case *Owners:
		n.owners(m)
	case *Announce:
		n.lenderSays(from, m)
	case *Providers:
		n.lenders(from, m)
	}
}

// PeerDown has what was asked of a peer asked of others.
func (n *Node) PeerDown(p engine.Peer) {
	for _, f := range slices.Clone(n.fetches) {
		if s := f.source(p.ID); s != nil {
			n.down(f, s)
		}
	}
}

// Stop does nothing: what was fetched is in the store.
func (n *Node) Stop() {}

func (n *Node) limitHit(what string, limit int) { n.env.Trace(LimitHit{what, limit}) }

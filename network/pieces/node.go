package pieces

import (
	"slices"

	"tidings/network/engine"
)

// Node is one node's part: an engine.Protocol.
type Node struct {
	env    engine.Env
	config Config
	ring   Ring // nil: fetches know the sources that they are given, and nobody is told who lends
	shelf  Shelf

	fetches []*fetch // in the order of beginning
	bucket  engine.Bucket
	serving int // reads under way

	lending lending
	known   known
}

var _ engine.Protocol = (*Node)(nil)

// New returns a node that serves what is on the shelf. Without a ring it knows of no other sources than those
// that Fetch is given. It panics if c is not valid.
func New(env engine.Env, ring Ring, shelf Shelf, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &Node{
		env: env, config: c, ring: ring, shelf: shelf, bucket: engine.NewBucket(c.ServeRate, c.ServeBurst),
		lending: lending{index: make(map[Ref]*lent)}, known: newKnown(),
	}
}

// Receive takes a message from a peer.
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
	case *Lend:
		n.lenderSays(from, m)
	case *Lenders:
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

// Stop does nothing: what was fetched is on the shelf.
func (n *Node) Stop() {}

func (n *Node) limitHit(what string, limit int) { n.env.Trace(LimitHit{what, limit}) }

package pieces

import (
	"slices"

	"tidings/network/engine"
)

// Node is one node's part: an engine.Protocol.
type Node struct {
	env    engine.Env
	config Config
	shelf  Shelf

	fetches []*fetch // in the order of beginning
	bucket  engine.Bucket
	serving int // reads under way
}

var _ engine.Protocol = (*Node)(nil)

// New returns a node that serves what is on the shelf. It panics if c is not valid.
func New(env engine.Env, shelf Shelf, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &Node{env: env, config: c, shelf: shelf, bucket: engine.NewBucket(c.ServeRate, c.ServeBurst)}
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

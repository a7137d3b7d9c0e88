package pieces

import "tidings/network/engine"

// open says what is in the store of a content.
func (n *Node) open(from engine.Peer, m *Open) {
	answer := &Holding{Ref: m.Ref}
	if !n.mayServe(len(m.Ref)) {
		answer.Busy = true
		n.env.Send(from, answer)
		return
	}
	n.store.Open(m.Ref, func(manifest []byte, bits Bits) {
		n.serving--
		answer.Bits = bits
		if m.Manifest {
			answer.Manifest = manifest
			n.bucket.Take(len(manifest), n.env.Now())
		}
		n.env.Send(from, answer)
	})
}

// serve sends a piece.
func (n *Node) serve(from engine.Peer, m *Ask) {
	sorry := &Sorry{Ref: m.Ref, Index: m.Index}
	if m.Index >= MaxPieces {
		n.env.Send(from, sorry)
		return
	}
	if !n.mayServe(0) {
		sorry.Busy = true
		n.env.Send(from, sorry)
		return
	}
	n.store.Get(m.Ref, int(m.Index), func(piece []byte) {
		n.serving--
		if piece == nil {
			n.env.Send(from, sorry)
			return
		}
		if !n.bucket.Take(len(piece), n.env.Now()) { // others were faster
			sorry.Busy = true
			n.env.Send(from, sorry)
			return
		}
		n.env.Send(from, &Piece{Ref: m.Ref, Index: m.Index, Bytes: piece})
	})
}

// mayServe reports whether there is time to read from the store for a node, and uses it.
func (n *Node) mayServe(bytes int) bool {
	switch {
	case n.serving >= n.config.MaxServing:
		n.limitHit("MaxServing", n.config.MaxServing)
		return false
	case !n.bucket.Take(bytes, n.env.Now()):
		n.limitHit("ServeRate", n.config.ServeRate)
		return false
	}
	n.serving++
	return true
}

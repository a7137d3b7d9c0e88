package pieces

import (
	"crypto/sha256"
	"slices"
	"time"

	"tidings/network/engine"
)

// holding learns what a source has.
func (n *Node) holding(from engine.Peer, m *Holding) {
	f := n.find(m.Ref)
	if f == nil {
		return
	}
	s := f.source(from.ID)
	if s == nil || s.dropped {
		return
	}
	s.peer, s.heard, s.down = from, true, false
	s.cleared()
	if m.Busy {
		return // it is asked again
	}
	s.opened, s.bits = true, slices.Clone(m.Bits)
	if f.manifest == nil && len(m.Manifest) > 0 {
		manifest, err := ParseManifest(m.Manifest)
		if hash := sha256.Sum256(m.Manifest); hash != f.ref || err != nil {
			n.lied(f, s, hash != f.ref)
			return
		}
		n.begin(f, manifest, nil)
		if f.ended {
			return
		}
		f.progress = n.env.Now()
		n.store.Begin(f.ref, m.Manifest, func(ok bool) {
			if !ok {
				n.end(f, ErrStore)
				return
			}
			f.begun = true
			n.goOn(f)
		})
	}
	n.goOn(f)
}

// lied drops a source that has sent something else than what it was asked for. proven says that it cannot have
// erred: what it has sent has another hash, or another length, than the content's name says.
func (n *Node) lied(f *fetch, s *source, proven bool) {
	s.dropped = true
	lied := Lied{f.ref, s.peer, proven}
	n.env.Trace(lied)
	n.onLied(lied)
	n.goOn(f)
}

// piece receives a piece.
func (n *Node) piece(from engine.Peer, m *Piece) {
	f := n.find(m.Ref)
	if f == nil || f.manifest == nil || int64(m.Index) >= int64(f.manifest.Count()) {
		return
	}
	s, index := f.source(from.ID), int(m.Index)
	if s == nil || s.dropped || !s.answered(index) || f.bits.Has(index) || f.busy.Has(index) {
		return
	}
	if len(m.Bytes) != f.manifest.SizeOf(index) {
		n.lied(f, s, true)
		return
	}
	f.busy.Set(index)
	var good bool
	ok := n.env.Work(func() {
		good = sha256.Sum256(m.Bytes) == f.manifest.Hashes[index]
	}, func() { n.verified(f, s, index, m.Bytes, good) })
	if !ok {
		n.limitHit("engine.MaxWork", engine.MaxWork)
		f.busy.clear(index)
	}
	n.goOn(f)
}

// verified keeps a piece.
func (n *Node) verified(f *fetch, s *source, index int, piece []byte, good bool) {
	switch {
	case f.ended:
		return
	case !good:
		f.busy.clear(index)
		n.lied(f, s, true)
		return
	}
	n.store.Put(f.ref, index, piece, func(ok bool) {
		if f.ended {
			return
		}
		f.busy.clear(index)
		if !ok {
			n.end(f, ErrStore)
			return
		}
		f.bits.Set(index)
		f.progress = n.env.Now()
		came := Came{f.ref, s.peer, f.bits.Count(), f.manifest.Count()}
		n.env.Trace(came)
		n.onCame(came)
		n.maybeLend(f)
		n.goOn(f)
	})
}

// sorry notes that a source does not send a piece.
func (n *Node) sorry(from engine.Peer, m *Sorry) {
	f := n.find(m.Ref)
	if f == nil {
		return
	}
	s := f.source(from.ID)
	if s == nil || s.dropped || !s.answered(int(m.Index)) {
		return
	}
	if m.Busy {
		s.rest = n.env.Now() + n.jitter(busyWait)
		n.goOn(f)
		return
	}
	if s.bits.Has(int(m.Index)) {
		s.bits.clear(int(m.Index))
		s.vain++
	}
	if s.vain > maxVain {
		n.lied(f, s, false)
		return
	}
	n.goOn(f)
}

// maxVain is how often a source may not have what it has said: it may have dropped a content just now.
const maxVain = 8

// busyWait is for how long a source that is busy is left in peace.
const busyWait = time.Second

// down notes that a source cannot be reached.
func (n *Node) down(f *fetch, s *source) {
	s.opened, s.bits, s.waiting, s.probes, s.down = false, nil, nil, 0, true
	s.next = n.env.Now() + n.jitter(n.config.Retry)
	n.goOn(f)
}

package pieces

import (
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"tidings/network/engine"
)

// Errors of Fetch.
var (
	ErrBusy    = errors.New("too many contents are being fetched, or this one is already")
	ErrNowhere = errors.New("nobody has given the content, or the rest of it")
	ErrTooLong = errors.New("the content is longer than what may be fetched")
	ErrShelf   = errors.New("the content could not be kept")
	ErrStopped = errors.New("the fetch was stopped")
)

// fetch is a content that is being fetched.
type fetch struct {
	ref      Ref
	done     func(error)
	sources  []*source
	manifest *Manifest
	begun    bool // the manifest is on the shelf
	bits     Bits // what is on the shelf
	busy     Bits // what is being verified and kept
	progress time.Duration
	timer    engine.Timer
	ended    bool
}

// Fetch fetches a content, or the rest of it, from some of the sources, as far as it is not on the shelf. done is told, after Fetch has
// returned, when all of it is there, or why not; what has come stays on the shelf.
func (n *Node) Fetch(ref Ref, sources []engine.Peer, done func(error)) {
	if len(n.fetches) >= n.config.MaxFetches || n.find(ref) != nil {
		n.limitHit("MaxFetches", n.config.MaxFetches)
		n.env.After(0, func() { done(ErrBusy) })
		return
	}
	f := &fetch{ref: ref, done: done, progress: n.env.Now()}
	n.fetches = append(n.fetches, f)
	n.addSources(f, sources)
	n.shelf.Open(ref, func(manifest []byte, bits Bits) {
		if f.ended {
			return
		}
		if m, err := ParseManifest(manifest); err == nil && sha256.Sum256(manifest) == ref {
			f.begun = true
			n.begin(f, m, bits)
		}
		n.goOn(f)
	})
}

// More names further sources for a content that is being fetched. It does nothing if none is.
func (n *Node) More(ref Ref, sources []engine.Peer) {
	if f := n.find(ref); f != nil {
		n.addSources(f, sources)
		n.goOn(f)
	}
}

// Cancel ends a fetch with ErrStopped.
func (n *Node) Cancel(ref Ref) {
	if f := n.find(ref); f != nil {
		n.env.After(0, func() { n.end(f, ErrStopped) })
	}
}

// Progress returns how many pieces of a content that is being fetched are on the shelf, of how many; 0 of 0 as
// long as that is not known.
func (n *Node) Progress(ref Ref) (have, of int) {
	f := n.find(ref)
	if f == nil || f.manifest == nil {
		return 0, 0
	}
	return f.bits.Count(), f.manifest.Count()
}

func (n *Node) find(ref Ref) *fetch {
	i := slices.IndexFunc(n.fetches, func(f *fetch) bool { return f.ref == ref })
	if i < 0 {
		return nil
	}
	return n.fetches[i]
}

func (f *fetch) source(id engine.ID) *source {
	i := slices.IndexFunc(f.sources, func(s *source) bool { return s.peer.ID == id })
	if i < 0 {
		return nil
	}
	return f.sources[i]
}

func (n *Node) addSources(f *fetch, sources []engine.Peer) {
	for _, p := range sources {
		if f.source(p.ID) != nil || p.ID == n.env.Self().ID {
			continue
		}
		if len(f.sources) >= n.config.MaxSources {
			n.limitHit("MaxSources", n.config.MaxSources)
			return
		}
		f.sources = append(f.sources, &source{peer: p})
	}
}

// begin takes the manifest, and what of it is on the shelf.
func (n *Node) begin(f *fetch, m *Manifest, bits Bits) {
	if m.Length > n.config.MaxLength {
		n.end(f, ErrTooLong)
		return
	}
	f.manifest, f.bits, f.busy = m, NewBits(m.Count()), NewBits(m.Count())
	for i := range m.Count() {
		if bits.Has(i) {
			f.bits.Set(i)
		}
	}
}

// end ends a fetch.
func (n *Node) end(f *fetch, err error) {
	if f.ended {
		return
	}
	f.ended = true
	f.timer.Stop()
	n.fetches = slices.DeleteFunc(n.fetches, func(g *fetch) bool { return g == f })
	n.env.Trace(Ended{f.ref, err})
	f.done(err)
}

// goOn does what can be done now, and comes back when something is due.
func (n *Node) goOn(f *fetch) {
	now := n.env.Now()
	switch {
	case f.ended:
		return
	case f.manifest != nil && f.bits.Count() == f.manifest.Count():
		n.end(f, nil)
		return
	case now >= f.progress+n.config.GiveUp, !slices.ContainsFunc(f.sources, func(s *source) bool { return !s.dropped }):
		n.end(f, ErrNowhere)
		return
	}
	n.probeLate(f)
	n.openSources(f)
	if f.begun {
		n.askForPieces(f)
	}
	f.timer.Stop()
	f.timer = n.env.After(tick, func() { n.goOn(f) })
}

// tick is how often a fetch looks who is late.
const tick = time.Second

// maxProbes is how often a source that is late may fail to answer what has become of it.
const maxProbes = 4

// probeLate asks sources that have kept a piece waiting whether they are there, and drops those that have not
// answered for long.
func (n *Node) probeLate(f *fetch) {
	now := n.env.Now()
	for _, s := range f.sources {
		if s.dropped || !s.late(now, n.config.Patience) || s.probes > 0 && now < s.probed+time.Duration(s.probes)*n.config.Patience {
			continue
		}
		if s.probes == maxProbes {
			s.dropped = true
			n.env.Trace(Silent{f.ref, s.peer})
			continue
		}
		if s.probes == 0 {
			s.probed = now
		}
		s.probes++
		n.env.Send(s.peer, &Open{Ref: f.ref, Manifest: f.manifest == nil})
	}
}

// openSources asks sources what they have, when it is time to: of more than are asked for pieces at a time, as some may have nothing.
func (n *Node) openSources(f *fetch) {
	now := n.env.Now()
	useful := 0
	for _, s := range f.sources {
		if !s.dropped && len(s.bits) > 0 && !s.late(now, n.config.Patience) {
			useful++
		}
	}
	for _, s := range f.sources {
		if s.dropped || now < s.next || useful >= 2*n.config.Parallel && len(s.bits) == 0 {
			continue
		}
		if s.opened && f.manifest != nil && s.bits.Count() == f.manifest.Count() {
			continue // it cannot have more
		}
		s.opened, s.next = false, now+n.jitter(n.config.Retry)
		n.env.Send(s.peer, &Open{Ref: f.ref, Manifest: f.manifest == nil})
		useful++
	}
}

// askForPieces asks sources for pieces that nobody is asked for in time.
func (n *Node) askForPieces(f *fetch) {
	now := n.env.Now()
	active := 0
	for _, s := range f.sources {
		if !s.dropped && len(s.waiting) > 0 && !s.late(now, n.config.Patience) {
			active++
		}
	}
	start := 0
	if len(f.sources) > 0 {
		start = n.env.Rand().IntN(len(f.sources))
	}
	for i := range f.sources {
		s := f.sources[(start+i)%len(f.sources)]
		if s.dropped || !s.opened || now < s.rest || s.late(now, n.config.Patience) {
			continue
		}
		if len(s.waiting) == 0 {
			if active >= n.config.Parallel {
				continue
			}
			active++
		}
		for len(s.waiting) < n.config.Window {
			index, ok := n.choose(f, s)
			if !ok {
				break
			}
			s.waiting = append(s.waiting, waiting{index, now})
			n.env.Send(s.peer, &Ask{Ref: f.ref, Index: uint32(index)})
		}
	}
}

// choose draws a piece that is missing, that a source has, and that no source is asked for.
func (n *Node) choose(f *fetch, s *source) (index int, ok bool) {
	now, count := n.env.Now(), f.manifest.Count()
	start := n.env.Rand().IntN(count)
	for i := range count {
		index := (start + i) % count
		if f.bits.Has(index) || f.busy.Has(index) || !s.bits.Has(index) {
			continue
		}
		if !slices.ContainsFunc(f.sources, func(t *source) bool { return !t.dropped && t.waits(index, now, n.config.Patience) }) {
			return index, true
		}
	}
	return 0, false
}

// holding takes what a source has.
func (n *Node) holding(from engine.Peer, m *Holding) {
	f := n.find(m.Ref)
	if f == nil {
		return
	}
	s := f.source(from.ID)
	if s == nil || s.dropped {
		return
	}
	s.peer = from
	s.cleared()
	if m.Busy {
		return // it is asked again
	}
	s.opened, s.bits = true, m.Bits
	if f.manifest == nil && len(m.Manifest) > 0 {
		manifest, err := ParseManifest(m.Manifest)
		if sha256.Sum256(m.Manifest) != f.ref || err != nil {
			n.lied(f, s)
			return
		}
		n.begin(f, manifest, nil)
		if f.ended {
			return
		}
		f.progress = n.env.Now()
		n.shelf.Begin(f.ref, m.Manifest, func(ok bool) {
			if !ok {
				n.end(f, ErrShelf)
				return
			}
			f.begun = true
			n.goOn(f)
		})
	}
	n.goOn(f)
}

// lied drops a source that has sent something else than what it was asked for.
func (n *Node) lied(f *fetch, s *source) {
	s.dropped = true
	n.env.Trace(Lied{f.ref, s.peer})
	n.goOn(f)
}

// piece takes a piece.
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
		n.lied(f, s)
		return
	}
	f.busy.Set(index)
	var good bool
	ok := n.env.Work(func() { good = sha256.Sum256(m.Bytes) == f.manifest.Hashes[index] }, func() { n.verified(f, s, index, m.Bytes, good) })
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
		n.lied(f, s)
		return
	}
	n.shelf.Put(f.ref, index, piece, func(ok bool) {
		if f.ended {
			return
		}
		f.busy.clear(index)
		if !ok {
			n.end(f, ErrShelf)
			return
		}
		f.bits.Set(index)
		f.progress = n.env.Now()
		n.env.Trace(Came{f.ref, s.peer, f.bits.Count(), f.manifest.Count()})
		n.goOn(f)
	})
}

// sorry takes note that a source does not send a piece.
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
		n.lied(f, s)
		return
	}
	n.goOn(f)
}

// maxVain is how often a source may not have what it has said: it may have dropped a content just now.
const maxVain = 8

// busyWait is for how long a source that is busy is left in peace.
const busyWait = time.Second

// down takes note that a source cannot be reached.
func (n *Node) down(f *fetch, s *source) {
	s.opened, s.bits, s.waiting, s.probes = false, nil, nil, 0
	s.next = n.env.Now() + n.jitter(n.config.Retry)
	n.goOn(f)
}

// jitter returns d, more or less.
func (n *Node) jitter(d time.Duration) time.Duration {
	return d - d/8 + time.Duration(n.env.Rand().Int64N(int64(d/4)+1))
}

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
	ErrStore   = errors.New("the content could not be kept")
	ErrStopped = errors.New("the fetch was stopped")
)

// fetch is a content that is being fetched.
type fetch struct {
	ref      Ref
	done     func(error)
	sources  []*source
	manifest *Manifest
	begun    bool // the manifest is in the store
	bits     Bits // what is in the store
	busy     Bits // what is being verified and kept
	progress time.Duration
	timer    engine.Alarm
	ended    bool

	seekAt time.Duration // when the owners are asked for lenders next
	vain   int           // how often they were, since they have last named a new one
	seeks  bool          // the ring owes an answer which they are
	asked  []engine.ID   // of them those that owe an answer
}

// Fetch fetches a content, or the rest of it, from some of the sources, and of those that the content's owners know, as
// far as it is not in the store. What it has, it lends. done is called, after Fetch has returned, when all of it is
// there, or why not; what has come stays in the store.
func (n *Node) Fetch(ref Ref, sources []engine.Peer, done func(error)) {
	if len(n.fetches) >= n.config.MaxFetches || n.find(ref) != nil {
		n.limitHit("MaxFetches", n.config.MaxFetches)
		n.env.After(0, func() { done(ErrBusy) })
		return
	}
	f := &fetch{ref: ref, done: done, progress: n.env.Now()}
	n.fetches = append(n.fetches, f)
	n.addSources(f, sources)
	n.store.Open(ref, func(manifest []byte, bits Bits) {
		if f.ended {
			return
		}
		if m, err := ParseManifest(manifest); err == nil && sha256.Sum256(manifest) == ref {
			f.begun = true
			n.begin(f, m, bits)
			n.maybeLend(f)
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

// Progress returns how many pieces of a content that is being fetched are in the store, of how many; 0
// of 0 as long as that is not known.
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
		if len(f.sources) >= n.config.MaxSources && !f.forgetStranger() {
			n.limitHit("MaxSources", n.config.MaxSources)
			return
		}
		f.sources = append(f.sources, &source{peer: p})
	}
}

// forgetStranger makes room among the sources: one that has not answered so far goes, and may not exist.
func (f *fetch) forgetStranger() bool {
	i := slices.IndexFunc(f.sources, func(s *source) bool { return s.down && !s.heard })
	if i >= 0 {
		f.sources = slices.Delete(f.sources, i, i+1)
	}
	return i >= 0
}

// begin receives the manifest, and what of it is in the store.
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
	case now >= f.progress+n.config.GiveUp, !n.mayFindMore(f) &&
		!slices.ContainsFunc(f.sources, func(s *source) bool { return !s.dropped }):
		n.end(f, ErrNowhere)
		return
	}
	n.maybeSeek(f)
	n.probeLate(f)
	n.openSources(f)
	if f.begun {
		n.askForPieces(f)
	}
	f.timer.Set(n.env, now+tick, func() { n.goOn(f) })
}

// tick is how often a fetch looks for late sources.
const tick = time.Second

// jitter returns d, more or less.
func (n *Node) jitter(d time.Duration) time.Duration {
	return d - d/8 + time.Duration(n.env.Rand().Int64N(int64(d/4)+1))
}

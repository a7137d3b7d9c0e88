package pieces

import (
	"slices"
	"time"
)

// maxProbes is how often a source that is late may fail to answer what has become of it.
const maxProbes = 4

// probeLate asks sources that have kept a piece waiting whether they are there, and drops those that
// have not answered for long.
func (n *Node) probeLate(f *fetch) {
	now := n.env.Now()
	for _, s := range f.sources {
		next := s.probed + time.Duration(s.probes)*n.config.Patience
		if s.dropped || !s.late(now, n.config.Patience) || s.probes > 0 && now < next {
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

// openSources asks sources what they have, when it is time to: of more than are asked for pieces at a
// time, as some may have nothing.
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
		asked := slices.ContainsFunc(f.sources, func(t *source) bool {
			return !t.dropped && t.waits(index, now, n.config.Patience)
		})
		if !asked {
			return index, true
		}
	}
	return 0, false
}

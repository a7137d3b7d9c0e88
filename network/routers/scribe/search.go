package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// searcher asks nodes to admit this one as a child, on the way to the root. If there is a node to avoid, it asks over a
// random node of the ring, up to detours times. It tries again after Config.JoinRetry, each time after twice the wait,
// up to Config.JoinSlow.
type searcher struct {
	env    engine.Env
	finder finder
	config Config
}

// search is a node's search for a parent in one group.
type search struct {
	on     bool
	tries  int
	timer  engine.Alarm
	avoid  []avoided   // at most maxAvoided, the latest
	direct engine.Peer // the one that is asked first; zero: none in particular
}

// avoided is a node that was a bad parent.
type avoided struct {
	id    engine.ID
	until time.Duration
}

const (
	// avoidFor is for how long a bad parent is not asked again.
	avoidFor = 2 * time.Minute

	// detours is how often a node seeks a parent over random nodes before it uses the direct way.
	detours = 4
)

// begin begins a search, and reports whether there was none.
func (s *search) begin() bool {
	began := !s.on
	s.on = true
	return began
}

// askFirst has a node asked before all others.
func (s *search) askFirst(p engine.Peer) { s.direct = p }

// stop ends a search. Which nodes are to be avoided stays.
func (s *search) stop() {
	s.on, s.tries, s.direct = false, 0, engine.Peer{}
	s.timer.Stop()
}

// addAvoided has a node not be asked for a while.
func (s *search) addAvoided(id engine.ID, now time.Duration) {
	s.avoid = slices.DeleteFunc(s.avoid, func(a avoided) bool { return a.id == id || a.until <= now })
	if len(s.avoid) == maxAvoided {
		s.avoid = s.avoid[1:]
	}
	s.avoid = append(s.avoid, avoided{id, now + avoidFor})
}

// avoided returns the nodes that are not wanted as a parent.
func (s *search) avoided(now time.Duration) (ids []engine.ID) {
	for _, a := range s.avoid {
		if a.until > now {
			ids = append(ids, a.id)
		}
	}
	return ids
}

// try asks once to be admitted, and has again called if nothing comes of it. Those below this node cannot be its
// parents.
func (w *searcher) try(s *search, join Join, below []engine.ID, again func()) {
	wait := min(w.config.JoinRetry<<min(s.tries, 10), w.config.JoinSlow)
	s.tries++
	s.timer.Stop()
	s.timer.Soon(w.env, w.env.Now()+jitter(w.env, wait), again)
	if !w.finder.ring.Active() {
		return
	}
	if !s.direct.IsZero() {
		w.env.Send(s.direct, &join)
		s.direct = engine.Peer{}
		return
	}
	avoid := s.avoided(w.env.Now())
	if len(avoid) > 0 && s.tries <= detours {
		if hop, ok := w.finder.randomHop(append(slices.Clone(avoid), below...)); ok {
			w.env.Send(hop, &Detour{Join: join, Avoid: avoid})
			return
		}
	}
	w.finder.ring.Route(join.Group.rootKey(), &join)
}

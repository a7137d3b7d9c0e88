package pastry

import (
	"math"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// witness keeps the lives of all nodes and judges lookups by them. A lookup is right if it was delivered exactly once,
// within 30 s, at a node that was closest to the key. It must have been the closest of all active nodes at some moment
// between sending and delivery. A lookup does not count if its sender leaves within the 30 s.
type witness struct {
	r       *ring
	lives   map[sim.Node][]life
	lookups []lookup
}

// life is when a node was part of the ring: from active to gone.
type life struct{ from, to time.Duration }

type lookup struct {
	note uint64
	key  engine.ID
	from sim.Node
	at   time.Duration
}

const (
	forever  = time.Duration(math.MaxInt64)
	patience = 30 * time.Second
)

// newWitness returns a witness of a ring that has no nodes yet.
func newWitness(r *ring) *witness {
	w := &witness{r: r, lives: make(map[sim.Node][]life)}
	r.world.Observe(func(at time.Duration, n sim.Node, e any) {
		if _, ok := e.(Joined); ok {
			w.lives[n] = append(w.lives[n], life{at, forever})
		}
	})
	return w
}

// gone notes that a node has crashed or left.
func (w *witness) gone(n sim.Node) {
	if lives := w.lives[n]; len(lives) > 0 {
		lives[len(lives)-1].to = min(lives[len(lives)-1].to, w.r.world.Now())
	}
}

// lookup has a node route a note to a random key.
func (w *witness) lookup(from sim.Node) {
	key := w.r.key()
	w.lookups = append(w.lookups, lookup{w.r.route(from, key), key, from, w.r.world.Now()})
}

// lookupsFor has random nodes look up, so often a second, for a time.
func (w *witness) lookupsFor(d time.Duration, rate int) {
	for end := w.r.world.Now() + d; w.r.world.Now() < end; {
		w.lookup(w.r.someone())
		w.r.world.Run(time.Second / time.Duration(rate))
	}
}

// verdict counts lookups.
type verdict struct {
	right, undelivered, twice, late, wrong, uncounted int
	slowest                                           time.Duration // of those that were right
}

func (v verdict) share() float64 {
	return float64(v.right) / float64(v.right+v.undelivered+v.twice+v.late+v.wrong)
}

func (w *witness) judge() (v verdict) {
	for _, l := range w.lookups {
		got := w.r.got[l.note]
		switch {
		case !w.livedThrough(l):
			v.uncounted++
		case len(got) == 0:
			v.undelivered++
		case len(got) > 1:
			v.twice++
		case got[0].at > l.at+patience:
			v.late++
		case !w.wasClosest(got[0].node, l.key, l.at, got[0].at):
			v.wrong++
		default:
			v.right++
			v.slowest = max(v.slowest, got[0].at-l.at)
		}
	}
	return v
}

func (w *witness) livedThrough(l lookup) bool {
	for _, life := range w.lives[l.from] {
		if life.from <= l.at && life.to >= l.at+patience {
			return true
		}
	}
	return false
}

// wasClosest reports whether a node was the closest of the living at some moment.
func (w *witness) wasClosest(n sim.Node, key engine.ID, from, to time.Duration) bool {
	id := w.r.world.Peer(n).ID
	var closer []life
	for other := range sim.Node(w.r.world.Len()) {
		if engine.Closer(key, w.r.world.Peer(other).ID, id) {
			closer = append(closer, w.lives[other]...)
		}
	}
	for _, own := range w.lives[n] {
		for at := max(from, own.from); at <= min(to, own.to); {
			until, covered := covering(closer, at)
			if !covered {
				return true
			}
			at = until
		}
	}
	return false
}

// covering returns how long one of the lives lasts that cover a moment.
func covering(lives []life, at time.Duration) (until time.Duration, covered bool) {
	for _, l := range lives {
		if l.from <= at && at < l.to {
			return l.to, true
		}
	}
	return 0, false
}

package check

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Lookups checks that every lookup is right. It is delivered, once, within a time, to the node that is numerically
// closest to its key among the live members at that moment. A lookup whose sender crashes before its answer is due
// counts like any other.
type Lookups struct {
	// AtLeast is the share of lookups that must be right; 0: all.
	AtLeast float64

	// Within is how long a lookup may be under way. Those that were sent out less than
	// this before the end and have not arrived count neither way. 0: until the end.
	Within time.Duration

	// Member says which live nodes can be a lookup's goal; nil: all.
	Member Member

	// MayRepeat says that a lookup may be delivered more than once, as where a message is sent again because its
	// acknowledgement was lost. The first delivery counts.
	MayRepeat bool

	verdict
	oracle  oracle
	pending map[uint64]int // by number, in lookups
	lookups []lookup
	figures Figures
	wrong   []fault
}

// Figures are how lookups went.
type Figures struct {
	Right     int
	Wrong     int // delivered to a node that was not the closest, or too late
	Lost      int
	Duplicate int // deliveries after the first
}

// Share returns the share of lookups that were right; 1 if there were none.
func (f Figures) Share() float64 {
	all := f.Right + f.Wrong + f.Lost
	if all == 0 {
		return 1
	}
	return float64(f.Right) / float64(all)
}

type lookup struct {
	Sought
	at    time.Duration
	node  sim.Node
	found bool
}

type fault struct {
	at   time.Duration
	node sim.Node
	key  engine.ID
	what string
}

// NewLookups returns the checker with all lookups to be right. It needs the world to know
// which is closest at each moment.
func NewLookups(w *sim.World) *Lookups {
	return &Lookups{oracle: oracle{world: w}, pending: make(map[uint64]int)}
}

// Observe sees lookups set out and arrive.
func (l *Lookups) Observe(at time.Duration, n sim.Node, event Event) {
	switch e := event.(type) {
	case Sought:
		l.pending[e.Number] = len(l.lookups)
		l.lookups = append(l.lookups, lookup{Sought: e, at: at, node: n})
	case Found:
		l.observeFound(at, n, e)
	}
}

func (l *Lookups) observeFound(at time.Duration, n sim.Node, e Found) {
	i, known := l.pending[e.Number]
	if !known || l.lookups[i].Key != e.Key {
		l.fail(at, n, e.Key, fmt.Sprintf("lookup %d was found and never sought", e.Number))
		return
	}
	q := &l.lookups[i]
	if q.found {
		l.figures.Duplicate++
		if !l.MayRepeat {
			l.fail(at, n, e.Key, fmt.Sprintf("lookup %d was delivered a second time", e.Number))
		}
		return
	}
	q.found = true
	l.oracle.member = l.Member
	closest, ok := l.oracle.closest(e.Key)
	switch {
	case !ok || l.oracle.id(closest) != l.oracle.id(n):
		l.figures.Wrong++
		l.miss(at, n, e.Key, fmt.Sprintf("lookup %d was delivered here, and node %d (%s) is closer", e.Number, closest,
			l.oracle.id(closest).Short()))
	case l.Within > 0 && at-q.at > l.Within:
		l.figures.Wrong++
		l.miss(at, n, e.Key, fmt.Sprintf("lookup %d lasted %v", e.Number, at-q.at))
	default:
		l.figures.Right++
	}
}

// miss notes a lookup that was not right: a violation at once if all must be, else when the share is known.
func (l *Lookups) miss(at time.Duration, n sim.Node, key engine.ID, what string) {
	if l.AtLeast == 0 {
		l.fail(at, n, key, what)
		return
	}
	if len(l.wrong) == 0 {
		l.wrong = append(l.wrong, fault{at, n, key, what})
	}
}

// Finish looks for lookups that were lost, and at the share of those that were right.
func (l *Lookups) Finish(w *sim.World) {
	for _, q := range l.lookups {
		if q.found || l.Within > 0 && w.Now()-q.at < l.Within {
			continue
		}
		l.figures.Lost++
		l.miss(w.Now(), q.node, q.Key, fmt.Sprintf("lookup %d, sent out at %v, was never delivered", q.Number, q.at))
	}
	if l.AtLeast > 0 && l.figures.Share() < l.AtLeast {
		first := l.wrong[0]
		l.fail(first.at, first.node, first.key,
			fmt.Sprintf("%.5f of the lookups are right, where %.5f must be: %+v; the first that was not: %s",
				l.figures.Share(), l.AtLeast, l.figures, first.what))
	}
}

// Figures returns how the lookups went, those that were lost only after Finish.
func (l *Lookups) Figures() Figures { return l.figures }

package corona

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// liars is whose findings turned out to be false, the latest last.
type liars struct{ list []liar }

type liar struct {
	node  engine.ID
	times int
	at    time.Duration
	hash  Hash // what it has found last, and nobody else; see lied
}

const (
	maxLiars = 1024
	// maxLies is how many false findings a node may make within lieAge. After that nothing it
	// finds is looked at until lieAge has passed.
	maxLies = 3
	lieAge  = 24 * time.Hour
)

// known tells whether what a node finds is not worth looking at.
func (l *liars) known(node engine.ID, now time.Duration) bool {
	i := slices.IndexFunc(l.list, func(e liar) bool { return e.node == node })
	return i >= 0 && l.list[i].times >= maxLies && now-l.list[i].at < lieAge
}

// lied counts a false finding, and remembers what it was.
func (l *liars) lied(node engine.ID, h Hash, now time.Duration) (times int) {
	times = l.add(node, now)
	l.list[len(l.list)-1].hash = h
	return times
}

// repeats tells whether a node's last false finding was the same, a short time ago: it need not be
// looked into again, and is not counted, as what was signed can be sent again by anybody.
func (l *liars) repeats(node engine.ID, h Hash, now, within time.Duration) bool {
	i := slices.IndexFunc(l.list, func(e liar) bool { return e.node == node })
	return i >= 0 && l.list[i].hash == h && now-l.list[i].at < within
}

// add counts a false finding.
func (l *liars) add(node engine.ID, now time.Duration) (times int) {
	e := liar{node: node}
	if i := slices.IndexFunc(l.list, func(e liar) bool { return e.node == node }); i >= 0 {
		if now-l.list[i].at < lieAge {
			e = l.list[i]
		}
		l.list = slices.Delete(l.list, i, i+1)
	}
	if len(l.list) >= maxLiars {
		l.list = slices.Delete(l.list, 0, 1)
	}
	e.times++
	e.at = now
	l.list = append(l.list, e)
	return e.times
}

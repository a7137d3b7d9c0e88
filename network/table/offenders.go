package table

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Offenders lists the nodes that have lately sent what turned out to be false, the latest last.
type Offenders struct{ list []offender }

type offender struct {
	node  engine.ID
	times int // false reports in all
	at    time.Duration
	found [][32]byte // its last unconfirmed contents, the latest last: at most MaxOffences
}

const (
	maxOffenders = 1024
	// MaxOffences is how many false contents a node may report within OffenceAge. After that it is known for them,
	// until OffenceAge has passed.
	MaxOffences = 3
	OffenceAge  = 24 * time.Hour
)

// Known reports whether a node has made MaxOffences false reports lately.
func (l *Offenders) Known(node engine.ID, now time.Duration) bool {
	i := l.index(node)
	return i >= 0 && l.list[i].times >= MaxOffences && now-l.list[i].at < OffenceAge
}

// Count counts a false report, and remembers its content.
func (l *Offenders) Count(node engine.ID, h [32]byte, now time.Duration) (times int) {
	times = l.Add(node, now)
	e := &l.list[len(l.list)-1]
	if len(e.found) == MaxOffences {
		e.found = slices.Delete(e.found, 0, 1)
	}
	e.found = append(e.found, h)
	return times
}

// Acquit removes the false reports of a content that has become a version since. An origin with several mirrors may
// show it to one node before the others.
func (l *Offenders) Acquit(h [32]byte) {
	l.list = slices.DeleteFunc(l.list, func(e offender) bool {
		return e.times == 1 && len(e.found) == 1 &&
			e.found[0] == h
	})
	for i := range l.list {
		e := &l.list[i]
		if at := slices.Index(e.found, h); at >= 0 {
			e.found = slices.Delete(e.found, at, at+1)
			e.times--
		}
	}
}

// Repeats reports whether a node's last false report was the same, less than within ago. A repetition does not count:
// anybody can send signed words again.
func (l *Offenders) Repeats(node engine.ID, h [32]byte, now, within time.Duration) bool {
	i := l.index(node)
	if i < 0 || now-l.list[i].at >= within {
		return false
	}
	found := l.list[i].found
	return len(found) > 0 && found[len(found)-1] == h
}

// Add counts a false report.
func (l *Offenders) Add(node engine.ID, now time.Duration) (times int) {
	e := offender{node: node}
	if i := l.index(node); i >= 0 {
		if now-l.list[i].at < OffenceAge {
			e = l.list[i]
		}
		l.list = slices.Delete(l.list, i, i+1)
	}
	if len(l.list) >= maxOffenders {
		l.list = slices.Delete(l.list, 0, 1)
	}
	e.times++
	e.at = now
	l.list = append(l.list, e)
	return e.times
}

func (l *Offenders) index(node engine.ID) int {
	return slices.IndexFunc(l.list, func(e offender) bool { return e.node == node })
}

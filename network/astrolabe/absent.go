package astrolabe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// absent remembers who could not be reached lately.
type absent struct {
	who []absentee // in the order of until; at most maxAbsent
}

type absentee struct {
	id    engine.ID
	until time.Duration
}

// Bounds of what is remembered: the latest stay.
const (
	maxAbsent = 256
	absence   = 2 * time.Minute
)

func (a *absent) lost(id engine.ID, now time.Duration) {
	a.heard(id)
	if len(a.who) == maxAbsent {
		a.who = slices.Delete(a.who, 0, 1)
	}
	a.who = append(a.who, absentee{id, now + absence})
}

func (a *absent) heard(id engine.ID) {
	if len(a.who) > 0 {
		a.who = slices.DeleteFunc(a.who, func(w absentee) bool { return w.id == id })
	}
}

func (a *absent) is(id engine.ID, now time.Duration) bool {
	return slices.ContainsFunc(a.who, func(w absentee) bool { return w.id == id && w.until > now })
}

package scribe

import (
	"time"

	"tidings/network/engine"
)

// groups are those that this node is in: as a member, as a forwarder for others, or as a root. There can be many. Work
// on all of them is done sweepStep at a time, so that nothing else has to wait for long.
type groups struct {
	env   engine.Env
	index map[Group]*group
	list  []*group // in no order that means anything, the same in each run

	tidied int // those from here on have been looked at by tidy
	sweep  sweep
}

// sweep is a check of all groups. It finds those of which this node has become the root, or is it no longer.
type sweep struct {
	alarm engine.Alarm
	left  int  // groups, from the start of the list, at which it has still to look
	again bool // it was asked for since it began
}

const (
	sweepWait = 500 * time.Millisecond // neighbours often change several times in a row
	sweepStep = 1024                   // groups at a time, for whatever purpose
	sweepRest = 5 * time.Millisecond   // between two times
)

func (s *groups) add(g *group) {
	g.place = len(s.list)
	s.index[g.Group] = g
	s.list = append(s.list, g)
}

func (s *groups) remove(g *group) {
	delete(s.index, g.Group)
	last := len(s.list) - 1
	s.list[g.place] = s.list[last]
	s.list[g.place].place = g.place
	s.list[last] = nil
	s.list = s.list[:last]
}

// tidy calls visit, which may remove the group, with the next sweepStep groups.
func (s *groups) tidy(visit func(*group)) {
	for range min(len(s.list), sweepStep) {
		if s.tidied == 0 || s.tidied > len(s.list) {
			s.tidied = len(s.list)
		}
		s.tidied--
		visit(s.list[s.tidied])
	}
}

// sweepSoon calls visit with each group, the first after sweepWait. If it is asked for meanwhile it begins anew at the
// end.
func (s *groups) sweepSoon(visit func(*group)) {
	if s.sweep.left > 0 {
		s.sweep.again = true
		return
	}
	s.sweep.alarm.Soon(s.env, s.env.Now()+sweepWait, func() {
		s.sweep.left = len(s.list)
		s.sweepOn(visit)
	})
}

// sweepOn goes from the end of the list to its start. If a group is removed, one from the end gets its place; those
// added at the end are settled already.
func (s *groups) sweepOn(visit func(*group)) {
	w := &s.sweep
	w.left = min(w.left, len(s.list))
	for range min(w.left, sweepStep) {
		w.left--
		if w.left < len(s.list) {
			visit(s.list[w.left])
		}
	}
	switch {
	case w.left > 0:
		w.alarm.Soon(s.env, s.env.Now()+sweepRest, func() { s.sweepOn(visit) })
	case w.again:
		w.again = false
		s.sweepSoon(visit)
	}
}

// widest returns the group in which this node has the most children: of g and, where there are more than
// sweepStep, as many others, from a random one on.
func (s *groups) widest(g *group) *group {
	most, start := g, s.env.Rand().IntN(len(s.list))
	for i := range min(len(s.list), sweepStep) {
		if h := s.list[(start+i)%len(s.list)]; len(h.children.staying) > len(most.children.staying) {
			most = h
		}
	}
	return most
}

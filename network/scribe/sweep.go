package scribe

import (
	"time"

	"tidings/network/engine"
)

// sweep is this node's look over all its groups for those of which it has become the root, or is it
// no longer. There can be many: it looks at some at a time, so that nothing else has to wait for
// long.
type sweep struct {
	alarm engine.Alarm
	left  int  // groups, from the start of the list, at which it has still to look
	again bool // the neighbours have changed since it began
}

// tidy leaves groups in which this node is of no use. It goes over the list as sweepOn does, some at each
// Heartbeat.
func (n *Node) tidy() {
	all := &n.groups
	for range min(len(all.list), sweepStep) {
		if all.tidy == 0 || all.tidy > len(all.list) {
			all.tidy = len(all.list)
		}
		all.tidy--
		n.maybeForget(all.list[all.tidy])
	}
}

const (
	sweepWait = 500 * time.Millisecond // neighbours often change several times in a row
	sweepStep = 1024                   // groups at a time, for whatever purpose
	sweepRest = 5 * time.Millisecond   // between two times
)

// neighboursChanged has the node look over its groups, soon.
func (n *Node) neighboursChanged() {
	if n.sweep.left > 0 {
		n.sweep.again = true
		return
	}
	n.sweep.alarm.Soon(n.env, n.env.Now()+sweepWait, func() {
		n.sweep.left = len(n.groups.list)
		n.sweepOn()
	})
}

// sweepOn goes from the end of the list to its start: where a group is forgotten, one from the end takes
// its place, and those that are added at the end have been settled.
func (n *Node) sweepOn() {
	s := &n.sweep
	s.left = min(s.left, len(n.groups.list))
	for range min(s.left, sweepStep) {
		s.left--
		if s.left < len(n.groups.list) && n.ring.Active() {
			n.settle(n.groups.list[s.left])
		}
	}
	switch {
	case s.left > 0:
		s.alarm.Soon(n.env, n.env.Now()+sweepRest, n.sweepOn)
	case s.again:
		s.again = false
		n.neighboursChanged()
	}
}

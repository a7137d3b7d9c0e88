package campaign

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// Failure is a promise that was broken.
type Failure struct {
	Oracle string `json:"oracle"`
	What   string `json:"what"`
}

// oracle is a checker by its name.
type oracle struct {
	name string
	check.Checker
}

// verdict is the part of an oracle that keeps what it found first.
type verdict struct{ first *check.Violation }

// Err implements check.Checker.
func (v *verdict) Err() error {
	if v.first == nil {
		return nil
	}
	return v.first
}

// Finish implements check.Checker; for those that see all as it happens.
func (v *verdict) Finish(*sim.World) {}

// Observe implements check.Checker; for those that look for themselves.
func (v *verdict) Observe(time.Duration, sim.Node, check.Event) {}

func (v *verdict) fail(at time.Duration, n sim.Node, topic engine.ID, format string, args ...any) {
	if v.first == nil {
		v.first = &check.Violation{At: at, Node: n, Topic: topic, What: fmt.Sprintf(format, args...)}
		return
	}
	v.first.More++
}

// nowhere is the node of what happens at none.
const nowhere = sim.Node(-1)

// honest keeps from an oracle what happens at nodes that lie: nothing is promised for them.
type honest struct {
	check.Checker
	liars map[sim.Node]bool
}

// Observe implements check.Checker.
func (h honest) Observe(at time.Duration, n sim.Node, event check.Event) {
	if !h.liars[n] {
		h.Checker.Observe(at, n, event)
	}
}

// follower is a node that follows a topic.
type follower struct {
	node  sim.Node
	topic engine.ID
}

// followers are the pairs of a node and a topic that it follows, in the order in which they first appeared.
type followers struct {
	since map[follower]time.Duration
	count map[engine.ID]int
	order []follower
	ever  map[follower]bool
}

// observe notes a change that one of check's events reports.
func (f *followers) observe(at time.Duration, n sim.Node, event check.Event) {
	if f.since == nil {
		f.since, f.count, f.ever = make(map[follower]time.Duration), make(map[engine.ID]int), make(map[follower]bool)
	}
	switch e := event.(type) {
	case check.Subscribed:
		pair := follower{n, e.Topic}
		if _, on := f.since[pair]; !on {
			f.since[pair] = at
			f.count[e.Topic]++
		}
		if !f.ever[pair] {
			f.ever[pair] = true
			f.order = append(f.order, pair)
		}
	case check.Unsubscribed:
		f.drop(follower{n, e.Topic})
	case check.Forgot:
		for _, pair := range f.order {
			if pair.node == n {
				f.drop(pair)
			}
		}
	}
}

func (f *followers) drop(pair follower) {
	if _, on := f.since[pair]; on {
		delete(f.since, pair)
		f.count[pair.topic]--
	}
}

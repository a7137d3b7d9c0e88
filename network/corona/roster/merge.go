package roster

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// outcome is the outcome of merging a subscription.
type outcome uint8

const (
	kept    outcome = iota // it is in the table, perhaps from before
	stale                  // the table has a newer one
	refused                // a bound was reached
)

// merge merges a subscription into a channel's table.
func (t *tables) merge(o *Owned, s *Subscription) outcome {
	if s.Stamp > latestStamp(t.Env.Wall()) || time.Duration(s.Age) > t.config.Forget/time.Second {
		return refused
	}
	old, known := t.entryOf(o, s.Node.ID, s.Outside)
	switch {
	case known && old.stamp > s.Stamp:
		return stale
	case !known && !t.hasRoom(o, s.Node.ID):
		return refused
	}
	age := min(time.Duration(s.Age)*time.Second, t.Env.Now())
	e := entry{stamp: s.Stamp, number: t.subscribers.of(s), count: s.Count, received: seconds(t.Env.Now() - age)}
	before := o.readers.live
	if o.readers.put(&t.subscribers, e, s.Signature, t.config.MaxCount) {
		o.touched = t.Env.Now()
		if !known {
			t.entries++
		}
	}
	if (before == 0) != (o.readers.live == 0) {
		t.host.Changed(o)
	}
	return kept
}

// store merges a subscription of a channel that may be new here.
func (t *tables) store(c machine.Channel, s *Subscription) (*Owned, outcome) {
	o := t.own(c)
	if o == nil {
		return nil, refused
	}
	result := t.merge(o, s)
	t.maybeForget(o)
	return o, result
}

// hasRoom reports whether a channel's table has room for one more entry of a node.
func (t *tables) hasRoom(o *Owned, node engine.ID) bool {
	c := t.config
	switch {
	case o.Entries() >= c.MaxSubscriptions:
		return t.LimitHit("MaxSubscriptions", c.MaxSubscriptions)
	case t.entries >= c.MaxEntries:
		return t.LimitHit("MaxEntries", c.MaxEntries)
	}
	home, known := t.subscribers.find(subscriberKey{node: node})
	if known && int(t.subscribers.list[home].entries) >= c.MaxPerNode {
		return t.LimitHit("MaxPerNode", c.MaxPerNode)
	}
	return true
}

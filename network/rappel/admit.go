package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/vivaldi"
)

// onJoin answers who asks to be a child: Algorithm 2.
func (c *children) onJoin(from engine.Peer, m *Join) {
	deny := func(why uint8) { c.env.Send(from, &JoinDeny{Topic: c.topic, Attempt: m.Attempt, Why: why}) }
	forward := func(to engine.Peer) { c.env.Send(from, &JoinForward{Topic: c.topic, Attempt: m.Attempt, To: to}) }
	switch {
	case c.leaving > 0 || !c.joined && !c.top:
		deny(NotMember)
		return
	case m.Coordinate.Validate(len(c.self.coordinate.Vector)) != nil || c.isBanned(from.ID) && !c.top:
		deny(Invalid)
		return
	case !c.inTree():
		deny(Detached)
		return
	case c.isAbove(from.ID):
		deny(Ancestor)
		return
	}
	if c.isBanned(from.ID) { // it may be honest: some coordinates fit badly to round trips
		if c.guests(from.ID) >= c.config.Children {
			deny(Full)
			return
		}
		c.adopt(from, m)
		k := c.find(from.ID)
		k.guest, k.check = true, verifying{next: c.now() + shunning}
		return
	}
	root := c.rootCoordinate()
	joiner := remoteness{m.Coordinate.Distance(root), from.ID}
	if known := c.find(from.ID); known != nil && (known.awaited || known.parting == 0) && c.remote().less(joiner) {
		c.adopt(from, m) // it has not heard, or begins anew; or it comes in another's place
		return
	}
	if joiner.less(c.remote()) { // figure 4a
		forward(c.parent)
		return
	}
	if len(c.place().Chain) >= maxChain-1 {
		c.env.Trace(LimitHit{"chain", maxChain})
		deny(Full)
		return
	}
	room := c.staying() < c.config.Children
	closer := func(k *child) bool {
		return remoteness{k.coordinate.Distance(root), k.peer.ID}.less(joiner)
	}
	farthest := c.pick(
		func(k *child) bool { return !closer(k) },
		func(k *child) time.Duration { return -k.coordinate.Distance(root) })
	if !room && (farthest == nil || !c.evictions.Take(1, c.now())) { // figure 4c
		next := c.pick(
			func(k *child) bool { return k.peer.ID != from.ID && closer(k) && !slices.Contains(m.Avoid, k.peer.ID) },
			func(k *child) time.Duration { return c.detour(k, m.Coordinate) })
		if next == nil {
			deny(Full)
			return
		}
		forward(next.peer)
		return
	}
	if path := c.path() + c.self.coordinate.Distance(m.Coordinate); m.Better > 0 && micros(path) >= m.Better {
		deny(NoBetter)
		return
	}
	if !room { // figure 4d
		victim := farthest.peer
		c.adopt(from, m)
		c.evict(victim.ID)
		return
	}
	c.adopt(from, m) // figure 4b
}

// detour returns how far it is to a node by way of a child. The paper takes the child that is closest to the node, however far out of the
// way.
func (c *children) detour(k *child, to vivaldi.Coordinate) time.Duration {
	d := k.coordinate.Distance(to)
	if c.config.Improve {
		d += k.coordinate.Distance(c.self.coordinate)
	}
	return d
}

// adopt makes a node a child and gives it what it lacks.
func (c *children) adopt(from engine.Peer, m *Join) {
	k := c.find(from.ID)
	if k == nil {
		c.list = append(c.list, child{})
		k = &c.list[len(c.list)-1]
		c.env.Trace(Adopted{c.topic, from})
		c.familyChanged()
	}
	check := k.check
	if check == (verifying{}) || !same(k.coordinate, m.Coordinate) {
		check = verifying{next: c.now() + 1}
	}
	*k = child{peer: from, coordinate: m.Coordinate, heard: c.now(), family: k.family, check: check}
	c.wake(c.now() + 1)
	c.env.Send(from, &JoinOK{
		Topic: c.topic, Attempt: m.Attempt, Place: c.place(),
		Epoch: c.feed.Epoch, Last: c.feed.Last, First: c.feed.cache.behind(c.feed.Epoch, c.feed.Last),
	})
	for _, u := range c.feed.cache.lacking(m.Have) {
		c.env.Send(from, u)
	}
}

// expiry is how long a child is believed to be there without a ping.
func (c *children) expiry() time.Duration { return c.config.Ping + c.config.PingTimeout }

// evict sends a child to the sibling that is closest to it (figure 4d). It is served until it has found its
// place.
func (c *children) evict(id engine.ID) {
	k := c.find(id)
	k.parting = c.now() + c.config.Parting
	root := c.rootCoordinate()
	own := remoteness{k.coordinate.Distance(root), id}
	to := c.pick(
		func(s *child) bool { return remoteness{s.coordinate.Distance(root), s.peer.ID}.less(own) },
		func(s *child) time.Duration { return s.coordinate.Distance(k.coordinate) })
	c.wake(k.parting)
	c.familyChanged()
	if to == nil {
		c.env.Send(k.peer, &ChangeParent{Topic: c.topic, To: c.root()})
		return
	}
	c.env.Trace(Evicted{c.topic, k.peer, to.peer})
	c.env.Send(k.peer, &ChangeParent{Topic: c.topic, To: to.peer})
}

package rappel

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/vivaldi"
)

// onJoin answers who asks to be a child: Algorithm 2.
func (c *children) onJoin(from engine.Peer, m *Join) {
	deny := func(why uint8) { c.env.Send(from, &JoinDeny{Topic: c.topic, Attempt: m.Attempt, Why: why}) }
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
		c.env.Send(from, &JoinForward{Topic: c.topic, Attempt: m.Attempt, To: c.parent})
		return
	}
	if len(c.told.Chain) >= maxChain-1 {
		c.env.Trace(LimitHit{"chain", maxChain})
		deny(Full)
		return
	}
	victim, to := engine.Peer{}, engine.Peer{}
	if c.staying() >= c.config.Children {
		var ways []way
		if victim, ways = c.yields(seat{from, m.Coordinate, joiner}, m); victim.ID == from.ID { // figure 4c
			c.forward(from, m, ways)
			return
		}
		to = ways[0].to
	}
	if path := c.path() + c.self.coordinate.Distance(m.Coordinate); m.Better > 0 && micros(path) >= m.Better {
		deny(NoBetter)
		return
	}
	c.adopt(from, m)      // figure 4b
	if !victim.IsZero() { // figure 4d
		c.evict(victim.ID, to)
	}
}

// forward sends a joining node on to the first of some ways on which it is better off, if there is one.
func (c *children) forward(to engine.Peer, m *Join, ways []way) {
	if len(ways) == 0 {
		c.env.Send(to, &JoinDeny{Topic: c.topic, Attempt: m.Attempt, Why: Full})
		return
	}
	reply := &JoinForward{Topic: c.topic, Attempt: m.Attempt}
	for _, w := range ways {
		switch better := m.Better == 0 || micros(c.path()+w.length) < m.Better; {
		case better && reply.To.IsZero():
			reply.To = w.to
		case better && m.Better > 0 && len(reply.Others) < maxOthers:
			reply.Others = append(reply.Others, w.to)
		}
	}
	if reply.To.IsZero() {
		c.env.Send(to, &JoinDeny{Topic: c.topic, Attempt: m.Attempt, Why: NoBetter})
		return
	}
	c.env.Send(to, reply)
}

// adopt makes a node a child and gives it what it lacks.
func (c *children) adopt(from engine.Peer, m *Join) {
	k := c.find(from.ID)
	if k == nil {
		c.list = append(c.list, child{})
		k = &c.list[len(c.list)-1]
		c.env.Trace(Adopted{c.topic, from})
		c.familyChanged()
	} else if m.Have.Epoch == 0 { // it has started anew
		c.callOrphans(k)
	}
	check := k.check
	if check == (verifying{}) || !same(k.coordinate, m.Coordinate) {
		check = verifying{next: c.now() + 1}
	}
	*k = child{peer: from, coordinate: m.Coordinate, heard: c.now(), family: k.family, check: check}
	c.wake(c.now() + 1)
	c.env.Send(from, &JoinOK{
		Topic: c.topic, Attempt: m.Attempt, Place: c.told,
		Epoch: c.feed.Epoch, Last: c.feed.Last, First: c.feed.cache.behind(c.feed.Epoch, c.feed.Last),
	})
	for _, u := range c.feed.cache.lacking(m.Have) {
		c.env.Send(from, u)
	}
}

// seat is a node for whom there may be room, and way a way from this node to it by another.
type (
	seat struct {
		engine.Peer
		coordinate vivaldi.Coordinate
		remote     remoteness
	}
	way struct {
		to     engine.Peer
		length time.Duration
	}
)

// yields returns who of the children that stay and a joining node has to go a level down, as there is no room for all, and the ways that it can
// go, the best first: for whom that is the least detour in proportion to how remote it is. The paper sends who is most remote to who is closest
// to it, however far out of the way; then few are near, and it matters most for them.
func (c *children) yields(joiner seat, m *Join) (victim engine.Peer, ways []way) {
	seats, root := []seat{joiner}, c.rootCoordinate()
	for i := range c.list {
		if k := &c.list[i]; k.parting == 0 && !k.awaited && !k.guest && k.peer.ID != joiner.ID {
			seats = append(seats, seat{k.peer, k.coordinate, remoteness{k.coordinate.Distance(root), k.peer.ID}})
		}
	}
	victim, ways = joiner.Peer, c.ways(joiner, seats, m.Avoid)
	if m.Gentle || len(m.Avoid) > 0 && len(ways) > 0 {
		return victim, ways // two who avoid somebody would drive out each other again and again
	}
	least := c.loss(joiner, ways)
	for _, s := range seats[1:] {
		if w := c.ways(s, seats, nil); c.loss(s, w) < least && (len(ways) > 0 || joiner.remote.less(s.remote)) {
			victim, ways, least = s.Peer, w, c.loss(s, w)
		}
	}
	if victim.ID != joiner.ID && !c.evictions.Take(1, c.now()) {
		return joiner.Peer, c.ways(joiner, seats, m.Avoid)
	}
	return victim, ways
}

// ways returns those from this node to another by one of some that are less remote, the shortest first.
func (c *children) ways(to seat, by []seat, but []engine.ID) (list []way) {
	for _, s := range by {
		if s.ID == to.ID || !s.remote.less(to.remote) || slices.Contains(but, s.ID) {
			continue
		}
		length := s.coordinate.Distance(to.coordinate)
		if c.config.Improve {
			length += c.self.coordinate.Distance(s.coordinate)
		}
		list = append(list, way{s.Peer, length})
	}
	slices.SortStableFunc(list, func(a, b way) int { return cmp.Compare(a.length, b.length) })
	return list
}

// loss returns how bad it is for a node to go by the best of some ways.
func (c *children) loss(s seat, ways []way) float64 {
	switch {
	case len(ways) == 0:
		return math.Inf(1)
	case !c.config.Improve:
		return -float64(s.remote.distance)
	}
	return float64(ways[0].length-c.self.coordinate.Distance(s.coordinate)) / float64(max(s.remote.distance, 1))
}

// evict sends a child to a sibling (figure 4d). It is served until it has found its place.
func (c *children) evict(id engine.ID, to engine.Peer) {
	k := c.find(id)
	k.parting = c.now() + c.config.Parting
	c.wake(k.parting)
	c.familyChanged()
	c.env.Trace(Evicted{c.topic, k.peer, to})
	c.env.Send(k.peer, &ChangeParent{Topic: c.topic, To: to})
}

package rappel

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/vivaldi"
)

// Bounds of how often joining nodes may drive children out, a second and at once. Otherwise a liar could keep them from
// settling.
const (
	evictionRate  = 10
	evictionBurst = 100
)

// onJoin answers a node that asks to be a child: Algorithm 2.
func (c *children) onJoin(from engine.Peer, m *Join) {
	if why := c.refusal(from, m); why > 0 {
		c.deny(from, m, why)
		return
	}
	if c.banned.has(from.ID, c.now()) { // it may be honest: some coordinates fit badly to round trips
		k := c.adopt(from, m)
		k.status, k.until, k.check = guest, c.now()+shunning, verifying{}
		return
	}
	joiner := c.seat(from, m.Coordinate)
	if known := c.find(from.ID); known != nil && known.status != parting && c.remote().less(joiner.remote) {
		c.adopt(from, m) // it has not received the answer, or begins anew; or it comes in another's place
		return
	}
	if joiner.remote.less(c.remote()) { // figure 4a
		c.env.Send(from, &JoinForward{Topic: c.topic, Attempt: m.Attempt, To: c.parent})
		return
	}
	if len(c.announced.Chain) >= maxChain-1 {
		c.env.Trace(LimitHit{"chain", maxChain})
		c.deny(from, m, Full)
		return
	}
	victim, to := engine.Peer{}, engine.Peer{}
	if c.count(engine.ID{}, stays, awaited) >= c.config.Children {
		var ways []way
		if victim, ways = c.yields(joiner, m); victim.ID == from.ID { // figure 4c
			c.forward(from, m, ways)
			return
		}
		to = ways[0].to
	}
	if path := c.path() + c.self.coordinate.Distance(m.Coordinate); m.Better > 0 && micros(path) >= m.Better {
		c.deny(from, m, NoBetter)
		return
	}
	c.adopt(from, m)                      // figure 4b
	if k := c.find(victim.ID); k != nil { // figure 4d: it is served until it has found its place
		k.status, k.until = parting, c.now()+c.config.Parting
		c.wake(k.until)
		c.familyChanged()
		c.env.Trace(Evicted{c.topic, k.peer, to})
		c.env.Send(k.peer, &ChangeParent{Topic: c.topic, To: to})
	}
}

// refusal returns why a node cannot be a child, wherever it lies; 0 if it can.
func (c *children) refusal(from engine.Peer, m *Join) (why uint8) {
	banned := c.banned.has(from.ID, c.now())
	switch {
	case c.leaving > 0 || !c.joined && !c.top:
		return NotMember
	case m.Coordinate.Validate(len(c.self.coordinate.Vector)) != nil || banned && !c.top:
		return Invalid
	case !c.inTree():
		return Detached
	case c.isAbove(from.ID):
		return Ancestor
	case banned && c.count(from.ID, guest) >= c.config.Children:
		return Full
	}
	return 0
}

func (c *children) deny(to engine.Peer, m *Join, why uint8) {
	c.env.Send(to, &JoinDeny{Topic: c.topic, Attempt: m.Attempt, Why: why})
}

// forward sends a joining node on to the first of several ways that are better for it, if there is one.
func (c *children) forward(to engine.Peer, m *Join, ways []way) {
	why, reply := Full, &JoinForward{Topic: c.topic, Attempt: m.Attempt}
	for _, w := range ways {
		why = NoBetter
		switch better := m.Better == 0 || micros(c.path()+w.length) < m.Better; {
		case better && reply.To.IsZero():
			reply.To = w.to
		case better && m.Better > 0 && len(reply.Others) < maxOthers:
			reply.Others = append(reply.Others, w.to)
		}
	}
	if reply.To.IsZero() {
		c.deny(to, m, why)
	} else {
		c.env.Send(to, reply)
	}
}

// adopt makes a node a child and gives it what it lacks.
func (c *children) adopt(from engine.Peer, m *Join) *child {
	k := c.find(from.ID)
	if k == nil {
		k = new(child)
		c.list = append(c.list, k)
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
		Topic: c.topic, Attempt: m.Attempt, Place: c.announced,
		Epoch: c.feed.Epoch, Last: c.feed.Last, First: c.feed.cache.behind(c.feed.Epoch, c.feed.Last),
	})
	for _, u := range c.feed.lacking(m.Have) {
		c.env.Send(from, u)
	}
	return k
}

// seat is a node that may get a place here. way is a way from this node to it by another.
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

// seat returns where a node that is or wants to be a child lies.
func (c *children) seat(p engine.Peer, at vivaldi.Coordinate) seat {
	return seat{p, at, remoteness{at.Distance(c.rootCoordinate()), p.ID}}
}

// seats returns where the children that stay lie.
func (c *children) seats() (list []seat) {
	for _, k := range c.list {
		if k.status == stays {
			list = append(list, c.seat(k.peer, k.coordinate))
		}
	}
	return list
}

// If there is no room for all, yields chooses the node that has to go down a level: a staying child or the joining
// node. It also returns its possible ways, the best first. It chooses the one with the least detour in proportion to
// how remote it is. The paper sends the most remote one to the one closest to it, however far out of the way. Then few
// near ones remain, and for those a short way matters most.
func (c *children) yields(joiner seat, m *Join) (victim engine.Peer, ways []way) {
	others := slices.DeleteFunc(c.seats(), func(s seat) bool { return s.ID == joiner.ID })
	seats := append([]seat{joiner}, others...)
	own := c.ways(joiner, seats, m.Avoid)
	victim, ways = joiner.Peer, own
	if m.Gentle || len(m.Avoid) > 0 && len(ways) > 0 {
		return victim, ways // two that avoid a third would drive out each other again and again
	}
	least := c.loss(joiner, ways)
	for _, s := range others {
		if w := c.ways(s, seats, nil); c.loss(s, w) < least && (len(ways) > 0 || joiner.remote.less(s.remote)) {
			victim, ways, least = s.Peer, w, c.loss(s, w)
		}
	}
	if victim.ID != joiner.ID && !c.evictions.Take(1, c.now()) {
		return joiner.Peer, own
	}
	return victim, ways
}

// ways returns the ways from this node to another over one less remote node of by, the shortest first.
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

// loss returns how bad it is for a node to go by the best of these ways.
func (c *children) loss(s seat, ways []way) float64 {
	switch {
	case len(ways) == 0:
		return math.Inf(1)
	case !c.config.Improve:
		return -float64(s.remote.distance)
	}
	return float64(ways[0].length-c.self.coordinate.Distance(s.coordinate)) / float64(max(s.remote.distance, 1))
}

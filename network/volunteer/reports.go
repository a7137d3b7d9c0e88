package volunteer

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
)

// Polled receives the result of a poll, whether Poller.Poll has requested it or not, and reports it to the others.
func (n *Node) Polled(id engine.ID, f Found) {
	c := n.channels[id]
	if c == nil || f.Hash == (Hash{}) {
		return
	}
	if len(f.Payload) > MaxPayload {
		f.Base, f.Payload = Hash{}, nil // the others see it when they poll
	}
	if f.Hash != c.had && (c.had != Hash{} || len(f.Payload) > 0) {
		c.pollProbability = 1
		n.env.Trace(First{id, f.Hash})
	} else {
		n.decay(c)
		f.Base, f.Payload, f.Modified = Hash{}, nil, 0
	}
	c.lacks, c.reported = false, n.env.Now()
	c.had, c.hadAt = f.Hash, n.wall()
	m := &PollReport{
		Channel: id, Finder: n.env.Self(), Time: c.hadAt, Modified: f.Modified, Base: f.Base, Hash: f.Hash,
		Payload: f.Payload,
	}
	n.sign(m)
	n.tree.Publish(TopicOf(id), m)
}

// Admit checks a report of a channel, at all nodes of its tree.
func (n *Node) Admit(topic engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*PollReport)
	if !ok {
		return 0, 0, false
	}
	if !n.genuine(topic, m) {
		n.env.Trace(Refused{m.Channel, m.Finder.ID})
		return 0, 0, false
	}
	sum := sha256.Sum256(m.words())
	return binary.BigEndian.Uint64(sum[:]), len(m.Payload) + 256, true
}

// Deliver receives a report of another node, or of this one, of a channel that this node follows.
func (n *Node) Deliver(_ engine.ID, event engine.Message, _ engine.Peer) {
	m, ok := event.(*PollReport)
	if !ok || m.Finder.ID == n.env.Self().ID {
		return
	}
	c := n.channels[m.Channel]
	if c == nil || c.isOld(m) {
		return
	}
	fresh, opinion := n.age(m) <= n.config.Interval, n.poller.Opinion(m.Finder.ID)
	heard := Heard{c.id, m.Hash, m.Finder.ID, opinion}
	n.env.Trace(heard)
	n.onHeard(heard)
	if opinion == Distrusted {
		if m.Hash != c.had {
			n.lack(c, m)
		}
		return
	}
	if fresh {
		c.count(m, n.env.Now())
	}
	if fresh && opinion == Preferred {
		c.own = n.env.Now()
	}
	n.weigh(c, m, fresh)
}

// isOld reports whether a report is no news of its finder: a copy, or older than an earlier one.
func (c *channel) isOld(m *PollReport) bool {
	i := c.find(m.Finder.ID)
	return i >= 0 && m.Time <= c.heard[i].said
}

func (c *channel) find(finder engine.ID) int {
	return slices.IndexFunc(c.heard, func(p poll) bool { return p.by == finder })
}

// count counts a poll. However often a node polls, it counts as one.
func (c *channel) count(m *PollReport, now time.Duration) {
	if i := c.find(m.Finder.ID); i >= 0 {
		c.heard = slices.Delete(c.heard, i, i+1)
	}
	if len(c.heard) == maxHeard {
		c.heard = slices.Delete(c.heard, 0, 1)
	}
	c.heard = append(c.heard, poll{m.Finder.ID, now, m.Time})
}

// weigh compares a report with what is here.
func (n *Node) weigh(c *channel, m *PollReport, fresh bool) {
	switch {
	case m.Hash == c.had:
		c.hadAt = max(c.hadAt, min(m.Time, n.wall()))
	case m.Time <= c.hadAt && len(m.Payload) == 0: // what is here was seen later
	case m.Time <= c.hadAt, !fresh, len(m.Payload) == 0: // clocks differ; or it has to be seen at the origin
		n.lack(c, m)
	case c.storing == nil:
		n.store(c, m)
	case c.next == nil || m.Time > c.next.Time:
		c.next = m
	}
}

func (n *Node) lack(c *channel, m *PollReport) {
	c.lacks = true
	lacks := Lacks{c.id, m.Hash, m.Finder.ID}
	n.env.Trace(lacks)
	n.onLacks(lacks)
}

func (n *Node) store(c *channel, m *PollReport) {
	c.storing = m
	n.poller.Take(m)
}

// Taken reports the result of Poller.Take: whether that content is here now.
func (n *Node) Taken(m *PollReport, ok bool) {
	c := n.channels[m.Channel]
	if c == nil || c.storing != m {
		return
	}
	next := c.next
	c.storing, c.next = nil, nil
	if ok {
		c.had, c.hadAt = m.Hash, min(m.Time, n.wall())
		n.env.Trace(Took{c.id, m.Hash, m.Finder.ID})
	} else {
		n.lack(c, m)
	}
	if next != nil {
		n.weigh(c, next, true)
	}
}

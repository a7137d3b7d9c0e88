package scribe

import (
	"math/bits"
	"time"

	"tidings/network/engine"
)

// A child asks for what is missing of its parent's Downs once they are overdue by late, so that
// what was only overtaken is not asked for, and once more after each resendAfter. So that the last one
// of several shows as well when it is lost, Beats follow when there has been none for tailAfter, tailTimes of them, tailAfter
// apart: with a single one, where one message in a hundred is lost, one link in 10,000 waits for the next Beat at intervals, and
// among 100,000 members somebody always does. A third would cost a root with sixteen children as many messages as the event.
const (
	late        = 300 * time.Millisecond
	tailAfter   = time.Second
	tailTimes   = 2
	resendAfter = 700 * time.Millisecond
	resendTries = 3
)

// sendDown hands an event to a child.
func (n *Node) sendDown(l *link, key engine.ID, e *Event) {
	down := &l.below
	down.sent++
	down.remember(sentDown{key, e})
	n.env.Send(l.peer, &Down{Line: down.line, Number: down.sent, Key: key, Event: *e})
	down.latest, down.tails = n.env.Now(), 0
	down.tail.Soon(n.env, down.latest+tailAfter, func() { n.sendTail(l) })
}

// sendTail sends a Beat after the last Down, and the next one later.
func (n *Node) sendTail(l *link) {
	down := &l.below
	if len(down.children) == 0 {
		return
	}
	if due := down.latest + time.Duration(1+down.tails)*tailAfter; due > n.env.Now() {
		down.tail.Soon(n.env, due, func() { n.sendTail(l) })
		return
	}
	n.sendBeat(l)
	if down.tails++; down.tails < tailTimes {
		down.tail.Soon(n.env, n.env.Now()+tailAfter, func() { n.sendTail(l) })
	}
}

// resend hands events to a child once more.
func (n *Node) resend(from engine.Peer, m *Resend) {
	l := n.link(from)
	if l == nil || len(l.below.children) == 0 || l.below.line != m.Line {
		return
	}
	down := &l.below
	for back := range uint64(reaches) {
		number := m.Last - back
		if m.Missing>>back&1 == 0 || number > down.sent || number == 0 {
			continue
		}
		if number+resendable <= down.sent {
			n.env.Send(from, &Down{Line: down.line, Number: number, Gone: true})
			continue
		}
		s := down.sentAt(number)
		n.env.Send(from, &Down{Line: down.line, Number: number, Key: s.key, Event: *s.event})
	}
}

// takeDown takes an event from the parent.
func (n *Node) takeDown(from engine.Peer, m *Down) {
	if l := n.link(from); l != nil && len(l.above.groups) > 0 {
		n.countDown(l, m)
	}
	if m.Gone {
		return
	}
	g := n.find(Group{m.Event.Topic, m.Key})
	if g == nil {
		n.env.Send(from, &Leave{Groups: []Group{{m.Event.Topic, m.Key}}})
		return
	}
	n.take(g, &m.Event, from)
}

// countDown takes note of the number of a Down.
func (n *Node) countDown(l *link, m *Down) {
	up := &l.above
	if up.line != m.Line { // the Joined is missing
		up.line, up.came = m.Line, window{last: m.Number}
		return
	}
	n.sentUpTo(l, m.Number-1)
	if up.came.take(m.Number) && m.Gone {
		n.compareAll(l)
	}
}

// sentUpTo notes that a parent has sent so many Downs, and has those that are missing asked for.
func (n *Node) sentUpTo(l *link, sent uint64) {
	up := &l.above
	if sent <= up.came.last {
		return
	}
	up.troubled = n.env.Now()
	if !up.came.reach(sent) { // more are lost than can be told
		up.came.missing = 0
		n.compareAll(l)
		return
	}
	up.asked = 0
	up.overdue.Soon(n.env, n.env.Now()+late, func() { n.askAgain(l) })
}

// askAgain asks for the Downs that are missing.
func (n *Node) askAgain(l *link) {
	up := &l.above
	if up.came.missing == 0 || len(up.groups) == 0 {
		return
	}
	if up.asked++; up.asked > resendTries {
		n.env.Trace(GaveUp{l.peer, bits.OnesCount64(up.came.missing)})
		up.came.missing = 0
		n.denied(l)
		return
	}
	n.env.Send(l.peer, &Resend{Line: up.line, Last: up.came.last, Missing: up.came.missing})
	up.overdue.Soon(n.env, n.env.Now()+resendAfter, func() { n.askAgain(l) })
}

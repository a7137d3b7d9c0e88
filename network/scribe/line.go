package scribe

import (
	"math/bits"
	"time"

	"tidings/network/engine"
)

// A child asks for the Disseminates that it misses once they are overdue by late, so that what was only overtaken is not
// asked for, and again after each resendAfter. So that the last Disseminate shows as well when it is lost, a child says
// within heardAfter that it knows of it, one Heard for all that came meanwhile. A parent that is not told in time sends
// its latest Disseminate once more, and then Heartbeats that ask for a Heard, each after twice the wait, until unheardTimes are spent.
const (
	late         = 300 * time.Millisecond
	resendAfter  = 700 * time.Millisecond
	resendTries  = 3
	heardAfter   = 200 * time.Millisecond
	unheardTimes = 4
)

// sendDisseminate hands an event to a child.
func (n *Node) sendDisseminate(l *link, key engine.ID, e *Event) {
	down := &l.below
	down.sent++
	down.remember(sentDown{key, e})
	n.env.Send(l.peer, &Disseminate{Line: down.line, Number: down.sent, Key: key, Event: *e})
	down.latest, down.repeated = n.env.Now(), 0
	n.awaitHeard(l)
}

// awaitHeard has the latest Disseminate repeated, or asked about, if the child does not say in time that it knows of it.
func (n *Node) awaitHeard(l *link) {
	wait := heardAfter + resendAfter
	if l.rtt > 0 {
		wait = heardAfter + 2*l.rtt + late
	}
	due := l.below.latest + wait<<l.below.repeated
	l.below.unheard.Set(n.env, due, func() { n.repeatDown(l) })
}

// repeatDown does so. An event may be large, and a child may never answer: it is repeated once.
func (n *Node) repeatDown(l *link) {
	down := &l.below
	if len(down.children) == 0 || down.repeated == unheardTimes {
		return
	}
	if down.repeated == 0 {
		s := down.sentAt(down.sent)
		n.env.Send(l.peer, &Disseminate{Line: down.line, Number: down.sent, Key: s.key, Event: *s.event})
	} else {
		n.env.Send(l.peer, &Heartbeat{Line: down.line, Sent: down.sent, Sum: down.sum, Unheard: true})
	}
	down.repeated++
	n.awaitHeard(l)
}

// takeHeard takes that a child knows of Disseminates up to a number: what it misses of them it asks for itself.
func (n *Node) takeHeard(from engine.Peer, line uint32, last uint64) {
	if l := n.link(from); l != nil && l.below.line == line && last >= l.below.sent {
		l.below.unheard.Stop()
	}
}

// hearSoon has the parent told how far this node knows of its Disseminates.
func (n *Node) hearSoon(l *link) {
	l.above.telling.Soon(n.env, n.env.Now()+heardAfter, func() {
		if up := &l.above; len(up.groups) > 0 {
			n.env.Send(l.peer, &Heard{Line: up.line, Last: up.came.last})
		}
	})
}

// resend hands events to a child once more.
func (n *Node) resend(from engine.Peer, m *Resend) {
	l := n.link(from)
	if l == nil || len(l.below.children) == 0 || l.below.line != m.Line {
		return
	}
	n.takeHeard(from, m.Line, m.Last)
	down := &l.below
	for back := range uint64(reaches) {
		number := m.Last - back
		if m.Missing>>back&1 == 0 || number > down.sent || number == 0 {
			continue
		}
		if number+resendable <= down.sent {
			n.env.Send(from, &Disseminate{Line: down.line, Number: number, Gone: true})
			continue
		}
		s := down.sentAt(number)
		n.env.Send(from, &Disseminate{Line: down.line, Number: number, Key: s.key, Event: *s.event})
	}
}

// takeDisseminate takes an event from the parent.
func (n *Node) takeDisseminate(from engine.Peer, m *Disseminate) {
	if l := n.link(from); l != nil && len(l.above.groups) > 0 {
		n.countDisseminate(l, m)
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

// countDisseminate takes note of the number of a Disseminate.
func (n *Node) countDisseminate(l *link, m *Disseminate) {
	up := &l.above
	if up.line != m.Line { // the Joined is missing
		up.line, up.came = m.Line, window{last: m.Number}
		n.hearSoon(l)
		return
	}
	n.sentUpTo(l, m.Number-1)
	if up.came.take(m.Number) && m.Gone {
		n.compareAll(l)
	}
	n.hearSoon(l)
}

// sentUpTo notes that a parent has sent so many Disseminates, and has those that are missing asked for.
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

// askAgain asks for the Disseminates that are missing.
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
	up.telling.Stop() // the Resend says it
	n.env.Send(l.peer, &Resend{Line: up.line, Last: up.came.last, Missing: up.came.missing})
	up.overdue.Soon(n.env, n.env.Now()+resendAfter, func() { n.askAgain(l) })
}

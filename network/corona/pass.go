package corona

import (
	"time"

	"tidings/network/engine"
)

// Assignments on their way down. What is new goes out within passWithin, many assignments in one message.
// What stays as it is is not repeated one by one: a MaintenanceDigest sums it up.
const (
	passWithin = 100 * time.Millisecond
	maxLeft    = 64 // dismissed contacts that are to be told
)

// pass has the contacts below hear what is new about a channel.
func (n *planner) Pass(p *polled, what news) {
	if p.news == 0 {
		n.wedges.changed = append(n.wedges.changed, p.channel.ID)
	}
	p.news |= what
	n.flushSoon()
}

func (n *planner) flushSoon() {
	if !n.wedges.flushing {
		n.wedges.flushing = true
		n.Env.After(passWithin, n.flush)
	}
}

// stopBelow has those contacts below stop polling that would not be below with another scope.
func (n *planner) stopBelow(p *polled, scope int) {
	for _, c := range n.Beneath(p) {
		if c.bits < scope {
			n.wedges.stops = append(n.wedges.stops, stop{c, p.channel.ID})
			n.flushSoon()
		}
	}
}

// greet has a contact told all assignments that concern it.
func (n *planner) greet(c *contact) {
	c.greeted = false
	n.flushSoon()
}

// dismiss has a node told that it has no assignments from this one any more.
func (n *planner) dismiss(p engine.Peer) {
	w := &n.wedges
	if len(w.dismissed) == maxLeft {
		w.dismissed = w.dismissed[1:]
	}
	w.dismissed = append(w.dismissed, p)
	n.scheduleDigests()
}

// flush sends what is new.
func (n *planner) flush() {
	w := &n.wedges
	if w.relayout {
		n.layOutAgain()
	}
	w.flushing = false
	var out bundles
	for _, s := range w.stops {
		out.add(n, s.to, Assignment{Channel: s.channel, Stop: true})
	}
	w.stops = nil
	for _, id := range w.changed {
		if p := n.Polled(id); p != nil && p.news != 0 {
			n.passOn(&out, p)
		}
	}
	w.changed = nil
	for _, c := range n.aggregation.contacts {
		if !c.greeted {
			c.greeted = true
			n.addAll(&out, c, assigned)
		}
	}
	out.send(n)
}

func (n *planner) passOn(out *bundles, p *polled) {
	with := p.news
	p.news = 0
	for _, s := range n.shares(p) {
		if s.contact.greeted {
			out.add(n, s.contact, n.assignment(p, s, with))
		}
	}
}

// addAll adds all assignments that concern a contact.
func (n *planner) addAll(out *bundles, c *contact, with news) {
	for i := range n.wedges.polled.length {
		p := n.wedges.polled.at(i)
		if p.scope != viaDeputy && c.bits < int(p.scope) {
			continue
		}
		for _, s := range n.shares(p) {
			if s.contact == c {
				out.add(n, c, n.assignment(p, s, with))
			}
		}
	}
}

// assignment returns the assignment to whom a share belongs.
func (n *planner) assignment(p *polled, s share, with news) Assignment {
	now := n.Env.Now()
	o := Assignment{Channel: p.channel.ID, Bits: p.bits, Random: n.config.Phases == RandomPhases}
	o.Version, _ = n.library.Held(p.channel.ID)
	if with&assigned != 0 {
		o.URL = p.channel.URL
	}
	if c := n.wedges.certificates[o.Channel]; c != nil && with&(assigned|certified) != 0 {
		o.Certificate = c.grants
	}
	l := n.wedges.limits[p.channel.ID]
	if !o.Random {
		from := p.start.time() + time.Duration(s.from*float64(p.width.time()))
		o.Start = uint32((nextTime(from, n.Period(l), now) - now) / time.Millisecond)
		o.Width = uint32((s.to - s.from) * float64(p.width))
	}
	if l.interval > n.config.Interval {
		o.Interval = uint32(l.interval / time.Second)
	}
	if wait := l.notBefore - now; wait > 0 {
		o.Wait = uint32((wait + time.Second - 1) / time.Second)
	}
	return o
}

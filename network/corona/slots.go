package corona

import (
	"math"
	"time"

	"tidings/network/engine"
)

// layout says how a slot is divided among a node and the contacts below it, in the order of their
// IDs: the node has its share first, each contact as much as it has nodes below it. All channels
// with the same scope have the same layout.
type layout struct {
	shares []share
	size   float64 // nodes below, this one included
}

// share is a contact's part of a slot: from and to are fractions of its width.
type share struct {
	contact  *contact
	from, to float64
}

// still is by how much of the mean gap between two polls of a wedge a slot may be out of place.
// Moving it would cost a message and gain nothing: an error of a tenth of the gap at every
// poll adds a hundredth to the mean detection time.
const still = 0.1

// layout returns the layout of a scope.
func (n *Node) layout(scope uint8) *layout {
	l := n.wedges.layouts[scope]
	if l == nil {
		l = n.layOut(scope)
		n.wedges.layouts[scope] = l
	}
	return l
}

func (n *Node) layOut(scope uint8) *layout {
	l := &layout{size: 1}
	for _, c := range n.census.contacts {
		if c.bits >= int(scope) {
			l.shares = append(l.shares, share{contact: c, from: l.size, to: l.size + float64(c.nodes)})
			l.size += float64(c.nodes)
		}
	}
	for i := range l.shares {
		l.shares[i].from /= l.size
		l.shares[i].to /= l.size
	}
	return l
}

// layOutAgain brings the layouts up to date with the census, and has orders passed on where they
// differ by more than can be left.
func (n *Node) layOutAgain() {
	w := &n.wedges
	w.relayout = false
	var differs [engine.Bits + 1]bool
	any := false
	for scope, old := range w.layouts {
		if old == nil {
			continue
		}
		if l := n.layOut(uint8(scope)); !l.about(old) {
			w.layouts[scope], differs[scope], any = l, true, true
		}
	}
	if !any {
		return
	}
	for i := range w.list {
		if p := &w.list[i]; differs[p.scope] {
			n.pass(p, moved)
		}
	}
}

// about tells whether every share is about where it was.
func (l *layout) about(old *layout) bool {
	if len(l.shares) != len(old.shares) {
		return false
	}
	for i, s := range l.shares {
		o := old.shares[i]
		if s.contact != o.contact || math.Abs(s.from-o.from)*l.size > still || math.Abs(s.to-o.to)*l.size > still {
			return false
		}
	}
	return true
}

// aboutSame tells whether the slot of p is about where that of old is.
func (n *Node) aboutSame(old, p *polled) bool {
	gap := float64(p.width) / n.layout(p.scope).size
	near := func(a, b time.Duration) bool { return math.Abs(float64(circular(a-b, n.config.Interval))) <= still*gap }
	return near(old.start, p.start) && near(old.start+old.width, p.start+p.width)
}

// circular returns d modulo period, from -period/2 to period/2.
func circular(d, period time.Duration) time.Duration {
	d %= period
	switch {
	case d > period/2:
		return d - period
	case d < -period/2:
		return d + period
	}
	return d
}

// nextTime returns the first moment from now on that is a whole number of periods from start.
func nextTime(start, period, now time.Duration) time.Duration {
	wait := (start - now) % period
	if wait < 0 {
		wait += period
	}
	return now + wait
}

// chance returns a random time below d.
func (n *Node) chance(d time.Duration) time.Duration {
	return time.Duration(n.env.Rand().Int64N(int64(d)))
}

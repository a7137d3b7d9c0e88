package corona

import (
	"math"

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

// layout returns the layout of a scope.
func (n *planner) layout(scope uint8) *layout {
	l := n.wedges.layouts[scope]
	if l == nil {
		l = n.layOut(scope)
		n.wedges.layouts[scope] = l
	}
	return l
}

func (n *planner) layOut(scope uint8) *layout {
	l := &layout{size: 1}
	for _, c := range n.aggregation.within(scope) {
		l.shares = append(l.shares, share{contact: c, from: l.size, to: l.size + float64(c.nodes)})
		l.size += float64(c.nodes)
	}
	for i := range l.shares {
		l.shares[i].from /= l.size
		l.shares[i].to /= l.size
	}
	return l
}

// layOutAgain brings the layouts up to date with the aggregation, and has assignments passed on where they
// differ by more than can be left.
func (n *planner) layOutAgain() {
	w := &n.wedges
	w.relayout = false
	n.deputeAgain()
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
	for i := range w.polled.length {
		if p := w.polled.at(i); p.scope != viaDeputy && differs[p.scope] {
			n.Pass(p, moved)
		}
	}
}

// about reports whether every share is about where it was.
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

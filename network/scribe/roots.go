package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// rootsOf is who a group's roots are, as far as this node has heard. Liars can add names to what
// is heard, and take none away: many nodes are asked, and each that is named has to have its ID.
type rootsOf struct {
	list  []engine.Peer // closest first
	heard time.Duration
	asked time.Duration
	vain  int // how often in a row it was asked without an answer, up to 16
}

// rootsLast is how long what was heard of roots is believed.
const rootsLast = 10 * time.Minute

func (r *rootsOf) old(now time.Duration) bool { return len(r.list) == 0 || now > r.heard+rootsLast }

func (r *rootsOf) set(list []engine.Peer, now time.Duration) {
	r.list, r.heard, r.vain = slices.Clone(list), now, 0
}

// drop takes out one that does not answer. It comes back if it is named again.
func (r *rootsOf) drop(id engine.ID) {
	r.list = slices.DeleteFunc(r.list, func(p engine.Peer) bool { return p.ID == id })
}

func (r *rootsOf) has(id engine.ID) bool {
	return slices.ContainsFunc(r.list, func(p engine.Peer) bool { return p.ID == id })
}

// add takes the roots that somebody names, and keeps of all the closest to the key.
func (r *rootsOf) add(key engine.ID, list []engine.Peer, most int, now time.Duration) {
	if r.old(now) {
		r.list = nil
	}
	for _, p := range list {
		if !r.has(p.ID) {
			r.list = append(r.list, p)
		}
	}
	slices.SortFunc(r.list, func(a, b engine.Peer) int {
		switch {
		case a.ID == b.ID:
			return 0
		case engine.Closer(key, a.ID, b.ID):
			return -1
		}
		return 1
	})
	r.list = r.list[:min(len(r.list), 2*most)]
	r.heard, r.vain = now, 0
}

// askRoots asks a random node who the roots of a group are.
func (n *Node) askRoots(g *group) {
	g.roots.asked = n.env.Now()
	ask := &Ask{Group: g.Group, Asker: n.env.Self(), Start: true}
	if hop, ok := n.randomHop(n.avoiding(g)); ok {
		n.env.Send(hop, ask)
	}
}

// takeAsk answers who the roots are, or routes the question.
func (n *Node) takeAsk(m *Ask) {
	if n.answerAsk(m) || !m.Start {
		return
	}
	on := *m
	on.Start = false
	n.ring.Route(m.Group.rootKey(), &on)
}

// answerAsk tells who the roots are, if this node is sure.
func (n *Node) answerAsk(m *Ask) bool {
	owners, sure := n.ring.Owners(m.Group.rootKey(), n.config.Roots)
	if !sure || !n.ring.Active() {
		return false
	}
	n.env.Send(m.Asker, &Roots{Group: m.Group, Roots: slices.Clone(owners)})
	return true
}

// takeRoots notes who the roots are.
func (n *Node) takeRoots(m *Roots) {
	if g := n.find(m.Group); g != nil {
		before := g.roots.list
		g.roots.add(g.rootKey(), m.Roots, n.config.Roots, n.env.Now())
		g.comparing.rootsChanged(before, g.roots.list)
	}
}

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
}

// rootsLast is how long what was heard of roots is believed.
const rootsLast = 10 * time.Minute

func (r *rootsOf) old(now time.Duration) bool { return len(r.list) == 0 || now > r.heard+rootsLast }

func (r *rootsOf) set(list []engine.Peer, now time.Duration) {
	r.list, r.heard = slices.Clone(list), now
}

// add takes the roots that somebody names, and keeps of all the closest to the key.
func (r *rootsOf) add(key engine.ID, list []engine.Peer, most int, now time.Duration) {
	if r.old(now) {
		r.list = nil
	}
	for _, p := range list {
		if !slices.ContainsFunc(r.list, func(q engine.Peer) bool { return q.ID == p.ID }) {
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
	r.heard = now
}

// askRoots asks a random node who the roots of a group are.
func (n *Node) askRoots(g *group) {
	ask := &Ask{Key: g.Key, Asker: n.env.Self(), Start: true}
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
	n.ring.Route(m.Key, &on)
}

// answerAsk tells who the roots are, if this node is sure.
func (n *Node) answerAsk(m *Ask) bool {
	owners, sure := n.ring.Owners(m.Key, n.config.Roots)
	if !sure || !n.ring.Active() {
		return false
	}
	n.env.Send(m.Asker, &Roots{Key: m.Key, Roots: slices.Clone(owners)})
	return true
}

// takeRoots notes who the roots are.
func (n *Node) takeRoots(m *Roots) {
	for _, g := range n.groups.list { // few keys have several topics, and few answers come
		if g.Key == m.Key && g.member {
			g.roots.add(m.Key, m.Roots, n.config.Roots, n.env.Now())
		}
	}
}

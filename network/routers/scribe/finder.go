package scribe

import (
	"slices"

	"tidings/network/engine"
)

// finder finds the roots of groups: by this node's place on the ring, or by a question to a random node. What it
// answers is as good as the ring's view. It keeps nothing: those that ask keep what they learn, as rootsOf.
type finder struct {
	env   engine.Env
	ring  Ring
	roots int // of a group
}

func (f finder) isSelf(p engine.Peer) bool { return p.ID == f.env.Self().ID }

// owners returns the nodes closest to a group's key, closest first, and whether the ring is sure.
func (f finder) owners(of Group) (owners []engine.Peer, sure bool) {
	return f.ring.Owners(of.rootKey(), f.roots)
}

// isRoot reports whether this node is the closest to a group's key.
func (f finder) isRoot(of Group) bool {
	if !f.ring.Active() {
		return false
	}
	owners, sure := f.ring.Owners(of.rootKey(), 1)
	return sure && len(owners) > 0 && f.isSelf(owners[0])
}

// isAmongRoots reports whether this node is one of a group's roots.
func (f finder) isAmongRoots(of Group) bool {
	owners, _ := f.owners(of)
	return slices.ContainsFunc(owners, f.isSelf)
}

// randomHop draws a node of the ring that is none of those to avoid.
func (f finder) randomHop(avoid []engine.ID) (engine.Peer, bool) {
	known := f.ring.Known()
	for range 8 {
		if len(known) == 0 {
			break
		}
		p := known[f.env.Rand().IntN(len(known))]
		if !f.isSelf(p) && !slices.Contains(avoid, p.ID) {
			return p, true
		}
	}
	return engine.Peer{}, false
}

// ask asks a random node, which is none of those to avoid, for the roots of a group.
func (f finder) ask(of Group, avoid []engine.ID) {
	if hop, ok := f.randomHop(avoid); ok {
		f.env.Send(hop, &Ask{Group: of, Asker: f.env.Self(), Start: true})
	}
}

// receiveAsk answers an Ask, or routes it once.
func (f finder) receiveAsk(m *Ask) {
	if f.answer(m) || !m.Start {
		return
	}
	on := *m
	on.Start = false
	f.ring.Route(m.Group.rootKey(), &on)
}

// answer sends the roots to the asker, if this node is sure.
func (f finder) answer(m *Ask) bool {
	owners, sure := f.owners(m.Group)
	if !sure || !f.ring.Active() {
		return false
	}
	f.env.Send(m.Asker, &Roots{Group: m.Group, Roots: slices.Clone(owners)})
	return true
}

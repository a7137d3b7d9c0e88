package archive

import (
	"time"

	"tidings/network/engine"
)

// standing is where this node stands on the ring.
type standing struct {
	stale bool // the neighbours have changed since
	view  view
	own   keyRange // the keys of which this node is an owner
	sure  bool
	last  view // that others were compared for; without nodes: none were
	timer engine.Alarm
}

// settle is how long a node waits after its neighbours have changed before it compares what it has with
// theirs: they often change several times in a row.
const settle = 500 * time.Millisecond

// neighboursChanged has the node find out anew what it is an owner of, and with whom.
func (n *Node) neighboursChanged() {
	s := &n.standing
	s.stale = true
	s.timer.Soon(n.env, n.env.Now()+settle, func() {
		if !n.ring.Active() {
			n.neighboursChanged()
			return
		}
		if n.look(); n.loaded && !s.view.sameNearby(s.last) {
			s.last = s.view
			n.compareWithAll()
			n.surplusSoon()
		}
	})
}

// look makes the standing that of now.
func (n *Node) look() *standing {
	s := &n.standing
	if s.stale && n.ring.Active() {
		below, above := n.ring.LeafSet()
		s.view = newView(n.env.Self(), below, above, n.config.Replicas)
		s.own, s.sure = s.view.owned(0)
		s.stale = false
	}
	return s
}

// owns reports whether this node is one of the owners of a key.
func (n *Node) owns(key engine.ID) bool {
	s := n.look()
	return s.sure && s.own.contains(key)
}

// own returns the keys of which this node is an owner, if it knows.
func (n *Node) own() (a keyRange, sure bool) {
	s := n.look()
	return s.own, s.sure
}

// surplusArc returns the keys of which this node is no owner; there are none if it is not ok.
func (n *Node) surplusArc() (a keyRange, ok bool) {
	own, sure := n.own()
	return keyRange{own.to, own.from}, sure && !own.whole()
}

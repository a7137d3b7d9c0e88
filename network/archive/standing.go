package archive

import (
	"time"

	"tidings/network/engine"
)

// standing is this node's place on the ring: of which keys it is an owner, and which other nodes are. It is what the
// ring says, asked anew when the neighbours have changed.
type standing struct {
	env   engine.Env
	ring  Ring
	k     int    // Config.Replicas
	moved func() // called at least settle after the neighbours have changed, when the ring is active
	stale bool   // the neighbours have changed since
	view  view
	arc   keyRange // the keys of which this node is an owner
	sure  bool
	last  view // the one before the latest shift; without nodes: there was none
	timer engine.Alarm
}

// settle is how long a node waits after its neighbours have changed before it compares with them: they often change
// several times in a row.
const settle = 500 * time.Millisecond

// changed notes that the neighbours have changed.
func (s *standing) changed() {
	s.stale = true
	s.timer.Soon(s.env, s.env.Now()+settle, func() {
		if !s.ring.Active() {
			s.changed()
			return
		}
		s.moved()
	})
}

// look returns what this node sees of the ring.
func (s *standing) look() *view {
	if s.stale && s.ring.Active() {
		below, above := s.ring.LeafSet()
		s.view = newView(s.env.Self(), below, above, s.k)
		s.arc, s.sure = s.view.owned(0)
		s.stale = false
	}
	return &s.view
}

// shifted reports whether the nodes nearby are others than when it did so last.
func (s *standing) shifted() bool {
	if v := s.look(); v.sameNearby(s.last) {
		return false
	}
	s.last = s.view
	return true
}

// owns reports whether this node is one of the owners of a key.
func (s *standing) owns(key engine.ID) bool {
	s.look()
	return s.sure && s.arc.contains(key)
}

// own returns the keys of which this node is an owner, if it knows.
func (s *standing) own() (a keyRange, sure bool) {
	s.look()
	return s.arc, s.sure
}

// rest returns the keys of which this node is no owner; there are none if it is not ok.
func (s *standing) rest() (a keyRange, ok bool) {
	own, sure := s.own()
	return keyRange{own.to, own.from}, sure && !own.whole()
}

// owners returns the owners of a key, closest first, if this node knows them for sure.
func (s *standing) owners(key engine.ID) ([]engine.Peer, bool) {
	owners, sure := s.ring.Owners(key, s.k)
	return owners, sure && s.ring.Active()
}

// moved compares what is here with the co-owners', and hands over what other nodes own now.
func (n *Node) moved() {
	if n.stock.loaded && n.standing.shifted() {
		n.replicas.compareWithAll(n.standing.look())
		n.surplus.soon()
	}
}

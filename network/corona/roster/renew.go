package roster

import (
	"encoding/binary"
	"time"

	"tidings/network/engine"
)

// renewal returns when subscriptions at an owner are to be renewed: all at the same time, in one message. Times differ
// by owner and by node.
func (n *subscriptions) renewal(owner engine.ID) time.Duration {
	self, every := n.Env.Self().ID, n.config.Renew
	hash := engine.Mix(binary.BigEndian.Uint64(self[:]) ^ engine.Mix(binary.BigEndian.Uint64(owner[:])))
	phase := time.Duration(hash % uint64(every))
	now := n.Env.Now()
	wait := ((phase-now)%every + every) % every
	if wait < every/8 {
		wait += every
	}
	return now + wait
}

// renewAtNewPace schedules the renewals of all subscriptions anew.
func (n *subscriptions) renewAtNewPace() {
	for _, s := range n.due(func(s *subscription) bool { return !s.home.IsZero() }) {
		n.sendAt(s, n.renewal(s.home.ID))
	}
}

// due returns the acknowledged subscriptions that wait for renewal and satisfy which.
func (n *subscriptions) due(which func(*subscription) bool) (list []*subscription) {
	for _, s := range n.agenda.All() {
		if s.acked && which(s) {
			list = append(list, s)
		}
	}
	return list
}

// lostHomeWithin bounds the delay of lostHome. The ring needs as long to mend.
const lostHomeWithin = time.Minute

// lostHome soon renews the subscriptions that a lost peer has acknowledged. Its successor has them, unless all owners
// are lost.
func (n *subscriptions) lostHome(p engine.Peer) {
	of := n.due(func(s *subscription) bool { return s.home == p })
	if len(of) == 0 {
		return
	}
	at := n.Env.Now() + n.Chance(lostHomeWithin)
	for _, s := range of {
		s.home = engine.Peer{}
		n.sendAt(s, min(at, s.at))
	}
}

const (
	// moveRate and moveBurst bound how many subscriptions are renewed, a second and at once, because others claim to be
	// the primary. The rest wait for their turn, or until the node notices that the old primary is down.
	moveRate  = 2
	moveBurst = 256
	// moveWithin bounds the delay of a renewal at a new primary.
	moveWithin = 2 * time.Second
)

// MoveHome renews the subscriptions to a channel whose primary seems to be another node than the one that acknowledged
// them. The latter
//
//   - has died, if it is closer to the channel: the subscriptions go over the ring, which knows the closest node now;
//   - knows better, if it is farther: they go to it. It passes them on to a node that has joined, or keeps them because
//     the closer one is shunned or does not answer.
func (n *subscriptions) MoveHome(channel engine.ID, primary engine.Peer) {
	for _, s := range n.of(channel) {
		now := n.Env.Now()
		if !s.acked || s.sent || s.at <= now+moveWithin || s.home.ID == primary.ID {
			continue
		}
		if !n.moves.Take(1, now) {
			n.LimitHit("moveRate", moveRate)
			return
		}
		if engine.Closer(channel, s.home.ID, primary.ID) {
			s.home = engine.Peer{}
		}
		n.sendAt(s, now+n.Chance(moveWithin))
	}
}

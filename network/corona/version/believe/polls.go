package believe

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/table"
)

// polls polls for other nodes, and sends them what this node sees.
type polls struct {
	around
	pending map[engine.ID]*pendingVerify // by channel, at most maxUnderWay
}

// pendingVerify lists the nodes that wait for a poll of one channel.
type pendingVerify struct {
	to    []requester     // waiting for the poll under way; at most maxPendingVerify
	began time.Duration   // when that poll began
	asked time.Duration   // when a node last asked
	polls table.Allowance // for all requesters, in an interval
}

// requester is a node that waits for a poll.
type requester struct {
	peer    engine.Peer
	version uint64 // that a witness signs for
	place   uint8  // of this node, as a witness
	signs   bool   // this node is a witness
}

const (
	maxPendingVerify = 4
	// verifyPatience is how long a poll may be under way. After that the next request begins another poll: the first
	// was lost.
	verifyPatience = time.Minute
)

// PollFor polls a channel for a node that asks what this one sees, or waits for the poll under way. It returns false if
// there were most polls in this interval.
func (n *polls) PollFor(from engine.Peer, c update.Channel, most int) bool {
	return n.add(requester{peer: from}, c, most)
}

// PollAsWitness polls a channel for an owner that numbers a version, and signs what this node sees. It polls at most so
// often in an interval.
func (n *polls) PollAsWitness(owner engine.Peer, m *update.Verify, c update.Channel, most int) {
	n.add(requester{owner, m.Version, m.Place, true}, c, most)
}

// add polls at once, or waits for the poll under way, for a requester. It returns false if there were most polls in
// this interval.
func (n *polls) add(from requester, c update.Channel, most int) bool {
	w := n.pending[c.ID]
	switch {
	case w == nil && !update.Room(&n.Base, len(n.pending), "pendingVerifies", maxUnderWay):
		return false
	case w == nil:
		w = &pendingVerify{}
		n.pending[c.ID] = w
		n.Env.After(n.config.Interval, func() { n.expire(c.ID, w) })
	}
	if now := n.Env.Now(); len(w.to) > 0 && now >= w.began+verifyPatience {
		w.to = nil
	}
	switch {
	case len(w.to) >= maxPendingVerify:
		return false
	case len(w.to) == 0:
		if !w.polls.Spend(n.Env.Now(), n.config.Interval, most) {
			return false
		}
		w.began = n.Env.Now()
		n.host.Poll(c)
	}
	w.to, w.asked = append(w.to, from), n.Env.Now()
	return true
}

// expire drops a channel an interval after the last request: later requesters may still wait.
func (n *polls) expire(channel engine.ID, w *pendingVerify) {
	if left := w.asked + n.config.Interval - n.Env.Now(); left > 0 {
		n.Env.After(left, func() { n.expire(channel, w) })
		return
	}
	delete(n.pending, channel)
}

// Answer sends the waiting nodes what this node sees. It returns false if none waits.
func (n *polls) Answer(channel engine.ID, h update.Hash) bool {
	w := n.pending[channel]
	if w == nil || len(w.to) == 0 {
		return false
	}
	for _, to := range w.to {
		m := &update.Verified{Channel: channel, Hash: h}
		if to.signs {
			m.Seen = n.sign(channel, to.version, h, to.place)
		}
		n.Env.Send(to.peer, m)
	}
	w.to = nil
	return true
}

// sign signs what this node has seen as a witness.
func (n *polls) sign(channel engine.ID, version uint64, h update.Hash, place uint8) (a update.Attestation) {
	if n.Keys != nil && h != (update.Hash{}) {
		a = update.Attestation{Place: place, At: n.Env.Wall().UnixMilli(), By: n.Env.Self()}
		a.Signature = n.Keys.Sign(update.AttestationWords(channel, version, h, &a))
	}
	return a
}

package version

import (
	"time"

	"tidings/network/engine"
)

// witnesses polls for other nodes, and sends them what this node sees.
type witnesses struct {
	*core
	pending map[engine.ID]*pendingVerify // by channel, at most maxUnderWay
}

// pendingVerify lists the nodes that wait for a poll of one channel.
type pendingVerify struct {
	to    []requester   // waiting for the poll under way; at most maxPendingVerify
	began time.Duration // when that poll began
	asked time.Duration // when a node last asked
	polls allowance     // for all requesters, in an interval
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

// pollFor polls a channel that is polled here, and sends the requester what it shows. It polls at most freeChecks times
// an interval, once if the load of hosts is bounded.
func (n *witnesses) pollFor(from engine.Peer, channel engine.ID) {
	c, polled := n.Plan.Polled(channel)
	most := freeChecks
	if n.Ceilings.Hosted() {
		polled = polled && n.Ceilings.MayLead(from.ID, channel)
		most = 1
	}
	if !polled || !n.add(requester{peer: from}, c, most) {
		n.Env.Send(from, &Verified{Channel: channel})
	}
}

// add polls at once, or waits for the poll under way, for a requester. It returns false if there were most polls in
// this interval.
func (n *witnesses) add(from requester, c Channel, most int) bool {
	w := n.pending[c.ID]
	switch {
	case w == nil && !room(n.core, n.pending, c.ID, "pendingVerifies", maxUnderWay):
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
		if !w.polls.spend(n.Env.Now(), n.config.Interval, most) {
			return false
		}
		w.began = n.Env.Now()
		n.Poller.Verify(c)
	}
	w.to, w.asked = append(w.to, from), n.Env.Now()
	return true
}

// expire drops a channel an interval after the last request: later requesters may still wait.
func (n *witnesses) expire(channel engine.ID, w *pendingVerify) {
	if left := w.asked + n.config.Interval - n.Env.Now(); left > 0 {
		n.Env.After(left, func() { n.expire(channel, w) })
		return
	}
	delete(n.pending, channel)
}

// answer sends the waiting nodes what this node sees. It returns false if none waits.
func (n *witnesses) answer(channel engine.ID, h Hash) bool {
	w := n.pending[channel]
	if w == nil || len(w.to) == 0 {
		return false
	}
	for _, to := range w.to {
		m := &Verified{Channel: channel, Hash: h}
		if to.signs {
			m.Seen = n.attests.sign(channel, to.version, h, to.place)
		}
		n.Env.Send(to.peer, m)
	}
	w.to = nil
	return true
}

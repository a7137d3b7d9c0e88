package version

import (
	"time"

	"tidings/network/engine"
)

// witnesses is who waits for what this node sees of channels that it polls.
type witnesses struct {
	*core
	pending map[engine.ID]*pendingVerify // by channel, at most maxUnderWay
}

// pendingVerify lists the nodes that wait for a poll of one channel.
type pendingVerify struct {
	to    []asker       // at most maxPendingVerify
	asked time.Duration // when somebody last asked
	polls allowance     // for all who ask in an interval
}

// asker is who waits for a poll.
type asker struct {
	peer    engine.Peer
	version uint64 // that a witness signs for
	place   uint8  // of this node, as a witness
	signs   bool   // it is one
}

const (
	maxPendingVerify = 4
	// A witness polls a channel for so many changes in an interval at most: one, and one more for every two pollers that the host allows, but for no more than
	// twice as many as a primary checks. What changes more often, readers' nodes see for themselves.
	changesEach  = 0.5
	maxWitnessed = 12
)

// take polls, if the channel is polled here, and tells then what it sees. However often it is asked, it polls a few times an interval only.
func (n *witnesses) take(from engine.Peer, channel engine.ID) {
	c, polled := n.Plan.Polled(channel)
	most := freeChecks
	if n.Ceilings.Hosted() {
		polled = polled && n.Ceilings.MayLead(from.ID, channel)
		most = 1
	}
	if !polled || !n.add(asker{peer: from}, c, most) {
		n.Env.Send(from, &Verified{Channel: channel})
	}
}

// add has a peer told what this node sees when it polls next, which is at once. It returns false if it has polled most times in this interval.
func (n *witnesses) add(from asker, c Channel, most int) bool {
	w := n.pending[c.ID]
	switch {
	case w == nil && !room(n.core, n.pending, c.ID, "pendingVerifies", maxUnderWay):
		return false
	case w == nil:
		w = &pendingVerify{}
		n.pending[c.ID] = w
		n.Env.After(n.config.Interval, func() { n.expire(c.ID, w) })
	case len(w.to) >= maxPendingVerify:
		return false
	}
	if len(w.to) == 0 {
		if !w.polls.take(n.Env.Now(), n.config.Interval, most) {
			return false
		}
		n.Poller.Verify(c)
	}
	w.to, w.asked = append(w.to, from), n.Env.Now()
	return true
}

// expire forgets a channel once nobody has asked about it for an interval: who has asked lately may still wait.
func (n *witnesses) expire(channel engine.ID, w *pendingVerify) {
	if left := w.asked + n.config.Interval - n.Env.Now(); left > 0 {
		n.Env.After(left, func() { n.expire(channel, w) })
		return
	}
	delete(n.pending, channel)
}

// answer tells those who wait what this node sees, and reports whether anybody did.
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

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
	to    []asker       // that wait for the poll under way; at most maxPendingVerify
	began time.Duration // when that poll began
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
	// verifyPatience is how long a poll may be under way. What is asked for after that begins another poll: the first was lost.
	verifyPatience = time.Minute
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
	}
	if now := n.Env.Now(); len(w.to) > 0 && now >= w.began+verifyPatience {
		w.to = nil
	}
	switch {
	case len(w.to) >= maxPendingVerify:
		return false
	case len(w.to) == 0:
		if !w.polls.take(n.Env.Now(), n.config.Interval, most) {
			return false
		}
		w.began = n.Env.Now()
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

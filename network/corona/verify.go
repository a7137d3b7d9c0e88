package corona

import "tidings/network/engine"

// pendingVerify lists the nodes that wait for what this node sees of a channel.
type pendingVerify struct {
	to       []engine.Peer
	answered bool // they were told
}

// maxPendingVerify is how many wait at a time, for one channel.
const maxPendingVerify = 4

// takeVerify says what this node has reported, or polls, if the channel is polled here. However
// often it is asked, it polls a few times an interval only.
func (n *versioner) takeVerify(from engine.Peer, m *Verify) {
	if m.Hash != (Hash{}) {
		if r := n.versions.sentReports[m.Channel]; r != nil && r.update.Hash == m.Hash {
			n.Env.Send(from, &Verified{m.Channel, m.Hash})
		}
		return
	}
	c, polled := n.node.plan.Polled(m.Channel)
	if !polled || n.node.budget.Hosted() && !n.node.budget.MayLead(from.ID, m.Channel) || !n.addPendingVerify(from, c) {
		n.Env.Send(from, &Verified{Channel: m.Channel})
	}
}

// addPendingVerify has a peer told what this node sees when it polls next, which is at once. It returns false
// if it has polled already.
func (n *versioner) addPendingVerify(from engine.Peer, channel Channel) bool {
	v := &n.versions
	w := v.pendingVerifies[channel.ID]
	switch {
	case w == nil && len(v.pendingVerifies) >= maxUnderWay:
		return n.LimitHit("pendingVerifies", maxUnderWay)
	case w == nil:
		w = &pendingVerify{}
		v.pendingVerifies[channel.ID] = w
		n.Env.After(n.pendingVerifyEvery(), func() { delete(v.pendingVerifies, channel.ID) })
		n.node.verifyNow(channel)
	case w.answered || len(w.to) >= maxPendingVerify:
		return false
	}
	w.to = append(w.to, from)
	return true
}

// answerPendingVerify tells those who wait what this node sees.
func (n *versioner) answerPendingVerify(channel engine.ID, h Hash) {
	w := n.versions.pendingVerifies[channel]
	if w == nil {
		return
	}
	for _, p := range w.to {
		n.Env.Send(p, &Verified{Channel: channel, Hash: h})
	}
	w.to, w.answered = nil, true
}

// takeVerified takes the finder's confirmation, or counts what a member sees.
func (n *versioner) takeVerified(from engine.Peer, m *Verified) {
	o := n.node.roster.Find(m.Channel)
	if o == nil || o.contents == nil || o.contents.now == nil {
		return
	}
	c := o.contents.now
	switch {
	case c.stage == confirming && c.finder.ID == from.ID && c.update.Hash == m.Hash:
		n.check(o, c)
	case c.stage == awaiting && c.witness.ID == from.ID && c.update.Hash == m.Hash:
		n.keep(o, c)
	case c.stage == asking && c.asked[len(c.asked)-1] == from.ID:
		switch m.Hash {
		case c.update.Hash:
			c.agree++
		case Hash{}:
		default:
			c.differ++
		}
		n.askMember(o, c)
	}
}

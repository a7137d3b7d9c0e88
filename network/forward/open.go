package forward

import (
	"tidings/network/engine"
)

// How a route opens, from A to B by F:
//
//  1. A draws a number and sends an Open to F, which passes it on.
//  2. B answers by F with an Open of its own, with a number that it draws. It cannot know yet whether A's Open is new
//     or was kept by somebody: nothing changes.
//  3. A knows by its number that the answer is new. It sends what waits, or an empty Message, with B's number.
//  4. B knows by its number that A's Message is new. From now on it sends to A by F as well.
//
// Where both ask at a time, each ends with the numbers of one Open and keeps those of the other for what is under way.

// onOpen passes an Open on, answers it, or counts it as the answer.
func (n *Node) onOpen(by engine.Peer, m *Open) {
	if m.To != n.self {
		n.pass(by, m.From.ID, m.To, m)
		return
	}
	r := n.routes[m.From.ID]
	if m.Answers != 0 && (r == nil || r.state != opening || r.number != m.Answers) || m.Number == 0 {
		return
	}
	if !n.admits(m.From.ID) || !n.keys.Signed(m.From, m.words(), m.Signature) {
		n.drop(by, Unsigned)
		return
	}
	n.introduce(m.From.ID, by.ID)
	n.maybeDoubt(m.From.ID)
	if m.Answers != 0 {
		n.opened(r, by, m.From, session{mine: r.number, theirs: m.Number})
		return
	}
	if r == nil {
		if r = n.add(m.From); r == nil {
			return
		}
		r.alarm.Stop()
		r.state = closed
	}
	if r.offered.theirs != m.Number { // else it has come by another neighbour as well
		r.offered = session{mine: n.draw(), theirs: m.Number}
	}
	n.say(by, m.From.ID, r.offered.mine, m.Number)
}

// opened begins to use a route.
func (n *Node) opened(r *route, by, peer engine.Peer, s session) {
	asked := r.state == opening && s.mine == r.number
	took := n.Now() - r.began
	if !asked {
		took = 0
	}
	if r.now.mine != 0 {
		r.before = r.now
	}
	r.peer, r.by, r.now = peer, by, s
	r.wait, r.heard, r.used = n.config.Hedge, n.Now(), n.Now()
	n.Trace(Opened{peer, by, took})
	n.tryDirectly(r, asked)
	if sent := n.resume(r); asked && sent == 0 {
		n.sendPayload(r, nil)
	}
}

// resume sends what waits by a route that works, or does again, and returns how much that was.
func (n *Node) resume(r *route) int {
	held := r.held
	r.state, r.held, r.sent, r.asked, r.asking, r.down = open, nil, 0, nil, false, engine.Peer{}
	r.alarm.Stop()
	for _, m := range held {
		n.send(r, m)
	}
	return len(held)
}

// tryDirectly tries now and then whether there can be a direct connection: the first time at once, unless that was what
// came before.
func (n *Node) tryDirectly(r *route, tried bool) {
	r.tryWait = n.config.Retry
	if !tried {
		n.Env.Send(r.peer, &Try{})
	}
	r.tries.Set(n.Env, n.Now()+r.tryWait, func() { n.retry(r) })
}

func (n *Node) retry(r *route) {
	if n.isLinked(r.peer.ID) {
		n.connected(r)
		return
	}
	if n.Now()-r.used > n.config.Idle {
		n.forget(r)
		return
	}
	n.Env.Send(r.peer, &Try{})
	r.tryWait = min(2*r.tryWait, n.config.RetryMax)
	r.tries.Set(n.Env, n.Now()+r.tryWait, func() { n.retry(r) })
}

// send sends a message by the route, or drops it if it is too long.
func (n *Node) send(r *route, m engine.Message) {
	payload, err := n.codec.Append(nil, m)
	if err != nil || len(payload) > n.config.MaxPayload {
		n.limitHit("MaxPayload", n.config.MaxPayload)
		return
	}
	n.sendPayload(r, payload)
}

func (n *Node) sendPayload(r *route, payload []byte) {
	ask := !r.asking && n.Now()-r.heard > n.config.Silence
	if ask {
		r.asking = true
		r.alarm.Set(n.Env, n.Now()+n.config.Answer, func() { n.open(r) })
	}
	r.now.sent++
	m := &Message{From: n.Self(), To: r.peer.ID, Number: r.now.theirs, Count: r.now.sent, Ask: ask, Payload: payload}
	m.Signature = n.keys.Sign(m.words())
	n.Env.Send(r.by, m)
}

// onMessage passes a Message on, or hands the protocols what it carries.
func (n *Node) onMessage(by engine.Peer, m *Message) {
	if m.To != n.self {
		n.pass(by, m.From.ID, m.To, m)
		return
	}
	if !n.admits(m.From.ID) || !n.keys.Signed(m.From, m.words(), m.Signature) {
		n.drop(by, Unsigned)
		return
	}
	n.introduce(m.From.ID, by.ID)
	n.maybeDoubt(m.From.ID)
	r := n.routes[m.From.ID]
	if r == nil {
		if r = n.add(m.From); r == nil {
			return
		}
		r.alarm.Stop()
		r.state = closed
	}
	s := r.sessionOf(m.Number)
	switch {
	case s == nil:
		n.forgotten(r)
		return
	case m.Count <= s.got:
		n.drop(by, Repeated)
		return
	}
	s.got = m.Count
	if promoted := *s; s == &r.offered {
		r.offered = session{}
		n.opened(r, by, m.From, promoted)
	}
	r.peer, r.by, r.heard, r.used = m.From, by, n.Now(), n.Now()
	if s == &r.now && r.state == opening {
		n.resume(r)
	}
	if r.asking {
		r.asking = false
		r.alarm.Stop()
	}
	if m.Ask {
		n.sendPayload(r, nil)
	}
	if len(m.Payload) > 0 {
		n.carried(r, by, m.Payload)
	}
}

// maybeDoubt has a connection looked after whose other end comes by a forwarder: it may be dead, as that of a relay
// that has died is, and what is sent there is lost until somebody notices.
func (n *Node) maybeDoubt(id engine.ID) {
	if n.isLinked(id) {
		engine.Doubt(n.Env, id)
	}
}

// carried hands the protocols what a Message carries.
func (n *Node) carried(r *route, by engine.Peer, payload []byte) {
	m, err := n.codec.Decode(payload)
	if err != nil || m.Kind().Protocol() == engine.Transport {
		n.drop(by, Malformed)
		return
	}
	switch m := m.(type) {
	case *WhoForwards:
		n.send(r, &NotConnected{Peer: m.Peer, Ask: n.whoElse(m.Peer, r.peer.ID)})
	case *NotConnected:
		n.onNotConnected(r.peer, m)
	case *Open, *Message, *Try:
		n.drop(by, Secondary)
	default:
		n.deliver(r.peer, m)
	}
}

// sessionOf returns the session in which the peer uses a number; nil if there is none.
func (r *route) sessionOf(number uint64) *session {
	for _, s := range []*session{&r.now, &r.before, &r.offered} {
		if s.mine != 0 && s.mine == number {
			return s
		}
	}
	return nil
}

// forgotten handles that a peer uses a route that this node does not know, as it was started anew: it asks for one
// itself.
func (n *Node) forgotten(r *route) {
	if r.state == closed && n.Now() >= r.again {
		n.open(r)
	}
}

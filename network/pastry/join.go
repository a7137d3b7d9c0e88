package pastry

import (
	"time"

	"tidings/network/engine"
)

// Create makes this node a ring of its own, active at once. It does nothing if the node is
// active already. A join that is under way goes on: the two rings merge when it succeeds.
func (n *Node) Create() {
	if n.state == active {
		return
	}
	n.begin()
	n.member = true
	n.maybeSettled()
}

// Join makes this node part of the ring that any of the seeds is in. It keeps asking them in
// turn, each round after a longer wait, until one leads to an answer. It may be called at any
// time, with further seeds or the same: somebody knows that they are there, so the waits are
// short again. A node that is active already brings its whole ring along.
func (n *Node) Join(seeds ...engine.Peer) {
	if n.attempt == nil {
		n.attempt = &attempt{}
	}
	a := n.attempt
	inVain := a.hopeless()
	for _, s := range seeds {
		if s.ID == n.known.self || !engine.Admissible(n.env, s.ID) {
			continue
		}
		if !a.add(s, n.config.MaxSeeds) {
			n.limitHit("MaxSeeds", n.config.MaxSeeds)
			break
		}
	}
	if len(a.seeds) == 0 {
		n.attempt = nil
		return
	}
	n.begin()
	a.wait = n.config.JoinTimeout
	if soon := a.when + a.wait - n.env.Now(); inVain || soon <= 0 {
		n.askSeeds()
	} else {
		a.timer.Stop()
		a.timer = n.env.After(soon, n.askSeeds)
	}
}

// begin starts the node's life, if that has not happened.
func (n *Node) begin() {
	if n.state == idle {
		n.state, n.since = joining, n.env.Now()
		n.start()
	}
}

// askSeeds asks the next seed in turn. Those that are down are asked as well when it is theirs,
// but nobody waits for them while there are others.
func (n *Node) askSeeds() {
	a := n.attempt
	a.timer.Stop()
	a.when = n.env.Now()
	for wait := time.Duration(0); wait == 0; {
		s, again := a.next()
		if again {
			a.wait = min(2*a.wait, n.config.JoinRetry)
		}
		if !s.down || a.hopeless() {
			wait = n.jitter(a.wait)
			a.timer = n.env.After(wait, n.askSeeds)
		}
		n.env.Trace(Asked{s.peer, wait})
		n.joinThrough(s.peer)
	}
}

// seedDown goes on to the next seed if this one is waited for, and there is another.
func (n *Node) seedDown(id engine.ID) {
	a := n.attempt
	if a == nil {
		return
	}
	awaited := a.awaited().peer.ID == id
	if a.mark(id, true); awaited && !a.hopeless() {
		n.askSeeds()
	}
}

// joinThrough routes a Join to this node's own ID, starting at another node.
func (n *Node) joinThrough(seed engine.Peer) {
	n.env.Send(seed, &Routed{
		Key: n.known.self, Origin: n.env.Self(), Number: n.env.Rand().Uint64(), Hops: 1,
		Payload: &Join{n.env.Self(), n.nonce},
	})
}

// joins is the application that joins are routed to: the first user of routing.
type joins struct{ n *Node }

// Forward sends the joining node the row that this one shares with it.
func (j joins) Forward(key engine.ID, m engine.Message, _ engine.Peer) bool {
	join, ok := m.(*Join)
	if !ok || join.Joiner.ID != key {
		return false
	}
	j.sendRow(join.Joiner, j.n.known.self.CommonDigits(key, j.n.config.Digit))
	return true
}

// Deliver welcomes the joining node among its neighbours.
func (j joins) Deliver(key engine.ID, _ engine.Peer, m engine.Message, _ int) {
	join, ok := m.(*Join)
	if !ok || join.Joiner.ID != key {
		return
	}
	n := j.n
	near := n.near(key, []engine.ID{n.known.self})
	n.env.Send(join.Joiner, &Welcome{Nonce: join.Nonce, Near: append(near, n.env.Self())})
	for r := range n.known.self.CommonDigits(key, n.config.Digit) + 1 {
		j.sendRow(join.Joiner, r)
	}
}

func (j joins) sendRow(to engine.Peer, r int) {
	if row := j.n.known.row(r); len(row) > 0 {
		j.n.env.Send(to, &Row{Peers: row})
	}
}

// onWelcome goes to meet the neighbours.
func (n *Node) onWelcome(from engine.Peer, m *Welcome) {
	if m.Nonce != n.nonce {
		return
	}
	n.env.Trace(Welcomed{from})
	n.ask(from, n.known.nearby(from.ID)) // whatever was believed of it
	n.learn(m.Near)
	if n.state == active {
		n.merge.until = n.env.Now() + n.config.KeepAlive
		n.endAttempt()
	}
}

// endAttempt ends a join that has led somewhere. The other seeds are looked for like lost peers:
// they may be in a ring of their own.
func (n *Node) endAttempt() {
	a := n.attempt
	if a == nil {
		return
	}
	a.timer.Stop()
	n.attempt = nil
	for i := range a.seeds {
		s := &a.seeds[i]
		if s != a.awaited() && n.known.find(s.peer.ID) == nil {
			n.lost.add(s.peer, true, false, n.env.Now(), n.env.Rand())
		}
	}
}

// maybeActivate makes a node active that has settled in a ring: an active node has answered
// it, or it was one itself before.
func (n *Node) maybeActivate() {
	if n.state != joining || !n.confirmed && !n.member {
		return
	}
	n.state = active
	n.member = true
	if n.confirmed {
		n.endAttempt()
	}
	n.becameActive(n.env.Now() - n.since)
	n.learn(n.rows)
	n.rows = nil
	n.release()
}

package pastry

import "tidings/network/engine"

// Create makes this node a ring of its own, active at once. It does nothing if the node is
// active already. A join that is under way goes on: the two rings merge when it succeeds.
func (n *Node) Create() {
	if n.Active() {
		return
	}
	n.begin()
	n.membership.member = true
	n.maybeSettled()
}

// Join makes this node part of the ring that any of the seeds is in. It keeps asking them in turn, each round after a
// longer wait, until one leads to an answer. It may be called at any time, with new seeds or the same. Its caller knows
// that they are there, so the waits are short again. A node that is active already brings its whole ring along.
func (n *Node) Join(seeds ...engine.Peer) {
	some, inVain := n.joiner.add(seeds)
	if !some {
		return
	}
	n.begin()
	n.joiner.start(inVain)
}

// begin starts the node's life, if that has not happened.
func (n *Node) begin() {
	if n.membership.begin(n.env.Now()) {
		n.start()
	}
}

// joins is the application that joins are routed to: the first user of routing.
type joins struct {
	env    engine.Env
	digit  int // bits
	tables tables
}

// tables is what joins need of the leaf set and the routing table.
type tables interface {
	row(r int) []engine.Peer
	near(id engine.ID, skip []engine.ID) []engine.Peer
}

// Forward sends the joining node the row that this one shares with it.
func (j joins) Forward(key engine.ID, m engine.Message, _ engine.Peer) bool {
	join, ok := m.(*Join)
	if !ok || join.Joiner.ID != key {
		return false
	}
	j.sendRow(join.Joiner, j.env.Self().ID.CommonDigits(key, j.digit))
	return true
}

// Deliver welcomes the joining node among its neighbours.
func (j joins) Deliver(key engine.ID, _ engine.Peer, m engine.Message, _ int) {
	join, ok := m.(*Join)
	if !ok || join.Joiner.ID != key {
		return
	}
	self := j.env.Self()
	near := j.tables.near(key, []engine.ID{self.ID})
	j.env.Send(join.Joiner, &Welcome{Nonce: join.Nonce, Near: append(near, self)})
	for r := range self.ID.CommonDigits(key, j.digit) + 1 {
		j.sendRow(join.Joiner, r)
	}
}

func (j joins) sendRow(to engine.Peer, r int) {
	if row := j.tables.row(r); len(row) > 0 {
		j.env.Send(to, &Row{Peers: row})
	}
}

// onWelcome goes to meet the neighbours.
func (n *Node) onWelcome(from engine.Peer, m *Welcome) {
	if m.Nonce != n.joiner.nonce {
		return
	}
	n.env.Trace(Welcomed{from})
	n.prober.ask(from, n.known.nearby(from.ID)) // regardless of earlier beliefs
	n.learn(m.Near)
	if n.Active() {
		n.merge.welcomed(n.env.Now(), n.config.KeepAlive)
		n.endAttempt()
	}
}

// endAttempt ends a join that has led somewhere. The other seeds are looked for like lost peers.
func (n *Node) endAttempt() {
	for _, p := range n.joiner.end() {
		if n.known.find(p.ID) == nil {
			n.lost.add(p, true, false, n.env.Now(), n.env.Rand())
		}
	}
}

// maybeActivate makes a node active that has settled in a ring.
func (n *Node) maybeActivate() {
	if !n.membership.activate() {
		return
	}
	if n.membership.confirmed {
		n.endAttempt()
	}
	n.becameActive(n.env.Now() - n.membership.since)
	n.learn(n.joiner.release())
	n.routing.release()
}

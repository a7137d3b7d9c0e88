package pastry

import (
	"time"

	"tidings/network/engine"
)

// start begins what a node does again and again.
func (n *Node) start() {
	n.membership.ticked = n.env.Now()
	n.env.After(jitter(n.env, n.config.KeepAlive), n.tick)
	n.env.After(jitter(n.env, n.config.TablePeriod), n.tableTick)
}

// tick probes the next neighbour clockwise and looks for one lost peer. Every node is the next neighbour of one other,
// so each death is found.
func (n *Node) tick() {
	n.ready()
	n.membership.ticked = n.env.Now()
	n.env.After(jitter(n.env, n.config.KeepAlive), n.tick)
	if n.known.sides() > 0 {
		n.prober.ask(n.known.above(0).peer, true)
	}
	if p, ok := n.lost.due(n.env.Now()); ok {
		n.prober.ask(p, false)
	}
}

// tableTick exchanges a row with one contact, in turn of two kinds. Any contact: that measures the round trip anew and
// in time finds the dead. One of a row with gaps: others of the row may know nodes to fill them with.
func (n *Node) tableTick() {
	n.env.After(jitter(n.env, n.config.TablePeriod), n.tableTick)
	if len(n.known.list) == 0 {
		return
	}
	n.turn++
	p := n.known.list[n.turn/2%len(n.known.list)].peer
	if gaps := n.known.gaps(); n.turn%2 == 0 && len(gaps) > 0 {
		p = gaps[n.env.Rand().IntN(len(gaps))]
	}
	n.prober.ask(p, false)
	n.exchangeRow(p)
}

func (n *Node) exchangeRow(p engine.Peer) {
	n.env.Send(p, &RowRequest{Peers: n.known.shared(p.ID)})
}

func (n *Node) onRowRequest(from engine.Peer, m *RowRequest) {
	n.env.Send(from, &Row{Peers: n.known.shared(from.ID)})
	n.learnRow(m.Peers)
}

// onRow fills the table. A joining node sees to its neighbours first: until it knows them, every node seems to be one.
func (n *Node) onRow(m *Row) {
	if n.Active() {
		n.learnRow(m.Peers)
	} else {
		n.joiner.keep(m.Peers)
	}
}

// learnRow fills empty slots, and probes one more of the row, which may be nearer than the one in its slot.
func (n *Node) learnRow(peers []engine.Peer) {
	n.learn(peers)
	if len(peers) == 0 {
		return
	}
	p := peers[n.env.Rand().IntN(len(peers))]
	if n.known.find(p.ID) == nil && p.Address != "" && p.ID != n.known.self && engine.Admissible(n.env, p.ID) &&
		!n.lost.vain(p, n.env.Now()-n.config.KeepAlive, false) {
		n.prober.ask(p, false)
	}
}

// ready reports whether this node is active. A tick that is overdue for as long as others need to count the node as
// dead shows that the node has slept. What the node knows may be gone then, too: it is active again when its neighbours
// have answered.
func (n *Node) ready() bool {
	found := time.Duration(n.config.ProbeTries) * n.config.ProbeTimeout
	if slept, woke := n.membership.wake(n.env.Now(), n.config.KeepAlive+found); woke {
		n.env.Trace(Woke{slept})
		for _, c := range n.known.list {
			n.prober.ask(c.peer, n.known.inLeafSet(c.peer.ID))
		}
		n.maybeSettled()
	}
	return n.Active()
}

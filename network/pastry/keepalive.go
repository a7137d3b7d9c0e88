package pastry

import (
	"time"

	"tidings/network/engine"
)

// start begins what a node does again and again.
func (n *Node) start() {
	n.ticked = n.env.Now()
	n.env.After(n.jitter(n.config.KeepAlive), n.tick)
	n.env.After(n.jitter(n.config.TablePeriod), n.tableTick)
}

// tick probes the next neighbour clockwise and looks for one lost peer. Every node is the next
// neighbour of one other, so that each death is found by somebody.
func (n *Node) tick() {
	n.maybeWake()
	n.ticked = n.env.Now()
	n.env.After(n.jitter(n.config.KeepAlive), n.tick)
	if n.known.sides() > 0 {
		n.ask(n.known.above(0).peer, true)
	}
	if p, ok := n.lost.due(n.env.Now()); ok {
		n.ask(p, false)
	}
}

// tableTick exchanges a row with one contact: in turn with any, which measures the round trip
// anew and finds out in time who has died, and with somebody of a row that has gaps, because
// others of the row may know whom to fill them with.
func (n *Node) tableTick() {
	n.env.After(n.jitter(n.config.TablePeriod), n.tableTick)
	if len(n.known.list) == 0 {
		return
	}
	n.turn++
	p := n.known.list[n.turn/2%len(n.known.list)].peer
	if gaps := n.known.gaps(); n.turn%2 == 0 && len(gaps) > 0 {
		p = gaps[n.env.Rand().IntN(len(gaps))]
	}
	n.ask(p, false)
	n.exchangeRow(p)
}

func (n *Node) exchangeRow(p engine.Peer) { n.env.Send(p, &RowRequest{Peers: n.sharedRow(p.ID)}) }

// sharedRow returns the row that this node has in common with another: all that share as many
// digits with either as they with each other.
func (n *Node) sharedRow(id engine.ID) []engine.Peer {
	return n.known.row(n.known.self.CommonDigits(id, n.config.Digit))
}

func (n *Node) onRowRequest(from engine.Peer, m *RowRequest) {
	n.env.Send(from, &Row{Peers: n.sharedRow(from.ID)})
	n.learnRow(m.Peers)
}

// onRow fills the table. A node that joins sees to its neighbours first: as long as it does
// not know them, everybody seems to be one.
func (n *Node) onRow(m *Row) {
	if n.state == active {
		n.learnRow(m.Peers)
	} else if len(n.rows)+len(m.Peers) <= maxRows {
		n.rows = append(n.rows, m.Peers...)
	}
}

// maxRows is how many peers of rows wait for a node to become active.
const maxRows = 512

// learnRow fills empty slots, and probes one more of the row: perhaps it is nearer than the
// one that has its slot.
func (n *Node) learnRow(peers []engine.Peer) {
	n.learn(peers)
	if len(peers) == 0 {
		return
	}
	p := peers[n.env.Rand().IntN(len(peers))]
	if n.known.find(p.ID) == nil && p.Address != "" && p.ID != n.known.self && engine.Admissible(n.env, p.ID) && !n.lost.vain(p, n.env.Now()-n.config.KeepAlive, false) {
		n.ask(p, false)
	}
}

// maybeWake finds out that the node has slept, by a tick that is overdue for as long as others
// need to take it for dead. What it knows may be gone, too: it is active again when its
// neighbours have answered.
func (n *Node) maybeWake() {
	slept := n.env.Now() - n.ticked
	found := time.Duration(n.config.ProbeTries) * n.config.ProbeTimeout
	if n.state == idle || slept < n.config.KeepAlive+found {
		return
	}
	n.env.Trace(Woke{slept})
	n.ticked = n.env.Now()
	n.state, n.since = joining, n.env.Now()
	for _, c := range n.known.list {
		n.ask(c.peer, n.known.inLeafSet(c.peer.ID))
	}
	n.maybeSettled()
}

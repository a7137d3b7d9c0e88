package sim

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// outage is a peer that did not answer a node, at one address.
type outage struct {
	peer engine.Peer

	// reported: the protocol knows. Until then a down event is to come.
	reported bool

	// paused: the peer's process was found paused, no worse: if it runs again by the
	// time of the report, there is nothing to report.
	paused bool
}

// maxOutages is how many addresses of one ID are remembered not to answer; the oldest goes
// first.
const maxOutages = 16

// unanswered notes that something sent to a peer found none. Detect from now the
// sender learns it, if nothing came from the peer meanwhile and it did not know before.
func (w *World) unanswered(n Node, incarnation uint32, peer engine.Peer, paused bool) {
	v := w.node(n)
	if !v.up() || v.incarnation != incarnation {
		return
	}
	c := w.conditionOf(n)
	of := c.outages[peer.ID]
	for _, o := range of {
		if o.peer.Address == peer.Address {
			o.paused = o.paused && paused
			return
		}
	}
	if c.outages == nil {
		c.outages = make(map[engine.ID][]*outage)
	}
	if len(of) == maxOutages {
		of = slices.Delete(of, 0, 1)
	}
	o := &outage{peer: peer, paused: paused}
	c.outages[peer.ID] = append(of, o)
	slot, e := w.errands.alloc()
	e.outage = o
	w.queue.push(entry{at: int64(later(w.now, w.config.Detect)), ref: refOf(down, slot), node: n})
}

// cameFrom notes that something came from a peer, which ends its outage. A message that the peer sent before it crashed
// or was cut off, or from another address, is no sign that it answers.
func (w *World) cameFrom(n Node, c *condition, from Node) {
	v := w.node(from)
	if len(c.outages[v.id]) == 0 {
		return
	}
	address := w.places.address(v.place)
	c.keepOutages(v.id, func(o *outage) bool {
		return !o.reported && (o.peer.Address != address || !w.answers(n, from))
	})
}

// keepOutages forgets all outages of a peer but those that keep says so of.
func (c *condition) keepOutages(id engine.ID, keep func(*outage) bool) {
	left := slices.DeleteFunc(c.outages[id], func(o *outage) bool { return !keep(o) })
	if len(left) > 0 {
		c.outages[id] = left
	} else {
		delete(c.outages, id)
	}
}

// answers reports whether a node would get an answer from another now.
func (w *World) answers(n, from Node) bool {
	v := w.node(from)
	return v.up() && !w.cut(n, from) && (v.condition == nil || !v.condition.sleep.on)
}

// reportDown reports an outage to a node, if it still lasts.
func (w *World) reportDown(e entry) {
	v := w.node(e.node)
	o := w.errands.at(e.slot()).outage
	c := v.condition
	if v.up() && c.sleep.on {
		w.hold(e, c)
		return
	}
	*w.errands.at(e.slot()) = errand{}
	w.errands.release(e.slot())
	if !v.up() || !slices.Contains(c.outages[o.peer.ID], o) {
		return
	}
	if o.paused {
		if peer, ok := w.NodeAt(o.peer); ok && w.answers(e.node, peer) {
			c.keepOutages(o.peer.ID, func(other *outage) bool { return other != o })
			return
		}
	}
	o.reported = true
	if peer, ok := w.NodeAt(o.peer); ok {
		c.contacts.forget(peer, w.now-w.config.Detect)
	}
	w.counts.PeerDowns++
	w.note(noteDown, e.node, firstWord(o.peer.ID))
	if w.writer != nil {
		w.line("node %d peer %s down", e.node, w.name(o.peer))
	}
	v.protocol.PeerDown(o.peer)
}

// contacts are a node's open connections, in no meaningful order. Looking for a peer is most of what a message costs in
// a large world, so peers lie close together.
type contacts struct {
	peers []Node
	used  []use // of each
	turn  uint32
}

// use is when the last message of a connection was, and in which turn of the node's.
type use struct {
	at   time.Duration
	turn uint32
}

// maxContacts is how many connections a node holds open; beyond, those used least lately go.
const maxContacts = 256

// touch notes a message between two nodes.
func (w *World) touch(a, b Node) {
	w.conditionOf(a).contacts.touch(b, w.now)
	w.conditionOf(b).contacts.touch(a, w.now)
}

func (c *contacts) touch(peer Node, now time.Duration) {
	i := slices.Index(c.peers, peer)
	switch {
	case i >= 0:
	case len(c.peers) < maxContacts:
		i = len(c.peers)
		c.peers, c.used = append(c.peers, peer), append(c.used, use{})
	default:
		i = 0
		for j := range c.used {
			if c.used[j].before(c.used[i]) {
				i = j
			}
		}
		c.peers[i] = peer
	}
	c.turn++
	c.used[i] = use{now, c.turn}
}

// forget ends a connection that was not used since some time.
func (c *contacts) forget(peer Node, since time.Duration) {
	if i := slices.Index(c.peers, peer); i >= 0 && c.used[i].at < since {
		c.peers, c.used = slices.Delete(c.peers, i, i+1), slices.Delete(c.used, i, i+1)
	}
}

func (u use) before(v use) bool { return u.at < v.at || u.at == v.at && u.turn < v.turn }

// open returns the peers with which messages were exchanged since some time, the latest first.
func (c *contacts) open(since time.Duration) (peers []Node) {
	order := make([]int, 0, len(c.peers))
	for i := range c.peers {
		if c.used[i].at >= since {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		if c.used[i].before(c.used[j]) {
			return 1
		}
		return -1
	})
	for _, i := range order {
		peers = append(peers, c.peers[i])
	}
	return peers
}

// endContacts has those that hold a connection to n find that it died.
func (w *World) endContacts(n Node, c *condition) {
	for _, peer := range c.contacts.open(w.now - w.config.Idle) {
		w.unanswered(peer, w.node(peer).incarnation, w.Peer(n), false)
	}
	c.contacts = contacts{}
}

// endContactsAcross has nodes find that connections were cut.
func (w *World) endContactsAcross() {
	if !w.config.Connections {
		return
	}
	for n := range Node(w.Len()) {
		v := w.node(n)
		if !v.up() || v.condition == nil {
			continue
		}
		for _, peer := range v.condition.contacts.open(w.now - w.config.Idle) {
			if w.cut(n, peer) && w.node(peer).up() {
				w.unanswered(n, v.incarnation, w.Peer(peer), false)
			}
		}
	}
}

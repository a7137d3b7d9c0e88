// Package plumtree carries events to all nodes over one random overlay: Leitão, Pereira and Rodrigues, "Epidemic
// Broadcast Trees" (SRDS 2007), over HyParView, by the same ("HyParView: a membership protocol for reliable
// gossip-based broadcast", DSN 2007). It is a yardstick for routers that carry events to subscribers alone: here every
// node carries every event, whatever it follows.
//
// One tree serves all publishers, and the optimization of the tree (section 3.8) is left out: the paper says that it
// helps where one node publishes. Names of events wait up to 100 ms to be sent together. A node that lost a neighbour
// asks a known one to take its place at once. A message from a node that is not a neighbour is answered by Disconnect:
// requests can be lost here, so that one side alone believes in a link.
package plumtree

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// HyParView's constants, for 10,000 nodes (section 5.1), and Plumtree's time-outs.
const (
	active      = 5  // neighbours
	passive     = 30 // other nodes that are remembered
	walk        = 6  // steps of a ForwardJoin
	remember    = 3  // steps before its end at which the node is remembered
	shuffleWalk = 3
	ofActive    = 3 // in a sample
	ofPassive   = 4

	tick    = 10 * time.Second       // between shuffles, and looks for neighbours
	lazy    = 100 * time.Millisecond // that names of events wait for others
	patient = time.Second            // from the first name of an event until it is asked for
	next    = 500 * time.Millisecond // until another node is asked
	rounds  = 4                      // how often all that have named an event are asked
	kept    = 4096                   // events, and names of missing ones
)

// Node is a node's part in the overlay and in its tree.
type Node struct {
	env      engine.Env
	member   network.Member
	contacts func() []engine.Peer // nodes of the overlay

	neighbors []*neighbor
	others    []engine.Peer // at most passive
	asked     engine.ID     // the node that was last asked to be a neighbour
	joined    map[engine.ID]bool

	events  map[uint64]*Gossip // that came, by digest
	order   []uint64           // of these, the oldest first, at most kept
	missing map[uint64]*missing
	flush   engine.Alarm
}

// neighbor is the other end of a link. One that is eager is part of the tree.
type neighbor struct {
	peer  engine.Peer
	eager bool
	names []uint64 // of events, that are about to be sent
}

// missing is an event of which others have sent the name.
type missing struct {
	named []engine.Peer
	tries int
	timer engine.Timer
}

// New returns a node that joins the overlay. contacts returns nodes of it; the first of all has none.
func New(env engine.Env, member network.Member, contacts func() []engine.Peer) *Node {
	n := &Node{env: env, member: member, contacts: contacts, joined: make(map[engine.ID]bool),
		events: make(map[uint64]*Gossip), missing: make(map[uint64]*missing)}
	n.enter()
	n.env.After(n.jittered(), n.beat)
	return n
}

func (n *Node) jittered() time.Duration {
	return tick/2 + time.Duration(n.env.Rand().Int64N(int64(tick)))
}

// enter asks contacts for a place.
func (n *Node) enter() {
	for _, p := range n.contacts() {
		n.env.Send(p, &Join{})
	}
}

// beat is what a node does at every interval.
func (n *Node) beat() {
	n.env.After(n.jittered(), n.beat)
	if len(n.neighbors) == 0 {
		n.enter()
		return
	}
	n.seek()
	sample := append(n.sample(ofActive, n.peers()), n.sample(ofPassive, n.others)...)
	n.env.Send(n.anyNeighbor(engine.ID{}), &Shuffle{n.env.Self(), shuffleWalk, append(sample, n.env.Self())})
}

// seek asks a known node to be a neighbour, if there is room for one.
func (n *Node) seek() {
	if len(n.neighbors) < active && len(n.others) > 0 {
		p := n.others[n.env.Rand().IntN(len(n.others))]
		n.asked = p.ID
		n.env.Send(p, &Neighbor{Urgent: len(n.neighbors) == 0})
	}
}

func (n *Node) peers() (peers []engine.Peer) {
	for _, v := range n.neighbors {
		peers = append(peers, v.peer)
	}
	return peers
}

// sample draws up to k of some nodes, each once.
func (n *Node) sample(k int, of []engine.Peer) (drawn []engine.Peer) {
	for _, i := range n.env.Rand().Perm(len(of))[:min(k, len(of))] {
		drawn = append(drawn, of[i])
	}
	return drawn
}

// anyNeighbor draws a neighbour, but not one; zero: there is none.
func (n *Node) anyNeighbor(but engine.ID) engine.Peer {
	all := slices.DeleteFunc(n.peers(), func(p engine.Peer) bool { return p.ID == but })
	if len(all) == 0 {
		return engine.Peer{}
	}
	return all[n.env.Rand().IntN(len(all))]
}

func (n *Node) find(id engine.ID) *neighbor {
	for _, v := range n.neighbors {
		if v.peer.ID == id {
			return v
		}
	}
	return nil
}

// connect makes a node a neighbour, in the place of another if there is no room.
func (n *Node) connect(p engine.Peer) {
	if p.ID == n.env.Self().ID || n.find(p.ID) != nil {
		return
	}
	if len(n.neighbors) >= active {
		out := n.neighbors[n.env.Rand().IntN(len(n.neighbors))].peer
		n.env.Send(out, &Disconnect{})
		n.part(out)
		n.know(out)
	}
	n.neighbors = append(n.neighbors, &neighbor{peer: p, eager: true})
	n.drop(p)
}

func (n *Node) part(p engine.Peer) {
	n.neighbors = slices.DeleteFunc(n.neighbors, func(v *neighbor) bool { return v.peer.ID == p.ID })
}

// know remembers a node that is no neighbour.
func (n *Node) know(p engine.Peer) {
	if p.ID == n.env.Self().ID || n.find(p.ID) != nil || slices.Contains(n.others, p) {
		return
	}
	if len(n.others) >= passive {
		i := n.env.Rand().IntN(len(n.others))
		n.others = slices.Delete(n.others, i, i+1)
	}
	n.others = append(n.others, p)
}

func (n *Node) drop(p engine.Peer) {
	n.others = slices.DeleteFunc(n.others, func(o engine.Peer) bool { return o.ID == p.ID })
}

// Join has events on a topic delivered here. They come anyway.
func (n *Node) Join(topic engine.ID) { n.joined[topic] = true }

// Leave ends what Join began.
func (n *Node) Leave(topic engine.ID) { delete(n.joined, topic) }

// Publish sends an event to all nodes.
func (n *Node) Publish(topic engine.ID, event engine.Message) {
	n.accept(n.env.Self(), &Gossip{topic, event})
}

// Receive handles a message.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Join:
		n.connect(from)
		n.env.Send(from, &Accept{})
		for _, v := range n.neighbors {
			if v.peer.ID != from.ID {
				n.env.Send(v.peer, &ForwardJoin{from, walk})
			}
		}
	case *ForwardJoin:
		n.onForwardJoin(from, m)
	case *Neighbor:
		if !m.Urgent && len(n.neighbors) >= active && n.find(from.ID) == nil {
			n.env.Send(from, &Disconnect{})
			return
		}
		n.connect(from)
		n.env.Send(from, &Accept{})
	case *Accept:
		n.connect(from)
	case *Disconnect:
		if n.find(from.ID) != nil {
			n.part(from)
			n.know(from)
			n.seek()
		} else if from.ID == n.asked { // it has no room
			n.drop(from)
			n.seek()
		}
	case *Shuffle:
		n.onShuffle(from, m)
	case *Shuffled:
		for _, p := range m.Sample {
			n.know(p)
		}
	default:
		n.gossip(from, m)
	}
}

func (n *Node) onForwardJoin(from engine.Peer, m *ForwardJoin) {
	to := n.anyNeighbor(from.ID)
	if m.Left == 0 || len(n.neighbors) <= 1 || to.IsZero() {
		if n.find(m.Peer.ID) == nil && m.Peer.ID != n.env.Self().ID {
			n.asked = m.Peer.ID
			n.env.Send(m.Peer, &Neighbor{Urgent: true})
		}
		return
	}
	if m.Left == remember {
		n.know(m.Peer)
	}
	n.env.Send(to, &ForwardJoin{m.Peer, m.Left - 1})
}

func (n *Node) onShuffle(from engine.Peer, m *Shuffle) {
	if to := n.anyNeighbor(from.ID); m.Left > 0 && !to.IsZero() {
		n.env.Send(to, &Shuffle{m.Peer, m.Left - 1, m.Sample})
		return
	}
	if m.Peer.ID != n.env.Self().ID {
		n.env.Send(m.Peer, &Shuffled{n.sample(len(m.Sample), n.others)})
	}
	for _, p := range m.Sample {
		n.know(p)
	}
}

// gossip handles a message over a link.
func (n *Node) gossip(from engine.Peer, m engine.Message) {
	v := n.find(from.ID)
	if v == nil {
		n.env.Send(from, &Disconnect{})
		v = new(neighbor) // what it has sent is welcome all the same
	}
	switch m := m.(type) {
	case *Gossip:
		if n.accept(from, m) {
			v.eager = true
		} else {
			v.eager = false
			n.env.Send(from, &Prune{})
		}
	case *IHave:
		for _, digest := range m.Digests {
			n.miss(digest, from)
		}
	case *Graft:
		v.eager = true
		if e := n.events[m.Digest]; e != nil {
			n.env.Send(from, e)
		}
	case *Prune:
		v.eager = false
	}
}

// accept delivers an event and sends it on, if it came for the first time. It reports whether it did.
func (n *Node) accept(from engine.Peer, m *Gossip) (fresh bool) {
	digest, _, ok := n.member.Admit(m.Topic, m.Event, from)
	if !ok || n.events[digest] != nil {
		return !ok
	}
	n.events[digest] = m
	if n.order = append(n.order, digest); len(n.order) > kept {
		delete(n.events, n.order[0])
		n.order = slices.Delete(n.order, 0, 1)
	}
	if w := n.missing[digest]; w != nil {
		w.timer.Stop()
		delete(n.missing, digest)
	}
	for _, v := range n.neighbors {
		switch {
		case v.peer.ID == from.ID:
		case v.eager:
			n.env.Send(v.peer, m)
		case len(v.names) < maxDigests:
			v.names = append(v.names, digest)
			n.flush.Soon(n.env, n.env.Now()+lazy, n.sendNames)
		}
	}
	if n.joined[m.Topic] {
		n.member.Deliver(m.Topic, m.Event, from)
	}
	return true
}

func (n *Node) sendNames() {
	for _, v := range n.neighbors {
		if len(v.names) > 0 {
			n.env.Send(v.peer, &IHave{v.names})
			v.names = nil
		}
	}
}

// miss notes that a node has an event. If it does not come, it is asked for.
func (n *Node) miss(digest uint64, from engine.Peer) {
	if n.events[digest] != nil {
		return
	}
	w := n.missing[digest]
	if w == nil {
		if len(n.missing) >= kept {
			return
		}
		w = new(missing)
		n.missing[digest] = w
		w.timer = n.env.After(patient, func() { n.graft(digest, w) })
	}
	if !slices.Contains(w.named, from) && len(w.named) < active {
		w.named = append(w.named, from)
	}
}

// graft asks for a missing event, one node after the other.
func (n *Node) graft(digest uint64, w *missing) {
	if w.tries == rounds*len(w.named) {
		delete(n.missing, digest)
		return
	}
	from := w.named[w.tries%len(w.named)]
	w.tries++
	if v := n.find(from.ID); v != nil {
		v.eager = true
	}
	n.env.Send(from, &Graft{digest})
	w.timer = n.env.After(next, func() { n.graft(digest, w) })
}

// PeerDown replaces a neighbour by another node.
func (n *Node) PeerDown(p engine.Peer) {
	n.drop(p)
	if n.find(p.ID) != nil {
		n.part(p)
		n.seek()
	} else if p.ID == n.asked {
		n.seek()
	}
}

// Stop parts from all neighbours.
func (n *Node) Stop() {
	for _, v := range n.neighbors {
		n.env.Send(v.peer, &Disconnect{})
	}
}

// Neighbors returns the other ends of the node's links.
func (n *Node) Neighbors() []engine.Peer { return n.peers() }

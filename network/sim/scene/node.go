package scene

import (
	"fmt"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Node is a node of the scene.
type Node struct {
	scene    *Scene
	name     string
	number   sim.Node
	start    sim.Start
	protocol engine.Protocol // what the stage's Start made; nil while the node is down
}

// Name returns what the script calls the node.
func (n *Node) Name() string { return n.name }

// Number returns the node's number in the scene's world.
func (n *Node) Number() sim.Node { return n.number }

// Peer returns the node as others know it.
func (n *Node) Peer() engine.Peer { return n.scene.world.Peer(n.number) }

// ID returns the node's ID.
func (n *Node) ID() engine.ID { return n.Peer().ID }

// Up reports whether the node runs.
func (n *Node) Up() bool { return n.scene.world.Up(n.number) }

// On returns what the stage's Start made for a node, as the type that it is. It ends the
// test if the node is down or runs something else.
func On[T any](c *Call, n *Node) T {
	c.t.Helper()
	if !n.Up() {
		c.Fatalf("%s is down", n.name)
	}
	p, ok := n.protocol.(T)
	if !ok {
		c.Fatalf("%s runs %T, not %T", n.name, n.protocol, p)
	}
	return p
}

// add brings a node into the scene. It is down.
func (s *Scene) add(name string, id engine.ID, start sim.Start) *Node {
	n := &Node{scene: s, name: name, start: start}
	n.number = s.world.Add(id, n.boot)
	s.cast = append(s.cast, n)
	s.names.know(id, name)
	s.names.settle(n)
	return n
}

// boot makes the node's protocols, with the scene's eyes and hands between them and the
// world.
func (n *Node) boot(env engine.Env, disk *sim.Disk) engine.Protocol {
	n.protocol = n.start(&stageEnv{env, n}, disk)
	return &stageProtocol{n.protocol, n}
}

func (s *Scene) byName(name string) *Node {
	for _, n := range s.cast {
		if n.name == name {
			return n
		}
	}
	return nil
}

// at returns the node that lives at an address now.
func (s *Scene) at(a engine.Address) *Node {
	if p, ok := s.names.places[a]; ok && p.node.Peer().Address == a {
		return p.node
	}
	return nil
}

// stageEnv is the world as a node's protocols see it, printed in the script's output and bent by its faults.
type stageEnv struct {
	engine.Env
	node *Node
}

// Link implements engine.Linker.
func (e *stageEnv) Link(id engine.ID) (engine.Peer, bool) { return engine.LinkOf(e.Env, id) }

// Send prints the message, and sends it unless the script wants it lost or late.
func (e *stageEnv) Send(to engine.Peer, m engine.Message) {
	s := e.node.scene
	name := s.codec.Name(m.Kind())
	mark := ""
	switch rule := s.rules.match(e.node, s.at(to.Address), name); {
	case rule == nil:
		mark = s.send(e.Env, to, m)
	case rule.late == 0:
		mark = "dropped"
	default:
		mark = fmt.Sprintf("late by %v", rule.late)
		s.world.After(rule.late, func() { e.Env.Send(to, m) })
	}
	if s.log.wants(name) {
		s.print(e.node.name+" → "+s.names.peer(to), s.describe(name, m)+marked(mark))
	}
}

// send sends a message and returns what became of it at once, empty if it is on its way.
func (s *Scene) send(env engine.Env, to engine.Peer, m engine.Message) (mark string) {
	s.dropped = func(p sim.Delivery) { mark = p.Fate.String() }
	defer func() { s.dropped = s.printDropped }()
	env.Send(to, m)
	return mark
}

// printDropped prints a message that was lost on its way.
func (s *Scene) printDropped(p sim.Delivery) {
	name := s.codec.Name(p.Message.Kind())
	if !s.log.wants(name) {
		return
	}
	to := "nobody"
	if p.To >= 0 {
		to = s.cast[p.To].name
	}
	s.print(s.cast[p.From].name+" → "+to, name+marked(p.Fate.String()))
}

func marked(mark string) string {
	if mark == "" {
		return ""
	}
	return "  (" + mark + ")"
}

// Trace prints the event.
func (e *stageEnv) Trace(event any) {
	s := e.node.scene
	name := fmt.Sprintf("%T", event)
	if s.log.wants(name) {
		s.print(e.node.name, s.describe(name, event))
	}
	e.Env.Trace(event)
}

// stageProtocol prints lost peers.
type stageProtocol struct {
	engine.Protocol
	node *Node
}

// PeerDown prints the peer.
func (p *stageProtocol) PeerDown(peer engine.Peer) {
	s := p.node.scene
	if s.log.wants("PeerDown") {
		s.print(p.node.name, "PeerDown "+s.names.peer(peer))
	}
	p.Protocol.PeerDown(peer)
}

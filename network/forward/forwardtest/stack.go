// Package forwardtest helps to test protocols in worlds in which most nodes are private, and all forward.
package forwardtest

import (
	"time"

	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/sim"
)

// Private reports whether a node of such a world is private: seven of ten are, and the first is not.
func Private(n sim.Node) bool { return n%10 >= 3 }

// Configure changes what a world is made with, so that nodes can be private. Connections last as long as both nodes, as
// those of live nodes do that are no more than a few hundred.
func Configure(c *sim.Config) { c.Connections, c.Idle = true, 24*time.Hour }

// Stack is a node's engine.Stack, with what forwards in front of it.
type Stack struct {
	*engine.Stack
	front engine.Protocol
}

// NewStack returns the stack of a node of such a world, which is private if Private says so, and the Env for its
// protocols. codec is the world's.
func NewStack(w *sim.World, n sim.Node, env engine.Env, codec *engine.Codec) (engine.Env, *Stack) {
	if homes := sim.HomesOf(w); Private(n) && !homes.Has(n) {
		homes.Add(n)
	}
	f := forward.New(env, w.Keys(n), codec, forward.Default())
	s := &Stack{engine.NewStack(f), f}
	f.Serve(s.Stack)
	return f, s
}

// Plain returns the stack of a node that does not forward.
func Plain(env engine.Env) *Stack {
	s := engine.NewStack(env)
	return &Stack{s, s}
}

// Receive hands a message to what forwards.
func (s *Stack) Receive(from engine.Peer, m engine.Message) { s.front.Receive(from, m) }

// PeerDown tells what forwards.
func (s *Stack) PeerDown(p engine.Peer) { s.front.PeerDown(p) }

// Stop stops the protocols.
func (s *Stack) Stop() { s.front.Stop() }

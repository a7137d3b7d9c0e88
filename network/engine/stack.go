package engine

import "fmt"

// Stack is the protocols that share one node: a Protocol made of protocols. Messages go to
// the one whose number their kind carries; lost peers to all, lowest first; Stop from the
// top down.
type Stack struct {
	env      Env
	byNumber [256]Protocol
	order    []Protocol
}

// Unhandled is traced when a message comes for a protocol that does not run here, or is of a
// kind that is unknown to it.
type Unhandled struct {
	From Peer
	Kind Kind
}

// NewStack returns a node without protocols.
func NewStack(env Env) *Stack { return &Stack{env: env} }

// Add puts p on top of the stack. It panics if the number is taken.
func (s *Stack) Add(number ProtocolNumber, p Protocol) {
	if s.byNumber[number] != nil {
		panic(fmt.Sprintf("engine: protocol %d runs twice on a node", number))
	}
	s.byNumber[number] = p
	s.order = append(s.order, p)
}

// Receive hands m to its protocol.
func (s *Stack) Receive(from Peer, m Message) {
	p := s.byNumber[m.Kind().Protocol()]
	if _, opaque := m.(*Opaque); p == nil || opaque {
		s.env.Trace(Unhandled{from, m.Kind()})
		return
	}
	p.Receive(from, m)
}

// PeerDown tells all protocols.
func (s *Stack) PeerDown(peer Peer) {
	for _, p := range s.order {
		p.PeerDown(peer)
	}
}

// Stop stops the protocols, those on top first.
func (s *Stack) Stop() {
	for i := len(s.order) - 1; i >= 0; i-- {
		s.order[i].Stop()
	}
}

var _ Protocol = (*Stack)(nil)

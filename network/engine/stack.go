package engine

import (
	"fmt"
	"slices"
)

// Stack is the protocols that share one node: a Protocol made of protocols. Messages go to
// the one whose number their kind carries; lost peers to all, lowest first; Stop from the
// top down.
type Stack struct {
	env    Env
	layers []layer  // lowest first; few enough to be looked through
	room   [3]layer // for the first of them, so that what every message needs lies together
}

type layer struct {
	number   ProtocolNumber
	protocol Protocol
}

// Unhandled is traced when a message comes for a protocol that does not run here, or is of a
// kind that is unknown to it.
type Unhandled struct {
	From Peer
	Kind Kind
}

// NewStack returns a node without protocols.
func NewStack(env Env) *Stack {
	s := &Stack{env: env}
	s.layers = s.room[:0]
	return s
}

// Add puts p on top of the stack. It panics if the number is in use.
func (s *Stack) Add(number ProtocolNumber, p Protocol) {
	if s.find(number) != nil {
		panic(fmt.Sprintf("engine: protocol %d runs twice on a node", number))
	}
	s.layers = append(s.layers, layer{number, p})
}

func (s *Stack) find(number ProtocolNumber) Protocol {
	for _, l := range s.layers {
		if l.number == number {
			return l.protocol
		}
	}
	return nil
}

// Receive hands m to its protocol.
func (s *Stack) Receive(from Peer, m Message) {
	p := s.find(m.Kind().Protocol())
	if _, opaque := m.(*Opaque); p == nil || opaque {
		s.env.Trace(Unhandled{from, m.Kind()})
		return
	}
	p.Receive(from, m)
}

// PeerDown notifies all protocols.
func (s *Stack) PeerDown(peer Peer) {
	for _, l := range s.layers {
		l.protocol.PeerDown(peer)
	}
}

// Stop stops the protocols, those on top first.
func (s *Stack) Stop() {
	for _, l := range slices.Backward(s.layers) {
		l.protocol.Stop()
	}
}

var _ Protocol = (*Stack)(nil)

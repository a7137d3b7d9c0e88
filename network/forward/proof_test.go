package forward_test

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/forward"
)

// What comes by a neighbour is believed for the signature of the node that it names, and each field counts: else no
// Open is answered, and no word is heard (hostile 73).
func TestEachFieldOfWhatIsForwardedCounts(t *testing.T) {
	self, from, other, by := enginetest.NewPeer("a1"), enginetest.NewPeer("b2"), enginetest.NewPeer("c3"),
		enginetest.NewPeer("d4")
	open := func(from engine.Peer, number uint64) *forward.Open {
		m := &forward.Open{From: from, To: self.ID, Number: number}
		m.Signature = signer{from.ID}.Sign(forward.Signed(m))
		return m
	}
	// begin has a node answer an Open, and returns the number that it has drawn.
	begin := func(m *forward.Open) (n member, env *enginetest.Env, number uint64) {
		env = enginetest.NewEnv(self)
		n = start(env, signer{self.ID}, forward.Default())
		n.Receive(by, m)
		for _, s := range env.Sent() {
			if answer, ok := s.Message.(*forward.Open); ok && s.To == by && answer.To == from.ID {
				number = answer.Number
			}
		}
		return n, env, number
	}
	enginetest.CheckProof(t, open(from, 5), open(other, 6), nil, func(m *forward.Open) bool {
		_, _, number := begin(m)
		return number != 0
	})

	message := func(from engine.Peer, number, count, text uint64) *forward.Message {
		m := &forward.Message{From: from, To: self.ID, Number: number, Count: count}
		m.Payload, _ = codec.Append(nil, &word{Number: text})
		m.Signature = signer{from.ID}.Sign(forward.Signed(m))
		return m
	}
	_, _, number := begin(open(from, 5)) // the same each time
	enginetest.CheckProof(t, message(from, number, 1, 7), message(other, number+1, 2, 8), nil,
		func(m *forward.Message) bool {
			n, _, drawn := begin(open(from, 5))
			if drawn != number {
				t.Fatal("another number is drawn")
			}
			n.Receive(by, m)
			return len(n.heard) > 0
		})
}

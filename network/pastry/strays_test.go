package pastry

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// A hop acknowledges a message that it answers for from then on: one for which it has no room it does not, so that the
// node before it tries another.
func TestWhatThereIsNoRoomForIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	for what, active := range map[string]bool{"pending": true, "held until it is active": false} {
		const room = 3
		env := enginetest.NewEnv(enginetest.NewPeer("80"))
		config, origin := Default(), enginetest.NewPeer("70")
		config.MaxPending, config.MaxHeld = room, room
		routing := newRouting(env, &config, &hopsTo{active: active, to: enginetest.NewPeer("a0")})
		for number := range uint64(room + 2) {
			routing.onRouted(origin, &Routed{Origin: origin, Number: number, Payload: &note{number}})
			acks := 0
			for _, s := range env.Sent() {
				if _, is := s.Message.(*Ack); is {
					acks++
				}
			}
			if (acks == 1) != (number < room) {
				t.Errorf("%s: message %d of %d is acknowledged %d times", what, number+1, room, acks)
			}
		}
	}
}

// An answer ends the probe of the node that sends it, and no other's, whatever nonce it repeats: a node that was not
// asked answers none, and none that was given up.
func TestAnAnswerEndsNoOthersProbe(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	one, other := engine.Peer{ID: r.key(), Address: "kept"}, engine.Peer{ID: r.key(), Address: "kept"}
	a := &prober{env: r.envOf(), config: &r.config, node: &probes{}}
	q := a.ask(one, false)
	if a.answer(other, q.nonce) != nil || a.find(one) != q {
		t.Error("another node's answer ends a probe")
	}
	if a.answer(one, q.nonce) != q || a.find(one) != nil {
		t.Error("its own answer does not")
	}
	a.late.add(q)
	if a.answerLate(other.ID, q.nonce) != nil || a.answerLate(one.ID, q.nonce) != q {
		t.Error("another node's answer is one to a probe that was given up, or its own is none")
	}
}

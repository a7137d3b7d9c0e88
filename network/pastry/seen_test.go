package pastry

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// A node knows the latest messages again, at least MaxSeen of them and at most twice as many, at any time: also when
// it begins to forget, for the first time and later. What it knows is neither delivered nor sent on again, but
// acknowledged as before. A further try of its origin's is sent on, and what was delivered is not delivered by it.
func TestRoutingRemembersTheLatest(t *testing.T) {
	t.Parallel()
	next, origin, hop := enginetest.NewPeer("a0"), enginetest.NewPeer("70"), enginetest.NewPeer("75")
	for what, to := range map[string]engine.Peer{"delivered": {}, "sent on": next} {
		env, config := enginetest.NewEnv(enginetest.NewPeer("80")), Default()
		config.MaxSeen = 5
		node := &hopsTo{active: true, to: to}
		d := deliveries{node, make(map[uint64]int)}
		routing := newRouting(env, &config, node)
		routing.handle(engine.Experiment, d)
		tried := uint8(0)
		receive := func(number uint64) (times int) {
			before, acks := d.of[number], 0
			routing.onRouted(hop, &Routed{Origin: origin, Number: number, Try: tried, Payload: &note{number}})
			for _, s := range env.Sent() {
				switch m := s.Message.(type) {
				case *Routed:
					times++
				case *Ack:
					if s.To == hop {
						acks++
					}
					if m.Delivered != to.IsZero() {
						t.Errorf("message %d is acknowledged as delivered: %v", number, m.Delivered)
					}
				}
			}
			if acks != 1 {
				t.Errorf("message %d is acknowledged %d times", number, acks)
			}
			return times + d.of[number] - before
		}
		const all = 23
		for number := range uint64(all) {
			if got := receive(number); got != 1 {
				t.Errorf("message %d is %s %d times", number, what, got)
			}
			for again := number - min(number, uint64(config.MaxSeen)-1); again <= number; again++ {
				if got := receive(again); got != 0 {
					t.Errorf("after message %d, message %d is %s once more", number, again, what)
				}
			}
			if known := len(routing.seen.younger) + len(routing.seen.older); known > 2*config.MaxSeen {
				t.Errorf("after message %d, %d are remembered", number, known)
			}
		}
		for tried = 1; tried < 3; tried++ {
			for number := uint64(all - config.MaxSeen); number < all; number++ {
				if goes := receive(number) == 1; goes == to.IsZero() {
					t.Errorf("try %d of message %d: it is %s: %v", tried, number, what, goes)
				}
			}
		}
		if got := receive(0); got != 1 {
			t.Errorf("after %d messages, the first is %s again %d times, and remembered for ever", all, what, got)
		}
	}
}

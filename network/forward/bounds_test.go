package forward_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/sim"
)

// counted has a town count what its nodes trace.
func (w *town) counted() (limits map[string]int, dropped map[forward.Why]int, passed *int) {
	limits, dropped, passed = make(map[string]int), make(map[forward.Why]int), new(int)
	w.world.Observe(func(_ time.Duration, _ sim.Node, event any) {
		switch e := event.(type) {
		case forward.LimitHit:
			limits[e.What]++
		case forward.Dropped:
			dropped[e.Why]++
		case forward.Passed:
			*passed += e.Bytes
		}
	})
	return limits, dropped, passed
}

// Who sends without end has so much forwarded and no more, and keeps nobody else from what is forwarded for him.
func TestForwardingIsBoundedForEachNeighbour(t *testing.T) {
	t.Parallel()
	w := newTown(1, 1, 4)
	w.gather(0)
	w.say(1, 2)
	w.say(3, 4)
	w.world.Run(5 * time.Second)
	_, dropped, passed := w.counted()
	const seconds = 60
	began := w.world.Now()
	for w.world.Now() < began+seconds*time.Second {
		for range 100 {
			w.said[uint64(len(w.said)+1)] = saying{1, 2}
			w.world.Protocol(1).(member).say(w.world.Peer(2),
				&word{Number: uint64(len(w.said)), Filler: make([]byte, 1000)})
		}
		w.world.Run(100 * time.Millisecond)
	}
	c := w.config
	if most := c.Bytes * (seconds + c.Burst + 1); *passed > most || *passed < c.Bytes*seconds {
		t.Errorf("%d bytes were forwarded in %d seconds, at most %d should", *passed, seconds, most)
	}
	if dropped[forward.TooMuch] == 0 {
		t.Error("nothing was dropped")
	}
	number := w.say(3, 4)
	if w.world.Run(time.Second); w.heard[number] != 1 {
		t.Error("another neighbour's word was not forwarded")
	}
}

// What is too long for a route is dropped, and the next word arrives.
func TestLongMessagesDoNotGoByRoutes(t *testing.T) {
	t.Parallel()
	w := newTown(2, 1, 2)
	w.gather(0)
	limits, _, _ := w.counted()
	for _, c := range []struct {
		bytes   int
		arrives bool
	}{{forward.MaxPayload - 20, true}, {forward.MaxPayload + 1, false}, {1, true}} {
		number := uint64(len(w.said) + 1)
		w.said[number] = saying{1, 2}
		w.world.Protocol(1).(member).say(w.world.Peer(2), &word{Number: number, Filler: make([]byte, c.bytes)})
		if w.world.Run(10 * time.Second); w.heard[number] == 1 != c.arrives {
			t.Errorf("a word with %d bytes arrived %d times", c.bytes, w.heard[number])
		}
	}
	if limits["MaxPayload"] != 1 {
		t.Errorf("the bound was hit %d times", limits["MaxPayload"])
	}
}

// Nobody forwards what was forwarded already, nor what somebody has signed for whom the neighbour that sends it only
// speaks.
func TestNobodyForwardsTwice(t *testing.T) {
	t.Parallel()
	w := newTown(3, 2, 2)
	w.gather(0)
	w.gather(1)
	_, dropped, _ := w.counted()
	keys := w.world.Keys(2)
	for _, m := range []engine.Message{
		&forward.Open{From: w.world.Peer(2), To: w.world.Peer(3).ID, Number: 1, Signature: keys.Sign(nil)},
		&forward.Message{From: w.world.Peer(2), To: w.world.Peer(3).ID, Number: 1, Count: 1, Signature: keys.Sign(nil)},
	} {
		w.world.Protocol(0).(member).forward.Env.Send(w.world.Peer(1), m) // node 0 has got it from 2, and gives it to 1
	}
	w.world.Run(time.Second)
	if dropped[forward.Secondary] != 2 {
		t.Errorf("%d of 2 were not forwarded again", dropped[forward.Secondary])
	}
}

// A node keeps as many routes as it may, those in use rather than others, and goes on without routes beyond.
func TestRoutesAreBounded(t *testing.T) {
	t.Parallel()
	w := newTown(4, 1, 0)
	w.config.MaxRoutes, w.config.MaxIntroduced = 4, 4
	for i := range 12 {
		n := w.world.Add(engine.IDOf([]byte{byte(i)}), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			return start(env, w.world.Keys(sim.Node(i+1)), w.config)
		})
		sim.HomesOf(w.world).Add(n)
		w.world.Boot(n)
	}
	w.gather(0)
	limits, _, _ := w.counted()
	for to := sim.Node(2); to < 13; to++ {
		w.say(0, 1, to)
		w.world.Run(time.Second)
		w.say(1, to)
		w.world.Run(time.Second)
	}
	if limits["MaxRoutes"] == 0 {
		t.Error("the bound was not hit")
	}
	w.world.Run(time.Minute)
	w.say(0, 1, 12)
	w.world.Run(time.Second)
	number := w.say(1, 12)
	if w.world.Run(5 * time.Second); w.heard[number] == 0 {
		t.Error("no route took the place of one at rest")
	}
	if len(w.wrong) > 0 {
		t.Error(w.wrong[0])
	}
}

// Who names peers without end has nobody forget who has told of the others.
func TestHostile73CrowdOfNames(t *testing.T) {
	t.Parallel()
	w := newTown(5, 2, 2)
	w.gather(0)
	for i := range 400 {
		m := &word{Number: uint64(len(w.said) + 1)}
		w.said[m.Number] = saying{1, 2}
		for j := range 16 {
			id := engine.IDOf([]byte{byte(i), byte(i >> 8), byte(j)})
			m.Of = append(m.Of, engine.Peer{ID: id, Address: engine.Address(id[:])})
		}
		if i == 0 {
			w.say(2, 1)
			w.world.Run(time.Second)
		}
		w.world.Protocol(1).(member).say(w.world.Peer(2), m)
		w.world.Run(25 * time.Millisecond)
	}
	if w.world.Run(time.Second); w.heard[uint64(len(w.said))] == 0 {
		t.Fatal("the crowd has not come")
	}
	number := w.say(2, 3)
	if w.world.Run(5 * time.Second); w.heard[number] != 1 {
		t.Error("no way was found after a crowd of names")
	}
}

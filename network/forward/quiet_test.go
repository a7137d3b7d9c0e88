package forward_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/sim"
)

// said counts what nodes send of a type.
func sentOf[M engine.Message](w *town) *int {
	count := new(int)
	w.world.Tap(func(d sim.Delivery) {
		if _, is := d.Message.(M); is && d.Fate == sim.Sent {
			*count++
		}
	})
	return count
}

// Who goes on speaking to a peer that has died asks for a way ever more rarely; as soon as somebody else tells of the
// peer, which is back, it asks anew.
func TestTheDeadAreAskedForRarely(t *testing.T) {
	t.Parallel()
	w := newTown(1, 2, 2)
	w.gather(0)
	w.world.Crash(3)
	opens := sentOf[*forward.Open](w)
	for range 3600 {
		w.say(2, 3)
		w.world.Run(time.Second)
	}
	if *opens == 0 || *opens > 60 {
		t.Errorf("%d Opens were sent in an hour for one that has died", *opens)
	}
	w.world.Boot(3)
	for _, n := range []sim.Node{2, 3} {
		w.say(n, 1)
	}
	w.world.Run(time.Second)
	w.say(1, 2, 3)
	w.world.Run(time.Second)
	number := w.say(2, 3)
	if w.world.Run(5 * time.Second); w.heard[number] == 0 {
		t.Error("one that was told of anew was not reached")
	}
	if len(w.wrong) > 0 {
		t.Error(w.wrong[0])
	}
}

// A route that nobody uses costs nothing in the end, and serves again when somebody does.
func TestUnusedRoutesAreForgotten(t *testing.T) {
	t.Parallel()
	w := newTown(2, 1, 2)
	w.gather(0)
	w.say(1, 2)
	w.world.Run(5 * time.Second)
	w.world.Run(time.Hour)
	if !w.world.Idle(time.Minute) {
		t.Error("something is still to come an hour later")
	}
	number := w.say(1, 2)
	if w.world.Run(5 * time.Second); w.heard[number] == 0 {
		t.Error("the route does not serve again")
	}
}

// Where the way is so long that a second introducer is asked before the first answer comes, both carry one Open, and
// the first word arrives.
func TestTwoIntroducersAreAsked(t *testing.T) {
	t.Parallel()
	for _, seed := range sim.Seeds(1, 20) {
		w := newTown(seed, 3, 2)
		w.gather(0)
		w.gather(1)
		w.gather(2)
		c := w.world
		for n := range sim.Node(3) {
			c.SetNodeFaults(n, sim.Faults{Spike: 1, SpikeBy: time.Duration(300+100*int(n)) * time.Millisecond})
		}
		number := w.say(3, 4)
		w.world.Run(20 * time.Second)
		if w.heard[number] == 0 {
			t.Errorf("seed %d: the word has not arrived", seed)
		}
	}
}

// A peer that comes and goes is told down each time.
func TestEachOutageIsTold(t *testing.T) {
	t.Parallel()
	w := newTown(3, 1, 2)
	for outage := 1; outage <= 3; outage++ {
		w.gather(0)
		w.say(1, 2)
		w.say(2, 1)
		w.world.Run(10 * time.Second)
		w.world.Crash(2)
		w.end(2)
		for range 30 {
			w.say(1, 2)
			w.world.Run(time.Second)
		}
		if downs := len(w.world.Protocol(1).(member).downs); downs != outage {
			t.Fatalf("after %d outages %d were told", outage, downs)
		}
		w.world.Boot(2)
		w.world.Run(time.Minute)
	}
}

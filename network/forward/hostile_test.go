package forward_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/sim"
)

// opens has a town count the routes that a node has opened.
func (w *town) opens(of sim.Node) *int {
	count := new(int)
	w.world.Observe(func(_ time.Duration, n sim.Node, event any) {
		if _, is := event.(forward.Opened); is && n == of {
			*count++
		}
	})
	return count
}

// inject has a node give another whatever it likes.
func (w *town) inject(from, to sim.Node, m engine.Message) {
	w.world.Protocol(from).(member).forward.Env.Send(w.world.Peer(to), m)
	w.world.Run(time.Second)
}

// open returns an Open as a node signs it.
func (w *town) open(from, to sim.Node, number, answers uint64) *forward.Open {
	m := &forward.Open{From: w.world.Peer(from), To: w.world.Peer(to).ID, Number: number, Answers: answers}
	m.Signature = w.world.Keys(from).Sign(forward.Signed(m))
	return m
}

// Nobody answers, or believes, an Open that is not signed by whom it names, one that answers what was not asked, or one
// with a number of 0.
func TestHostile73MadeUpOpens(t *testing.T) {
	t.Parallel()
	w := newTown(1, 1, 2)
	w.gather(0)
	opened := w.opens(1)
	answered := 0
	w.world.Tap(func(d sim.Delivery) {
		if m, is := d.Message.(*forward.Open); is && d.Fate == sim.Sent && d.From == 1 && m.Answers != 0 {
			answered++
		}
		if m, is := d.Message.(*forward.Open); is && d.Fate == sim.Received && d.To == 0 && m.From == w.world.Peer(1) &&
			m.Answers == 0 {
			w.world.After(0, func() { // what node 2 could have answered to another Open, or said of itself
				w.inject(0, 1, w.open(2, 1, 7, m.Number+1))
				unsigned := w.open(2, 1, 7, m.Number)
				unsigned.Signature[0]++
				w.inject(0, 1, unsigned)
			})
		}
	})
	unsigned := w.open(2, 1, 7, 0)
	unsigned.Signature[0]++
	w.inject(0, 1, unsigned)
	w.inject(0, 1, w.open(2, 1, 0, 0))
	w.inject(0, 1, w.open(2, 1, 7, 8))
	w.inject(0, 1, w.open(1, 1, 7, 0))
	if answered > 0 || *opened > 0 {
		t.Errorf("%d were answered, %d routes opened", answered, *opened)
	}
	w.inject(0, 1, w.open(2, 1, 7, 0))
	if answered != 1 {
		t.Error("what node 2 has signed was not answered")
	}
}

// While a node asks for a route, it takes no answer but the one to what it has asked.
func TestHostile73OldAnswers(t *testing.T) {
	t.Parallel()
	w := newTown(2, 1, 2)
	w.gather(0)
	w.world.Pause(2, time.Hour)
	opened := w.opens(1)
	var asked uint64
	w.world.Tap(func(d sim.Delivery) {
		if m, is := d.Message.(*forward.Open); is && d.From == 1 {
			asked = m.Number
		}
	})
	w.say(1, 2)
	w.world.RunUntil(func() bool { return asked != 0 }, 10*time.Second)
	unsigned := w.open(2, 1, 7, asked)
	unsigned.Signature[0]++
	for _, m := range []*forward.Open{w.open(2, 1, 7, asked+1), unsigned} {
		w.world.Protocol(0).(member).forward.Env.Send(w.world.Peer(1), m)
	}
	if w.world.Run(200 * time.Millisecond); *opened > 0 {
		t.Error("a route was opened by an answer to something else, or by nobody's")
	}
	w.world.Protocol(0).(member).forward.Env.Send(w.world.Peer(1), w.open(2, 1, 7, asked))
	if w.world.Run(200 * time.Millisecond); *opened != 1 {
		t.Error("the answer was not taken")
	}
}

// What is about routes is not carried by routes, but for the question who forwards.
func TestHostile73RoutesWithinRoutes(t *testing.T) {
	t.Parallel()
	w := newTown(3, 1, 2)
	w.gather(0)
	w.say(1, 2)
	w.world.Run(5 * time.Second)
	_, dropped, _ := w.counted()
	for _, m := range []engine.Message{w.open(1, 2, 7, 0), &forward.Message{From: w.world.Peer(1)}, new(forward.Try)} {
		w.world.Protocol(1).(member).forward.Send(w.world.Peer(2), m)
	}
	w.world.Run(time.Second)
	if dropped[forward.Secondary] != 3 {
		t.Errorf("%d of 3 were dropped", dropped[forward.Secondary])
	}
	number := w.say(1, 2)
	if w.world.Run(time.Second); w.heard[number] != 1 {
		t.Error("the route carries nothing any more")
	}
}

// Who is kept out does not come in by somebody who forwards.
func TestHostile73RefusedByRoutes(t *testing.T) {
	t.Parallel()
	w := newTown(4, 1, 2)
	w.gather(0)
	w.say(1, 2)
	w.world.Run(5 * time.Second)
	w.refuse[[2]sim.Node{2, 1}] = true
	before := len(w.world.Protocol(2).(member).heard)
	for range 20 {
		w.say(1, 2)
		w.say(2, 1)
		w.world.Run(5 * time.Second)
	}
	if got := w.world.Protocol(2).(member); len(got.heard) > before || len(got.downs) != 1 ||
		got.downs[0] != w.world.Peer(1) {
		t.Errorf("of one that is refused %d words came, and %v were told down", len(got.heard)-before, got.downs)
	}
	delete(w.refuse, [2]sim.Node{2, 1})
	w.world.Run(time.Minute)
	number := w.say(1, 2)
	w.world.Run(10 * time.Second)
	again := w.say(1, 2)
	w.world.Run(10 * time.Second)
	if w.heard[number]+w.heard[again] == 0 {
		t.Error("who is not refused any more is not heard")
	}
}

package newswire_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
)

// newFailover returns a network of zones in zones.
func newFailover(seed uint64, window int) *testNet {
	p := newPlan(300, 20)
	p.full, p.config.Window = 8, window
	p.world = func(c *sim.Config) { c.Seed = seed }
	w := newTown(p)
	w.Run(time.Second)
	return w
}

// expectWithin fails unless exactly the live nodes to which a note is due have it, once, and within that time after it
// was published.
func (w *testNet) expectWithin(t *testing.T, number uint64, due func(sim.Node) bool, published, most time.Duration) {
	t.Helper()
	w.expect(t, number, due)
	last := time.Duration(0)
	for n, times := range w.got[number] {
		if w.Up(n) {
			last = max(last, times[0]-published)
		}
	}
	if last > most {
		t.Errorf("seed %d: the last had note %d after %v, not %v", w.Seed(), number, last, most)
	}
}

// crashBut crashes a share of the representatives, but for one node and one of each zone.
func (w *testNet) crashBut(share float64, but sim.Node) {
	spared := map[sim.Node]bool{but: true}
	var all []sim.Node
	for n := range sim.Node(w.Len()) {
		for z := w.paths[n]; z != zone.Root; z = z.Parent() {
			reps := w.representatives(z)
			spared[reps[0]] = true
			all = append(all, reps...)
		}
	}
	for _, n := range all {
		if w.Up(n) && !spared[n] && w.Rand().Float64() < share {
			w.Crash(n)
		}
	}
}

// Three in ten of the representatives crash as an item is published, and at least one of each zone lives. On each of
// the two levels of zones an item waits for two that are silent at most. No zone is sent more than three messages by a
// node.
func TestFailover(t *testing.T) {
	for seed := range uint64(6) {
		w := newFailover(seed+7201, newswire.Default().Window)
		type way struct {
			from sim.Node
			zone zone.Path
		}
		sent := make(map[way]int)
		w.Observe(func(_ time.Duration, n sim.Node, event any) {
			if f, ok := event.(newswire.Forwarded); ok && !f.Zone.Contains(w.paths[n]) {
				if sent[way{n, f.Zone}]++; sent[way{n, f.Zone}] > 3 {
					t.Errorf("seed %d: node %d sent it %d times to %s", w.Seed(), n, sent[way{n, f.Zone}], f.Zone)
				}
			}
		})
		w.crashBut(0.3, 0)
		at := w.Now()
		number := w.publish(t, 0, zone.Root, 0, "")
		w.Run(20 * time.Second)
		patience := w.plan.config.Patience
		w.expectWithin(t, number, everybody, at, 2*(patience+patience/2)+500*time.Millisecond)
		w.Run(time.Minute)
		w.idle(t)
	}
}

// Representatives crash after they have sent Taken, with most of their work before them. They are replaced after
// Silence.
func TestFailoverAfterTaken(t *testing.T) {
	for seed := range uint64(6) {
		w := newFailover(seed+7201, 1)
		crashed := make(map[sim.Node]bool)
		w.Tap(func(m sim.Delivery) {
			if _, ok := m.Message.(*newswire.Taken); ok && m.Fate == sim.Received && m.From != 0 && len(crashed) < 6 &&
				!crashed[m.From] {
				crashed[m.From] = true
				w.After(0, func() { w.Crash(m.From) })
			}
		})
		at := w.Now()
		number := w.publish(t, 0, zone.Root, 0, "")
		w.Run(20 * time.Second)
		if len(crashed) < 6 {
			t.Fatalf("%d crashed", len(crashed))
		}
		w.expectWithin(t, number, everybody, at, 3*w.plan.config.Silence)
		w.Run(time.Minute)
		w.idle(t)
	}
}

// A representative that let an item wait is sent no later ones, while others of its zone live. That ends when it sends
// something or enough time has passed.
func TestSuspects(t *testing.T) {
	l := newLone(newPlan(64, 8), 0)
	asked := func(number uint64) (n sim.Node) {
		n = -1
		for _, s := range l.sent() {
			if f, ok := s.Message.(*newswire.Forward); ok && f.Zone == "/~03" && f.Item.(*newswire.Item).ID == number {
				n, _ = l.NodeAt(s.To)
				// it counts as a sign of life, but not as an answer
				l.testNode.Receive(l.Peer(n), &newswire.Taken{Number: f.Number + 1000})
				l.testNode.Receive(l.Peer(n), &newswire.Done{Number: f.Number})
			}
		}
		return n
	}
	number := uint64(0)
	publish := func() {
		number++
		l.wire.Publish(sub(0), note(number, 0))
		l.env.Advance(time.Millisecond)
	}
	publish()
	var silent sim.Node = -1
	for _, s := range l.sent() {
		if f, ok := s.Message.(*newswire.Forward); ok && f.Zone == "/~03" {
			silent, _ = l.NodeAt(s.To)
		}
	}
	l.env.Advance(l.plan.config.Patience)
	if n := asked(1); n < 0 || n == silent {
		t.Fatalf("after %d, %d was asked", silent, n)
	}
	often := func() (often int) {
		for range 30 {
			if publish(); asked(number) == silent {
				often++
			}
		}
		return often
	}
	if n := often(); n != 0 {
		t.Errorf("the silent one was asked %d times", n)
	}
	l.testNode.Receive(l.Peer(silent), &newswire.Taken{Number: 1 << 30})
	if often() == 0 {
		t.Error("it was not asked any more, though it lives")
	}
}

// Suspects are bounded in number.
func TestBoundOfSuspects(t *testing.T) {
	if n := newswire.Suspects(1000); n > newswire.MaxSuspects {
		t.Errorf("%d are remembered", n)
	}
}

// All representatives of a zone crash as an item is published. Only a small part of the zone follows it. A known member
// of the zone forwards it, long before the zone names other representatives. No node has to request missed items.
func TestFailoverOfAllRepresentatives(t *testing.T) {
	for seed := range uint64(8) {
		p := newPlan(300, 20)
		follows := func(n sim.Node) bool { return n%10 == 0 }
		p.follows = func(n int) []engine.ID {
			if follows(sim.Node(n)) {
				return []engine.ID{sub(0)}
			}
			return []engine.ID{sub(1)}
		}
		p.world = func(c *sim.Config) { c.Seed = seed + 7601 }
		w := newTown(p)
		w.Run(time.Minute)
		for _, n := range w.representatives(w.paths[150]) {
			w.Crash(n)
		}
		w.Observe(func(_ time.Duration, n sim.Node, event any) {
			if _, ok := event.(newswire.Recovered); ok {
				t.Errorf("seed %d: node %d had missed it", w.Seed(), n)
			}
		})
		at := w.Now()
		number := w.publish(t, 0, zone.Root, 0, "")
		w.Run(time.Minute)
		w.expectWithin(t, number, follows, at, 5*time.Second)
		w.idle(t)
	}
}

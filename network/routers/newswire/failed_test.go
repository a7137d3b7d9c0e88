package newswire_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
)

// crashSome crashes a share of the zones' representatives, but for one node and the last of each zone.
func (w *testNet) crashSome(share float64, but sim.Node) {
	seen := make(map[zone.Path]bool)
	for _, z := range w.paths {
		for ; z != zone.Root && !seen[z]; z = z.Parent() {
			seen[z] = true
			left := 0
			for _, n := range w.representatives(z) {
				if w.Up(n) {
					left++
				}
			}
			for _, n := range w.representatives(z) {
				if n != but && w.Up(n) && left > 1 && w.Rand().Float64() < share {
					w.Crash(n)
					left--
				}
			}
		}
	}
}

// Three in ten of the representatives crash at the moment of publishing: those that live have the item within seconds,
// and no node twice.
func TestFailedRepresentatives(t *testing.T) {
	w := newTown(newPlan(500, 20))
	w.Run(time.Second)
	w.crashSome(0.3, 0)
	number := w.publish(t, 0, zone.Root, 0, "")
	w.Run(10 * time.Second)
	w.expect(t, number, everybody)
	w.Run(time.Minute)
	w.expect(t, number, everybody)
	w.idle(t)
}

// Representatives crash after they have sent Taken. Their silence is noticed, and others are asked.
func TestFailedAfterTaken(t *testing.T) {
	p := newPlan(200, 20)
	p.config.Window = 1
	w := newTown(p)
	w.Run(time.Second)
	crashed := 0
	w.Tap(func(m sim.Delivery) {
		if _, ok := m.Message.(*newswire.Taken); ok && m.Fate == sim.Received && m.To == 0 && crashed < 4 {
			crashed++
			w.After(0, func() { w.Crash(m.From) })
		}
	})
	again := 0
	w.Observe(func(_ time.Duration, n sim.Node, event any) {
		if f, ok := event.(newswire.Forwarded); ok && n == 0 && f.Again {
			again++
		}
	})
	number := w.publish(t, 0, zone.Root, 0, "")
	w.Run(30 * time.Second)
	if crashed != 4 || again != 4 {
		t.Fatalf("%d crashed, and for %d others were asked", crashed, again)
	}
	w.expect(t, number, everybody)
	w.idle(t)
}

// If all representatives of a zone have crashed, it has the item within half a minute: its members name others once
// they notice, or request what they have missed.
func TestAllRepresentativesFailed(t *testing.T) {
	w := newTown(newPlan(200, 20))
	z := w.paths[100]
	for _, n := range w.representatives(z) {
		w.Crash(n)
	}
	unreached, recovered := 0, 0
	w.Observe(func(_ time.Duration, n sim.Node, event any) {
		switch event.(type) {
		case newswire.Unreached:
			unreached++
		case newswire.Recovered:
			recovered++
		}
	})
	number := w.publish(t, 0, zone.Root, 0, "")
	w.Run(30 * time.Second)
	w.expect(t, number, everybody)
	if unreached == 0 || recovered == 0 || recovered > 10 {
		t.Errorf("unreached %d times, recovered %d times: the first that recovers it gives it to its zone", unreached,
			recovered)
	}
	w.idle(t)
}

// All representatives of a zone have crashed. Items for the zone are held until others are named. This includes items
// that came before the crash was noticed. No node has to request missed items.
func TestHeldForZone(t *testing.T) {
	for seed := range uint64(10) {
		p := newPlan(200, 20)
		p.config.CatchUp = p.config.Missed
		p.world = func(c *sim.Config) { c.Seed = seed + 1 }
		w := newTown(p)
		z := w.paths[100]
		for _, n := range w.representatives(z) {
			w.Crash(n)
		}
		w.Observe(func(_ time.Duration, n sim.Node, event any) {
			if u, ok := event.(newswire.Unreached); ok && zone.IsZone(u.Name) {
				t.Errorf("seed %d: node %d gave an item up for %s", seed+1, n, u.Zone)
			}
		})
		var numbers []uint64
		for i := range sim.Node(8) {
			numbers = append(numbers, w.publish(t, i%2, zone.Root, 0, ""))
			w.Run(time.Second)
		}
		w.Run(45 * time.Second)
		for _, number := range numbers {
			w.expect(t, number, everybody)
		}
	}
}

// A node waits Patience for the first sign of an item, half as long for that of another representative, and Silence
// after a Taken. Then it asks another, up to Attempts times. After about Silence it asks all again, until the item's
// Deadline.
func TestPatience(t *testing.T) {
	p := newPlan(64, 8)
	l := newLone(p, 0)
	l.wire.Publish(sub(0), note(1, 0))
	var asked []sim.Node
	to := func() int { // how often another was asked to bring it to the zone /~03
		for _, s := range l.sent() {
			if f, ok := s.Message.(*newswire.Forward); ok && f.Zone == "/~03" {
				n, _ := l.NodeAt(s.To)
				asked = append(asked, n)
				l.testNode.Receive(l.Peer(n), &newswire.Taken{Number: f.Number + 1000})
			}
		}
		return len(asked)
	}
	accepted := func() {
		l.testNode.Receive(l.Peer(asked[len(asked)-1]), &newswire.Taken{Number: newswire.NumberFor(l.wire, "/~03")})
	}
	for _, step := range []struct {
		d        time.Duration
		accepted bool // before
		asked    int
	}{
		{time.Millisecond, false, 1}, {p.config.Patience - 2*time.Millisecond, false, 1},
		{2 * time.Millisecond, false, 2},
		{p.config.Patience/2 - 2*time.Millisecond, false, 2}, {p.config.Silence - 2*time.Millisecond, true, 2},
		{p.config.Silence - 2*time.Millisecond, true, 2}, {3 * time.Millisecond, false, 3},
		{p.config.Patience/2 - 10*time.Millisecond, false, 3}, {20 * time.Millisecond, false, 4},
		{2*p.config.Patience - 20*time.Millisecond, false, 4},
		{p.config.Silence / 2, false, 4},
	} {
		if step.accepted {
			accepted()
		}
		l.env.Advance(step.d)
		if got := to(); got != step.asked {
			t.Fatalf("%v: %d were asked, not %d", l.env.Now(), got, step.asked)
		}
	}
	if len(asked) != 4 || asked[0] == asked[1] || asked[1] == asked[2] || asked[0] == asked[2] {
		t.Errorf("%v were asked: the three representatives first", asked)
	}
	if l.env.Advance(p.config.Silence + 100*time.Millisecond); to() < 5 {
		t.Error("nobody was asked again")
	}
	l.env.Advance(p.config.Deadline)
	last := to()
	if l.env.Advance(p.config.Deadline); to() != last {
		t.Error("others were asked after the deadline")
	}
}

// A member that sends no sign of life is sent an item again until its Deadline, after twice as long each time up to
// twice Silence. There is no other way to it, and many messages to it in a row may be lost.
func TestAMemberIsSentAnItemUntilTheDeadline(t *testing.T) {
	p := newPlan(64, 8)
	l := newLone(p, 0)
	l.wire.Publish(sub(0), note(1, 0))
	var at []time.Duration // when it was sent to one member
	var member engine.Peer
	for range p.config.Deadline/(100*time.Millisecond) + 200 {
		l.env.Advance(100 * time.Millisecond)
		for _, s := range l.sent() {
			if _, ok := s.Message.(*newswire.Deliver); !ok || !member.IsZero() && s.To.ID != member.ID {
				continue
			}
			member = s.To
			at = append(at, l.env.Now())
		}
	}
	longest, gap := 2*p.config.Silence, p.config.Patience
	for i := range at[1:] {
		if d := at[i+1] - at[i] - gap; d < -200*time.Millisecond || d > 200*time.Millisecond {
			t.Errorf("it is sent for the %d. time %v after the time before, not %v", i+2, at[i+1]-at[i], gap)
		}
		gap = min(2*gap, longest)
	}
	if left := at[0] + p.config.Deadline - at[len(at)-1]; left < 0 || left > longest {
		t.Errorf("it is sent last %v before the deadline: %v", left, at)
	}
}

// With two representatives at once, an item goes to two different ones of each zone, and is delivered once.
func TestRedundancy(t *testing.T) {
	p := newPlan(100, 10)
	p.config.Redundancy = 2
	w := newTown(p)
	toZones, to := 0, make(map[engine.ID]bool)
	w.Observe(func(_ time.Duration, n sim.Node, event any) {
		if f, ok := event.(newswire.Forwarded); ok && n == 0 && f.Zone != w.paths[0] {
			toZones++
			to[f.To.ID] = true
		}
	})
	number := w.publish(t, 0, zone.Root, 0, "")
	w.Run(5 * time.Second)
	w.expect(t, number, everybody)
	if toZones != 18 || len(to) != 18 {
		t.Errorf("it went %d times to 9 zones, to %d nodes; want 18 to 18", toZones, len(to))
	}
	w.idle(t)
}

// A node that stops in the middle of its work: others bring the item on. Nothing of it is left behind.
func TestStopInTheMiddle(t *testing.T) {
	w := newTown(newPlan(200, 20))
	stopped := map[sim.Node]bool{}
	w.Tap(func(m sim.Delivery) {
		if _, ok := m.Message.(*newswire.Forward); ok && m.Fate == sim.Received && len(stopped) < 3 && !stopped[m.To] {
			stopped[m.To] = true
			w.After(0, func() { w.Shutdown(m.To) })
		}
	})
	number := w.publish(t, 0, zone.Root, 0, "")
	w.Run(30 * time.Second)
	if len(stopped) != 3 {
		t.Fatalf("%d stopped", len(stopped))
	}
	w.expect(t, number, everybody)
	w.idle(t)
}

// Every node gets each item once where messages are lost, come twice and out of order.
func TestFaults(t *testing.T) {
	p := newPlan(120, 12)
	p.world = func(c *sim.Config) {
		c.Faults.Loss, c.Faults.Duplicate, c.Faults.Reorder, c.Faults.ReorderBy = 0.1, 0.1, 0.1, time.Second
	}
	w := newTown(p)
	for i := range 20 {
		w.publish(t, sim.Node(i), zone.Root, 0, "")
		w.Run(100 * time.Millisecond)
	}
	w.Run(2 * time.Minute)
	for number := range w.last {
		w.expect(t, number+1, everybody)
	}
	w.idle(t)
}

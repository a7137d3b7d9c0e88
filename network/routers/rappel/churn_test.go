package rappel_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// Half of the members crash at one moment and come back an hour later (figure 7). Those that stay get everything, and
// the tree is right soon after either.
func TestHalfCrash(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		const nodes = 80
		w := newWorld(wire(), t.World, settings{nodes: nodes, config: rappel.Default()})
		w.roots[topic(0)] = 0
		for n := range sim.Node(nodes) {
			w.Join(n, topic(0))
		}
		w.Run(10 * time.Minute)
		for n := range sim.Node(nodes) {
			if n > 0 && w.Rand().IntN(2) == 0 {
				w.Crash(n)
			}
		}
		for range 15 {
			w.publish(0, topic(0))
			w.Run(time.Minute)
		}
		if err := w.tree(topic(0), 5); err != nil {
			t.Errorf("after the crash: %v", err)
		}
		w.BootAll(0)
		w.Run(10 * time.Minute)
		w.publish(0, topic(0))
		w.Run(time.Minute)
		if err := w.tree(topic(0), 5); err != nil {
			t.Errorf("after the return: %v", err)
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
		quiet(t, w)
	})
}

// rest fails unless two conditions hold five minutes later. An update of a publisher comes to all members by a right
// tree, and all is quiet.
func rest(t *simtest.T, w *world, publisher sim.Node) {
	t.Helper()
	w.Run(5 * time.Minute)
	w.publish(publisher, topic(0))
	w.Run(time.Minute)
	if err := w.tree(topic(0), 5); err != nil {
		t.Error(err)
	}
	if err := w.Watch.Finish(); err != nil {
		t.Error(err)
	}
	quiet(t, w)
}

// The root crashes, and comes back having forgotten everything, its calendar clock an hour slow. Its numbers are above
// all earlier ones. No member mistakes old for new, and all get what is published then.
func TestRootForgets(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		w := newWorld(wire(), t.World, settings{nodes: 40, config: rappel.Default()})
		w.roots[topic(0)] = 0
		for n := range sim.Node(40) {
			if n > 0 {
				w.Join(n, topic(0))
			}
		}
		w.Run(time.Minute)
		for range 5 {
			w.publish(0, topic(0))
			w.Run(time.Second)
		}
		w.Crash(0)
		w.SetWall(0, -time.Hour)
		w.Run(time.Duration(w.Rand().IntN(60)) * time.Second)
		w.Boot(0)
		for range 5 {
			w.publish(0, topic(0))
			w.Run(20 * time.Second)
		}
		rest(t, w, 0)
	})
}

// The root crashes for good, with an update on its way, and another node succeeds it after a while.
func TestRootIsReplaced(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		w := newWorld(wire(), t.World, settings{nodes: 40, config: rappel.Default()})
		w.roots[topic(0)] = 0
		for n := range sim.Node(40) {
			if n > 1 {
				w.Join(n, topic(0))
			}
		}
		w.Run(time.Minute)
		w.publish(0, topic(0))
		w.Run(150 * time.Millisecond) // a part of the children has it, and a part of theirs
		w.Crash(0)
		w.Run(time.Duration(w.Rand().IntN(60)) * time.Second)
		w.moveRoot(topic(0), sim.Node(1+t.Seed()%2)) // one that has joined, or none
		for range 5 {
			w.publish(sim.Node(2+w.Rand().IntN(38)), topic(0))
			w.Run(20 * time.Second)
		}
		rest(t, w, 5)
	})
}

// Coordinates change, so that parents become more remote than their children. In the end all trees are right again, and
// nothing is lost. Circles are found by the chain of ancestors (section 4.2).
func TestCoordinatesChange(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(wire(), t.World, settings{nodes: 50, config: rappel.Default()})
		w.roots[topic(0)] = 0
		for n := range sim.Node(50) {
			w.Join(n, topic(0))
		}
		w.Run(2 * time.Minute)
		for i := range 20 {
			for range 1 + i%10*5 {
				n := w.Rand().IntN(50)
				w.points[n].at.Vector = []int32{int32(w.Rand().IntN(100_000)), int32(w.Rand().IntN(100_000))}
			}
			w.publish(0, topic(0))
			w.Run(time.Duration(5+w.Rand().IntN(60)) * time.Second)
		}
		w.Run(20 * time.Minute)
		w.publish(0, topic(0))
		w.Run(time.Minute)
		if err := w.tree(topic(0), 5); err != nil {
			t.Error(err)
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
		quiet(t, w)
	})
}

// Churn is five times as fast as Overnet's, in which a quarter of the nodes leaves within an hour. A node that stays
// has each update within 15 s, and nearly always within one.
func TestLatencyUnderChurn(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes, observers = 100, 10
		w := newWorld(wire(), t.World, settings{nodes: nodes, config: rappel.Default()})
		w.roots[topic(0)] = 0
		var published time.Duration
		var late []time.Duration
		w.Observe(func(at time.Duration, n sim.Node, event any) {
			if _, ok := event.(rappel.Delivered); ok && n > 0 && n <= observers && published > 0 {
				late = append(late, at-published)
			}
		})
		for n := range sim.Node(nodes) {
			w.Join(n, topic(0))
		}
		w.Run(5 * time.Minute)
		for range 60 {
			n := sim.Node(observers + 1 + w.Rand().IntN(nodes-observers-1))
			if w.Up(n) {
				w.CrashFor(n, time.Duration(w.Rand().IntN(120))*time.Second)
			}
			published = w.Now()
			w.publish(0, topic(0))
			w.Run(30 * time.Second)
		}
		slices.Sort(late)
		if len(late) < 60*observers {
			t.Errorf("%d deliveries of %d", len(late), 60*observers)
		}
		if worst, usual := late[len(late)-1], late[len(late)*95/100]; worst > 15*time.Second || usual > time.Second {
			t.Errorf("the slowest came after %v, and one of twenty after %v or more", worst, usual)
		}
		w.BootAll(0)
		w.Run(5 * time.Minute)
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

// A node that leaves and joins again gets nothing twice, and updates go on for all others while it leaves. Those that
// leave get nothing once they are gone (hostile 36).
func TestLeavesAndReturns(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(wire(), t.World, settings{nodes: 50, config: rappel.Default()})
		w.roots[topic(0)] = 0
		for n := range sim.Node(50) {
			w.Join(n, topic(0))
		}
		w.Run(time.Minute)
		for range 60 {
			n := sim.Node(1 + w.Rand().IntN(49))
			switch {
			case w.Wants(n, topic(0)):
				w.Leave(n, topic(0))
			default:
				w.Join(n, topic(0))
			}
			w.Run(time.Duration(w.Rand().IntN(5000)) * time.Millisecond)
			w.publish(0, topic(0))
			w.Run(time.Duration(w.Rand().IntN(5000)) * time.Millisecond)
		}
		w.Run(2 * time.Minute)
		if n := w.traced["Gap"]; n > 60 { // an update may overtake what a new parent sends first
			t.Errorf("%d gaps, though nobody crashed", n)
		}
		if err := w.tree(topic(0), 5); err != nil {
			t.Error(err)
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

// At rest a member sends its pings and seldom anything else: below 100 B/s with one feed (figure 11).
func TestTrafficAtRest(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	simtest.Run(t, 2, func(t *simtest.T) {
		const nodes = 100
		w := newWorld(wire(), t.World, settings{nodes: nodes, config: rappel.Default()})
		w.roots[topic(0)] = 0
		for n := range sim.Node(nodes) {
			w.Join(n, topic(0))
		}
		w.Run(time.Hour)
		var before []uint64
		for n := range sim.Node(nodes) {
			before = append(before, w.NodeCount(n).SentBytes)
		}
		w.Run(time.Hour)
		var rates []float64
		for n := range sim.Node(nodes) {
			rates = append(rates, float64(w.NodeCount(n).SentBytes-before[n])/3600)
		}
		slices.Sort(rates)
		t.Logf("bytes a second: median %.1f, most %.1f", rates[nodes/2], rates[nodes-1])
		if rates[nodes/2] > 60 || rates[nodes-1] > 200 {
			t.Errorf("members send %.0f B/s, one of them %.0f", rates[nodes/2], rates[nodes-1])
		}
	})
}

// With several topics friends cover what is joined, and most joins go by way of them (section 5).
func TestFriendsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes, groups = 60, 4 // of interest
		w := newWorld(wire(), t.World, settings{nodes: nodes + 20, config: rappel.Default()})
		for i := range 20 {
			w.roots[topic(i)] = sim.Node(nodes + i)
		}
		atRoot, all := 0, 0
		w.Observe(func(_ time.Duration, _ sim.Node, event any) {
			if e, ok := event.(rappel.Asked); ok && e.Why == "joins" {
				all++
				if n, _ := w.NodeAt(e.To); n >= nodes {
					atRoot++
				}
			}
		})
		wanted := make(map[sim.Node][]engine.ID)
		for n := range sim.Node(nodes) {
			for i := range 20 {
				if i%groups == int(n)%groups || w.Rand().IntN(10) == 0 {
					wanted[n] = append(wanted[n], topic(i))
				}
			}
		}
		for n := range sim.Node(nodes) {
			for _, topic := range wanted[n] {
				w.Join(n, topic)
			}
			w.Run(10 * time.Second)
		}
		w.Run(20 * time.Minute)
		uncovered := 0
		for n := range sim.Node(nodes) {
			covered := make(map[engine.ID]bool)
			for _, f := range w.Node(n).Friends() {
				friend, _ := w.NodeAt(f.Peer)
				for _, topic := range wanted[friend] {
					covered[topic] = true
				}
			}
			if slices.ContainsFunc(wanted[n], func(topic engine.ID) bool { return !covered[topic] }) {
				uncovered++
			}
		}
		t.Logf("%d of %d joins at roots; %d of %d nodes have topics that no friend covers", atRoot, all,
			uncovered, nodes)
		if atRoot*2 > all {
			t.Errorf("%d of %d joins are at roots", atRoot, all)
		}
		if uncovered > nodes/4 {
			t.Errorf("%d of %d nodes have topics that no friend covers", uncovered, nodes)
		}
		for i := range 20 {
			w.publish(sim.Node(nodes+i), topic(i))
		}
		w.Run(time.Minute)
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

package pastry

import (
	"testing"
	"time"

	"tidings/network/sim"
)

// A machine sleeps for eight hours, or half of the ring does, or all of it. When they wake they
// find out, rejoin by themselves, and lose nothing (hostile 34).
func TestSuspend(t *testing.T) {
	t.Parallel()
	sleep := time.Duration(short(1, 8)) * time.Hour
	for _, c := range []struct {
		name   string
		sleeps func(sim.Node) bool
	}{
		{"one", func(n sim.Node) bool { return n == 7 }},
		{"half", func(n sim.Node) bool { return n%2 == 0 }},
		{"all", func(sim.Node) bool { return true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRing(t, 1)
			r.count()
			r.grow(short(12, 30), 200*time.Millisecond)
			r.world.Run(time.Minute)
			var sleepers []sim.Node
			for _, n := range r.nodes {
				if c.sleeps(n) {
					sleepers = append(sleepers, n)
					r.world.Suspend(n, sleep)
				}
			}
			r.world.Run(sleep + time.Millisecond)
			for range 100 { // the first thing that the user does
				r.route(sleepers[r.chance.IntN(len(sleepers))], r.key())
			}
			r.world.Run(30 * time.Second)
			for note := uint64(1); note <= 100; note++ {
				if len(r.got[note]) != 1 {
					t.Errorf("note %d was delivered %d times", note, len(r.got[note]))
				}
			}
			r.settles(t, time.Minute)
			if r.events["pastry.Woke"] < len(sleepers) {
				t.Errorf("%d of %d noticed", r.events["pastry.Woke"], len(sleepers))
			}
		})
	}
}

// Clocks that run twice as fast, on a third of the nodes (hostile 34).
func TestFastClocks(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.count()
	r.grow(short(36, 60), 200*time.Millisecond)
	for _, n := range r.nodes {
		if n%3 == 0 {
			r.world.SetRate(n, 2)
		}
	}
	r.world.Run(10 * time.Minute)
	if removed := r.events["pastry.Removed"]; removed > 0 {
		t.Errorf("%d were removed", removed)
	}
	for n := range len(r.nodes) / 3 {
		r.world.Crash(r.nodes[n])
	}
	r.world.Run(time.Minute)
	if wrong := r.wrongLeafSets(r.alive()); wrong > 0 {
		t.Errorf("%d leaf sets are wrong", wrong)
	}
	if wrong, _ := r.lookups(300, r.alive()); wrong > 0 {
		t.Errorf("%d lookups went wrong", wrong)
	}
}

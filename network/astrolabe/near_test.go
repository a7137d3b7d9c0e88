package astrolabe_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/sim"
	"tidings/network/vivaldi"
)

// standing is a place that may change.
type standing struct{ at vivaldi.Coordinate }

func (s *standing) Coordinate() vivaldi.Coordinate { return s.at }

func at(x int32) vivaldi.Coordinate {
	return vivaldi.Coordinate{Vector: []int32{x, 1000}, Height: 5000, Error: 100}
}

// Nodes of three cities share a network. Those of one city come to be in zones with each other.
func TestZonesAreNear(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	t.Parallel()
	city := func(n sim.Node) int32 { return int32(n % 3) }
	w := newWorld(setup{homes: all(240, zone.Root), step: 200 * time.Millisecond,
		seams: func(_ *world, n sim.Node, s *astrolabe.Seams) {
			s.Coordinates = &standing{at(100_000 * city(n))}
		}})
	w.Run(48 * time.Second)
	w.until(t, 15*time.Minute, func() error { return w.agreed(w.up()) })
	near, all := 0, 0
	for p, members := range w.zones() {
		if p == zone.Root {
			continue
		}
		for i, a := range members {
			for _, b := range members[:i] {
				all++
				if city(a) == city(b) {
					near++
				}
			}
		}
	}
	t.Logf("%d of %d pairs of one zone are of one city; zones: %d", near, all, len(w.zones()))
	if near*10 < all*8 { // by chance: a third
		t.Errorf("only %d of %d pairs of one zone are of one city", near, all)
	}
}

// A node with coordinates that waver does not write its row anew; one that has moved does.
func TestPositionIsAnnouncedWhenItHasChanged(t *testing.T) {
	t.Parallel()
	place := &standing{at(50_000)}
	w := newWorld(setup{homes: all(2, zone.Root), step: time.Second,
		seams: func(_ *world, n sim.Node, s *astrolabe.Seams) {
			if n == 0 {
				s.Coordinates = place
			}
		}})
	announced := func() float64 {
		r, _ := w.node(1).Table(zone.Root).Get(zone.Member(w.Peer(0).ID))
		return r.Attributes.Get("x").Real
	}
	w.Run(10 * time.Second)
	for _, step := range []struct {
		at        int32
		announced float64
	}{{50_000, 50_000}, {59_000, 50_000}, {45_000, 50_000}, {70_000, 70_000}, {61_000, 70_000}} {
		place.at = at(step.at)
		w.Run(2*w.aggregation.Refresh + time.Minute)
		if got := announced(); got != step.announced {
			t.Errorf("at %d µs, the node's row says %v, want %v", step.at, got, step.announced)
		}
	}
}

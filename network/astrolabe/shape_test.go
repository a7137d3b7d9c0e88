package astrolabe_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/sim"
)

// zones returns the members of each zone.
func (w *world) zones() map[zone.Path][]sim.Node {
	zones := make(map[zone.Path][]sim.Node)
	for _, n := range w.up() {
		if p, ok := w.node(n).Path(); ok {
			zones[p] = append(zones[p], n)
		}
	}
	return zones
}

// atHome returns which node is in a zone outside its home.
func (w *world) atHome() error {
	for _, n := range w.up() {
		if p, _ := w.node(n).Path(); !w.homes[n].Contains(p) {
			return fmt.Errorf("node %d of %s is in %s", n, w.homes[n], p)
		}
	}
	return nil
}

// A node with a zone by name is in it, whichever node is asked for the way, and one without goes where others are.
func TestZoneNames(t *testing.T) {
	t.Parallel()
	var homes []zone.Path
	for range 8 {
		homes = append(homes, "/eu/de", "/eu/fr", "/us", zone.Root)
	}
	w := newWorld(setup{homes: homes, step: time.Second})
	w.Run(32 * time.Second)
	w.until(t, 5*time.Minute, func() error {
		if err := w.atHome(); err != nil {
			return err
		}
		return w.agreed(w.up())
	})
	for p, want := range map[zone.Path]int{"/eu/de": 8, "/eu/fr": 8, "/us": 8} {
		named := 0
		for _, n := range w.zones()[p] {
			if w.homes[n] == p {
				named++
			}
		}
		if named != want {
			t.Errorf("%d members in %s, want %d", named, p, want)
		}
	}
	if members := w.zones()["/eu"]; len(members) > 0 {
		t.Errorf("%v are in /eu, above the zones that have names", members)
	}
}

// The members of a zone with a name that is full move to zones below it, and none leaves it.
func TestSplitZone(t *testing.T) {
	t.Parallel()
	w := newWorld(setup{homes: append(all(200, "/eu/de"), all(3, "/us")...), step: 200 * time.Millisecond})
	w.Run(41 * time.Second)
	w.until(t, 15*time.Minute, func() error {
		if err := w.atHome(); err != nil {
			return err
		}
		return w.agreed(w.up())
	})
	below := 0
	for p, members := range w.zones() {
		if len(members) > w.aggregation.Full {
			t.Errorf("%d members in %s", len(members), p)
		}
		if p != "/eu/de" && zone.Path("/eu/de").Contains(p) {
			below += len(members)
		}
	}
	if below < 190 {
		t.Errorf("%d members are in zones below /eu/de; the zones are %v", below, w.zones())
	}
}

// When most members of a zone leave in good order, the others move on, and the tree has one zone less. Its row does not
// outlast it, so that no member is counted twice.
func TestDissolve(t *testing.T) {
	t.Parallel()
	w := newWorld(setup{homes: all(150, zone.Root), step: 200 * time.Millisecond})
	w.Run(30 * time.Second)
	w.until(t, 15*time.Minute, func() error { return w.agreed(w.up()) })
	w.Run(5 * time.Minute)
	before := w.zones()
	p, _ := w.node(77).Path()
	if !p.Auto() || len(before[p]) < 9 {
		t.Fatalf("node 77 is in %s with %d members", p, len(before[p]))
	}
	for _, n := range before[p][4:] {
		w.Shutdown(n)
		w.Run(3 * time.Second)
	}
	w.Run(w.aggregation.DissolveAfter / 2)
	if rest := w.zones()[p]; len(rest) != 4 {
		t.Errorf("%d members are in %s before it has been small for %v", len(rest), p, w.aggregation.DissolveAfter)
	}
	w.until(t, w.aggregation.DissolveAfter+2*time.Minute, func() error {
		if rest := w.zones()[p]; len(rest) > 0 {
			return fmt.Errorf("%v are still in %s", rest, p)
		}
		return nil
	})
	w.Run(w.aggregation.Stay + 15*time.Second)
	if _, ok := w.node(0).Table(zone.Root).Get(p.Label()); ok {
		t.Errorf("%s still has a row", p)
	}
	w.Run(2*w.aggregation.Refresh + time.Minute) // numbers of members are announced when rows are stamped anew
	if len(w.zones()) >= len(before) {
		t.Errorf("%d zones, %d before", len(w.zones()), len(before))
	}
	if err := w.agreed(w.up()); err != nil {
		t.Error(err)
	}
}

package newswire_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/newswire"
	"tidings/network/routertest"
	"tidings/network/sim"
)

// Of what a node publishes it is told which node has it: a representative of another zone, or a member of its own.
func TestPublishersAreToldWhoHasIt(t *testing.T) {
	p := newPlan(24, 6)
	taken := make(map[engine.ID]bool)
	p.seams = func(n int, s *newswire.Seams) {
		if n == 0 {
			s.OnTaken = func(topic engine.ID, event engine.Message, by engine.Peer) {
				if m := event.(*routertest.Note); m.Topic != topic {
					t.Errorf("an event of another topic is told of: %+v", m)
				}
				taken[by.ID] = true
			}
		} else {
			s.OnTaken = func(_ engine.ID, _ engine.Message, by engine.Peer) {
				t.Errorf("node %d is told that %v has another's event", n, by)
			}
		}
	}
	w := newTown(p)
	number := w.publish(t, 0, zone.Root, 0, "")
	w.Run(time.Minute)
	w.expect(t, number, func(sim.Node) bool { return true })
	near, far := 0, 0
	for n := range sim.Node(w.Len()) {
		switch {
		case !taken[w.Peer(n).ID]:
		case w.paths[n] == w.paths[0]:
			near++
		default:
			far++
		}
	}
	if near == 0 || far == 0 {
		t.Errorf("%d nodes of the own zone and %d of others have it", near, far)
	}
}

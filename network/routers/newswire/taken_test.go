package newswire_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
)

// A publisher learns which node has its event: a representative of another zone, or a member of its own.
func TestPublishersLearnWhichNodeHasIt(t *testing.T) {
	p := newPlan(24, 6)
	accepted := make(map[engine.ID]bool)
	p.seams = func(n int, s *newswire.Seams) {
		if n == 0 {
			s.OnTaken = func(topic engine.ID, event engine.Message, by engine.Peer) {
				if m := event.(*routertest.Note); m.Topic != topic {
					t.Errorf("an event of another topic is reported: %+v", m)
				}
				accepted[by.ID] = true
			}
		} else {
			s.OnTaken = func(_ engine.ID, _ engine.Message, by engine.Peer) {
				t.Errorf("node %d learns that %v has another's event", n, by)
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
		case !accepted[w.Peer(n).ID]:
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

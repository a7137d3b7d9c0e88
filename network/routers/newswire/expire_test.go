package newswire_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
)

// A member with an expired certificate gets items until the grace for wrong clocks is over, and no longer (hostile 48).
// That its row was stamped a moment before does not matter.
func TestHostile48ExpiredMember(t *testing.T) {
	const holds, grace, step, member = 2 * time.Minute, 5 * time.Minute, 30 * time.Second, 40
	p := newClosed()
	zoned := p.zoned
	p.zoned = func(n int, id engine.ID, s *astrolabe.Seams) {
		zoned(n, id, s)
		if n == member {
			s.Proof = certified(1, id, zone.Root, 0, p.epoch().Add(holds))
		}
	}
	w := newTown(p)
	for w.Now() < holds+grace+2*time.Minute {
		begin := w.Now()
		number := w.publish(t, 20, zone.Root, 0, "")
		w.Run(step)
		got, expired := len(w.got[number][sim.Node(member)]) > 0, begin-holds-grace
		if got && expired > step || !got && expired < -step {
			t.Fatalf("%v after its certificate and the grace have ended: whether it gets an item: %v", expired, got)
		}
		w.expect(t, number, func(n sim.Node) bool { return n != member || got })
	}
}

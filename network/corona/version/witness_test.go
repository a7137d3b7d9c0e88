package version

import (
	"testing"
	"time"

	"tidings/network/engine/enginetest"
)

// An owner that lies, and has a certificate, can have a witness poll no more often than the certificate's pollers would find changes.
func TestWitnessesPollAsTheHostAllows(t *testing.T) {
	t.Parallel()
	for pollers, most := range map[float64]int{0: 0, 1.5: 1, 5: 3, 400: maxWitnessed} {
		m := newMany()
		m.witnesses = 4
		for _, a := range m.nodes {
			a.machine.config.Witnesses, a.certified = m.witnesses, pollers
		}
		owner := m.at("51")
		place := Place(news.ID, owner.env.Wall(), 0)
		witness := m.ground.at(0, owner.env.Wall())
		env := witness.env.(*enginetest.Env)
		for interval := 1; interval <= 2; interval++ {
			for i := range 20 {
				witness.machine.Deliver(place, owner.env.Self(), &Verify{Channel: news.ID, URL: news.URL, Version: uint64(i), Place: 0})
				env.Advance(time.Minute)
			}
			if got := len(witness.asked); got != interval*most {
				t.Errorf("with %.1f pollers a witness polls %d times in %d intervals, not %d", pollers, got, interval, interval*most)
			}
			env.Advance(witness.machine.config.Interval)
		}
	}
}

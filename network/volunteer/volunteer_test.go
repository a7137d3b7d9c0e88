package volunteer_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
	"tidings/network/volunteer"
)

func TestMessages(t *testing.T) { enginetest.Check(t, engine.NewCodec(volunteer.Vocabulary)) }

func FuzzMessages(f *testing.F) { enginetest.Fuzz(f, engine.NewCodec(volunteer.Vocabulary)) }

// quick is an ordinary network in which turns come often.
func quick() volunteer.Config {
	c := volunteer.Default()
	c.Interval = 2 * time.Minute
	return c
}

// However many follow a channel, it is polled about as often as Config.Enough says at most, and once an
// interval at least; and everybody hears of each change.
func TestVolunteersShareThePolling(t *testing.T) {
	for _, nodes := range []int{3, 40} {
		simtest.Run(t, 3, func(t *simtest.T) {
			v := newTown(t, nodes, quick(), nil)
			start := v.Now()
			for range 20 {
				v.change()
				v.Run(2 * v.config.Interval)
			}
			rate := v.rate(start)
			if most := float64(min(nodes, v.config.Enough)); rate < 1 || rate > 1.25*most {
				t.Errorf("%d nodes poll %.1f times an interval; %d are enough", nodes, rate, v.config.Enough)
			}
			if len(v.detected) != 20 {
				t.Errorf("%d of 20 changes were detected", len(v.detected))
			}
			for _, d := range v.detected {
				if longest := v.config.Interval * 3 / 2; d > longest+time.Minute {
					t.Errorf("a change waited %v for a poll", d)
				}
			}
			for i, n := range v.nodes {
				if len(n.seen) != 20 || n.had != 20 {
					t.Errorf("node %d saw the changes %v", i, n.seen)
				}
			}
		})
	}
}

// Who seldom finds anything volunteers seldom: a channel that never changes is polled less than one
// that does.
func TestZealFollowsSuccess(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		rates := make(map[bool]float64)
		for _, changes := range []bool{false, true} {
			v := newTown(t, 24, quick(), nil)
			v.Run(20 * v.config.Interval)
			start := v.Now()
			for range 100 {
				if changes {
					v.change()
				}
				v.Run(v.config.Interval / 5)
			}
			rates[changes] = v.rate(start)
		}
		if rates[false] > 0.75*rates[true] {
			t.Errorf("%.1f polls an interval where nothing changes, %.1f where much does", rates[false], rates[true])
		}
	})
}

// Hostile 42: what is told in another's name goes nowhere.
func TestNobodySpeaksForAnother(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		refused := 0
		v := newTown(t, 20, quick(), nil)
		v.Observe(func(_ time.Duration, _ sim.Node, event any) {
			if _, ok := event.(volunteer.Refused); ok {
				refused++
			}
		})
		victim, other := v.nodes[3], v.nodes[7]
		m := &volunteer.Looked{
			Finder: victim.env.Self(), Time: v.nodes[7].env.Wall().UnixMilli(), Hash: hashOf(99), Payload: []byte("a lie"),
			Signature: make([]byte, engine.SignatureLength),
		}
		v.Do(7, func(engine.Protocol) { other.scribe.Publish(topic, m) })
		v.Run(time.Minute)
		for i, n := range v.nodes {
			if n.had == 99 {
				t.Errorf("node %d believes it", i)
			}
		}
		if refused == 0 {
			t.Error("nobody refused it")
		}
	})
}

// One that says all the time that it has polled, and that nothing has changed, keeps the others from
// polling only until they look for themselves.
func TestALiarIsFoundOut(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		c := quick()
		c.Trust = 6
		v := newTown(t, 12, c, nil)
		quiet := v.nodes[5]
		stop := v.Now() + 40*c.Interval
		var lie func()
		lie = func() {
			if v.Now() < stop {
				v.Do(5, func(engine.Protocol) { quiet.volunteer.Polled(topic, volunteer.Found{Hash: hashOf(0)}) })
				v.After(c.Interval/time.Duration(2*c.Enough), lie)
			}
		}
		lie()
		v.Run(2 * c.Interval)
		v.change()
		v.Run(time.Duration(c.Trust+2) * c.Interval)
		for i, n := range v.nodes {
			if i != 5 && n.had != 1 {
				t.Errorf("node %d never heard of the change", i)
			}
		}
	})
}

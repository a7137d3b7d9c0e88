package sim

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever delays messages, but for Reorder and Duplicate, those of one pair keep their order.
func TestOrderOfPairsUnderFaults(t *testing.T) {
	t.Parallel()
	latencies := []Latency{Constant(50 * time.Millisecond), Uniform{0, time.Second}, steadyUniform{}}
	rapid.Check(t, func(t *rapid.T) {
		w := newRecorders(3, func(c *Config) {
			c.Latency = rapid.SampledFrom(latencies).Draw(t, "latency")
			c.Queue = 5
		})
		node := func() Node { return Node(rapid.IntRange(0, 2).Draw(t, "node")) }
		number := uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"send": func(*rapid.T) {
				from, to := node(), node()
				for range rapid.IntRange(1, 10).Draw(t, "messages") {
					number++
					w.ping(from, to, number)
				}
			},
			"run": func(*rapid.T) {
				w.Run(rapid.SampledFrom([]time.Duration{0, 10 * time.Millisecond, time.Second, time.Minute}).Draw(t,
					"d"))
			},
			"faults": func(*rapid.T) {
				if rapid.Bool().Draw(t, "some") {
					w.SetFaults(Faults{Loss: 0.2, Spike: 0.3, SpikeBy: 30 * time.Second})
				} else {
					w.SetFaults(Faults{})
				}
			},
			"bandwidth": func(*rapid.T) {
				rates := rapid.SampledFrom([]int64{0, 10, 100})
				w.SetBandwidth(node(), Bandwidth{rates.Draw(t, "up"), rates.Draw(t, "down")})
			},
			"slow": func(*rapid.T) {
				w.SetSlow(node(), rapid.SampledFrom([]time.Duration{0, time.Second, Forever}).Draw(t, "each"))
			},
			"pause": func(*rapid.T) { w.Pause(node(), 3*time.Second) },
			"": func(*rapid.T) {
				for n := range Node(3) {
					latest := map[string]uint64{}
					for _, h := range w.at(n).heard {
						if from := string(h.from.Address); h.number <= latest[from] {
							t.Fatalf("node %d heard %d after %d", n, h.number, latest[from])
						} else {
							latest[from] = h.number
						}
					}
				}
			},
		})
	})
}

// Where no message can overtake another, a world that does not watch over that runs the same.
func TestSteadyWorldsRunTheSame(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]Latency{"constant": Constant(50 * time.Millisecond), "by pair": steadyUniform{}} {
		run := func(l Latency) uint64 {
			w := newRally(20, l, false)
			w.After(time.Second, func() { w.SetFaults(Faults{Spike: 0.1, SpikeBy: time.Second}) })
			w.After(3*time.Second, func() { w.SetFaults(Faults{}) })
			w.Run(6 * time.Second)
			return w.TraceHash()
		}
		if run(l) != run(struct{ Latency }{l}) {
			t.Errorf("%s: the trace hash depends on whether the latency says that it is steady", name)
		}
	}
}

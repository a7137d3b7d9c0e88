package rappel_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"tidings/lab/cpu"
	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/sim"
)

// One topic has 5,000 subscribers for 30 minutes, which all come in the first two. Every minute something is published.
// It reports processor time, and the bytes that a node sends.
func BenchmarkFiveThousand(b *testing.B) {
	const nodes = 5000
	for b.Loop() {
		begun := cpu.Time()
		w := newWorld(sim.Default(codec), sim.New, settings{nodes: nodes + 1, config: rappel.Default()})
		w.roots[topic(0)] = 0
		for n := range sim.Node(nodes) {
			w.After(time.Duration(n)*2*time.Minute/nodes, func() { w.Join(n+1, topic(0)) })
		}
		for range 30 {
			w.Run(time.Minute)
			w.publish(0, topic(0))
		}
		w.Run(10 * time.Second)
		b.ReportMetric((cpu.Time() - begun).Seconds(), "cpu-s")
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		b.ReportMetric(float64(memory.HeapAlloc)/nodes, "B/node")
		var control, all uint64
		for kind, c := range w.Counters().Kinds {
			all += c.Bytes
			if codec.Class(kind) != engine.Update {
				control += c.Bytes
			}
		}
		b.ReportMetric(float64(control)/nodes/1810, "control-B/node/s")
		b.ReportMetric(float64(all)/nodes/1810, "B/node/s")
		var heights, stretch []float64
		for n := range sim.Node(nodes) {
			if v, in := w.Node(n + 1).Tree(topic(0)); in && v.Direct > 0 {
				heights, stretch = append(heights, float64(v.Height)),
					append(stretch, float64(v.Path)/float64(v.Direct))
			}
		}
		slices.Sort(heights)
		slices.Sort(stretch)
		b.ReportMetric(heights[len(heights)/2], "median-height")
		b.ReportMetric(heights[len(heights)-1], "height")
		b.ReportMetric(stretch[len(stretch)/2], "median-stretch")
		b.ReportMetric(stretch[len(stretch)*95/100], "95%-stretch")
		if err := w.Watch.Finish(); err != nil {
			b.Error(err)
		}
	}
}

package sim

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"tidings/network/engine"
)

// Pings are messages between random pairs of nodes; bytes are counted, latencies vary.
func BenchmarkPing(b *testing.B) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		for _, l := range []struct {
			name    string
			latency Latency
		}{
			{"steady", steadyUniform{}},
			{"uniform", Uniform{10 * time.Millisecond, 100 * time.Millisecond}},
		} {
			b.Run(fmt.Sprintf("nodes=%d/%s", n, l.name), func(b *testing.B) {
				w := newPingers(n, func(c *Config) { c.Latency = l.latency })
				w.Run(300 * time.Millisecond)
				runtime.GC()
				before, begun := w.received(), processorTime()
				b.ResetTimer()
				for w.received()-before < uint64(b.N) {
					w.Run(time.Millisecond)
				}
				b.ReportMetric(float64(w.received()-before)/(processorTime()-begun).Seconds()/1e6, "Mmsg/cpu-s")
				b.ReportMetric(heapBytes()/float64(n), "B/node")
				runtime.KeepAlive(w)
			})
		}
	}
}

// processorTime is what the process used of all cores, the garbage collector's included.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (w *World) received() uint64 {
	var sum uint64
	for _, c := range w.counts.Kinds {
		sum += c.Received
	}
	return sum
}

func heapBytes() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// steadyUniform is a latency between 10 and 100 ms by pair, the same each time.
type steadyUniform struct{}

func (steadyUniform) Between(_ *rand.Rand, from, to Node) time.Duration {
	x := (uint64(from)<<32 | uint64(to)) * 0x9e3779b97f4a7c15
	return 10*time.Millisecond + time.Duration(x>>38)*time.Microsecond*90/(1<<26/1000)
}

func (steadyUniform) Steady() bool { return true }

// The queue alone: the earliest entry is taken out and comes back later.
func BenchmarkQueue(b *testing.B) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			var q queue
			chance := rand.New(rand.NewPCG(1, 2))
			for range n {
				q.push(entry{at: chance.Int64N(1e8)})
			}
			b.ResetTimer()
			for range b.N {
				e, _ := q.pop(forever)
				e.at += 1e7 + chance.Int64N(9e7)
				q.push(e)
			}
		})
	}
}

// Timers that are mostly taken back, as time-outs are.
func BenchmarkTimer(b *testing.B) {
	w := newPingers(1)
	env := w.Protocol(0).(*pinger).env
	f := func() {}
	var waiting [1024]engine.Timer
	b.ReportAllocs()
	for i := range b.N {
		t := &waiting[i%len(waiting)]
		t.Stop()
		*t = env.After(time.Minute, f)
		if i%64 == 0 {
			w.Run(time.Millisecond)
		}
	}
}

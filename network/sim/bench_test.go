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

// Nodes exchange pings, one under way for each node all the time; bytes are counted. The figures
// are of processor time, the garbage collector's included, so that other programs on the machine
// count less.
//
// What limits it from 10,000 nodes on is memory: a message needs about ten cache lines (its
// own, of its receiver, of its sender, the protocol's, the address it goes to), of which those
// that the world knows beforehand are fetched for hundreds of messages at a time (see soon),
// and the others, two or three, are waited for one by one. With 1,000 nodes, which a second
// level cache holds, the costs are the queue (30%), the protocol itself, Codec.Size (10%) and
// making the message (6%).
func BenchmarkPing(b *testing.B) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		for _, l := range []struct {
			name    string
			latency Latency
			partner bool
		}{
			{"partners", steadyUniform{}, true},
			{"random", steadyUniform{}, false},
			{"jitter", Uniform{10 * time.Millisecond, 100 * time.Millisecond}, false},
		} {
			b.Run(fmt.Sprintf("nodes=%d/%s", n, l.name), func(b *testing.B) {
				w := newPingers(n, func(c *Config) { c.Latency = l.latency })
				if l.partner {
					havePartners(w)
				}
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

// havePartners gives each node one peer in place of four.
func havePartners(w *World) {
	for n := range Node(w.Len()) {
		p := w.Protocol(n).(*pinger)
		for i := range p.peers {
			p.peers[i] = w.Peer(n ^ 1)
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

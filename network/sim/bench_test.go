package sim

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"tidings/lab/cost"
	"tidings/lab/cpu"
	"tidings/network/engine"
)

// Nodes exchange pings, one or its answer under way for each node all the time; bytes are counted. The figures are of
// processor time, the garbage collector's included, so that other programs on the machine count less. They count
// nevertheless, as they share its caches and memory.
//
// A message needs some 1,200 instructions: the queue 260 of them, reading ahead 110. With 1,000 nodes, which a second
// level cache holds, these are what it costs. From 100,000 on as much again is waiting for memory: a message touches
// about seven cache lines. Those of the message, its receiver, the protocol there and its sender are known beforehand
// and fetched for 128 messages at a time (see soon). That of the node which a ping goes to is not, but nothing except a
// comparison waits for it. Where latencies change, the table that keeps messages in order is waited for as well (see
// order): a third of the time.
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
				w := newRally(n, l.latency, l.partner)
				w.Run(300 * time.Millisecond)
				runtime.GC()
				before, begun := w.received(), cpu.Time()
				b.ResetTimer()
				for w.received()-before < uint64(b.N) {
					w.Run(time.Millisecond)
				}
				b.ReportMetric(float64(w.received()-before)/(cpu.Time()-begun).Seconds()/1e6, "Mmsg/cpu-s")
				b.ReportMetric(heapBytes()/float64(n), "B/node")
				runtime.KeepAlive(w)
			})
		}
	}
}

// The yardstick of BenchmarkPing: a bare event loop with a 4-ary heap and nothing else. Run both in one go; the
// experiment engine of the lab alternates between them.
func BenchmarkBareLoop(b *testing.B) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			l := cost.NewLoop(n)
			l.Run(6 * n)
			runtime.GC()
			begun := cpu.Time()
			b.ResetTimer()
			l.Run(b.N)
			b.ReportMetric(float64(b.N)/(cpu.Time()-begun).Seconds()/1e6, "Mmsg/cpu-s")
		})
	}
}

// player exchanges pings with one peer, and answers those of others. It fills one cache line, and makes no messages, so
// that the world is what is measured.
type player struct {
	env  engine.Env
	peer engine.Peer
}

var (
	rallyPing = &toyPing{1}
	rallyPong = &toyPong{1}
)

func (p *player) Receive(from engine.Peer, m engine.Message) {
	switch m.(type) {
	case *toyPing:
		p.env.Send(from, rallyPong)
	case *toyPong:
		p.env.Send(p.peer, rallyPing)
	}
}

func (p *player) PeerDown(engine.Peer) {}
func (p *player) Stop()                {}

// newRally returns a world of n players with first pings within 100 ms: each to its neighbour, or to a node drawn by
// chance.
func newRally(n int, latency Latency, partners bool) *World {
	c := Default(toyCodec())
	c.Latency = latency
	w := New(c)
	for i := range n {
		w.Add(toyID(i), func(env engine.Env, _ *Disk) engine.Protocol { return &player{env: env} })
	}
	for i := range Node(n) {
		w.Boot(i)
		p := w.Protocol(i).(*player)
		if partners {
			p.peer = w.Peer(i ^ 1)
		} else {
			p.peer = w.Peer((i + 1 + Node(w.Rand().IntN(n-1))) % Node(n))
		}
		w.After(time.Duration(w.Rand().Int64N(int64(100*time.Millisecond))), func() { p.env.Send(p.peer, rallyPing) })
	}
	return w
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

// The queue alone: the earliest entry is removed and comes back later.
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

// Timers that are mostly stopped, as time-outs are.
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

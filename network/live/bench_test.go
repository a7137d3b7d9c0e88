//go:build unix

package live

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"tidings/network/engine"
)

// unlimited is a host without rates, so that a benchmark measures the machine.
func unlimited(n int) Config {
	c := loopback(n)
	c.Limits.Rates, c.Limits.Bytes = [engine.Classes]Rate{}, Rate{}
	return c
}

// A small message there and its answer back, between two loops over real QUIC on loopback.
func BenchmarkRoundTrip(b *testing.B) {
	x, y := startHost(b, unlimited(1)), startHost(b, unlimited(2))
	y.setOnGet(func(from engine.Peer, m engine.Message) { y.env.Send(from, m) })
	back := make(chan struct{}, 1)
	x.setOnGet(func(engine.Peer, engine.Message) { back <- struct{}{} })
	to := y.Host.Self()
	x.send(to, someNews(0, 180))
	<-back
	for b.Loop() {
		x.send(to, someNews(0, 180))
		<-back
	}
}

// Messages of 200 bytes from one host to another, as many as go.
func BenchmarkMessages(b *testing.B) {
	x, y := startHost(b, unlimited(1)), startHost(b, unlimited(2))
	const ahead = 256
	credit := make(chan struct{}, ahead)
	y.setOnGet(func(engine.Peer, engine.Message) { <-credit })
	to := y.Host.Self()
	m := someNews(0, 180)
	n := 0
	start := time.Now()
	for b.Loop() {
		credit <- struct{}{}
		x.send(to, m)
		n++
	}
	for len(credit) > 0 {
		time.Sleep(10 * time.Microsecond)
	}
	b.ReportMetric(float64(n)/time.Since(start).Seconds(), "messages/s")
}

// The cost of an idle host with 49 connections: all 50 run in this process, and the metrics are a fiftieth of the whole
// cost.
func BenchmarkIdleMesh(b *testing.B) {
	const hosts, watched = 50, 20 * time.Second
	for b.Loop() {
		before := memory()
		goroutines := runtime.NumGoroutine()
		var all []*running
		for n := range hosts {
			all = append(all, startHost(b, unlimited(n)))
		}
		for i, r := range all {
			for _, to := range all[:i] {
				r.send(to.Host.Self(), aWord(1))
			}
		}
		for _, r := range all {
			eventually(b, "all are connected", func() bool { return len(r.Peers()) == hosts-1 })
		}
		time.Sleep(time.Second)
		busy := processorTime()
		time.Sleep(watched)
		b.ReportMetric(100*float64(processorTime()-busy)/float64(watched)/hosts, "%core/host")
		b.ReportMetric(float64(memory()-before)/hosts/(1<<20), "MB/host")
		b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/hosts, "goroutines/host")
		for _, r := range all {
			r.stop()
		}
	}
}

// memory is what the heap and the stacks hold.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

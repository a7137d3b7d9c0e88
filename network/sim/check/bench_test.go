package check

import (
	"runtime"
	"testing"
	"time"

	"tidings/network/sim"
)

// BenchmarkWatch measures what an event costs with all checkers on that follow deliveries: 1,000 subscribers of one
// topic, each delivered every version.
func BenchmarkWatch(b *testing.B) {
	const subscribers = 1000
	w := quietWorld()
	watch := All(w, nil, &Once{}, &Latest{}, &Complete{}, &Increasing{}, &OneContent{}, &Genuine{}, &Noiseless{})
	for n := range sim.Node(subscribers) {
		watch.Report(n, wants)
	}
	watch.Report(-1, Served{topic, one})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	for i := range b.N {
		version := uint64(i/subscribers + 1)
		if i%subscribers == 0 {
			watch.observe(time.Duration(i), 0, Published{topic, version, one})
		}
		watch.observe(time.Duration(i), sim.Node(i%subscribers), Delivered{topic, version, one})
	}
	b.StopTimer()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(b.N), "heldB/op")
	if watch.Err() != nil {
		b.Fatal(watch.Err())
	}
}

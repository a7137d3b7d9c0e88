package sim

import (
	"math/rand/v2"
	"testing"
)

// Many entries, some of one time, some close together, and others that come at once, which are sorted in among the
// next. They all come in their order, equals as they were pushed.
func TestQueueOfMany(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		chance := rand.New(rand.NewPCG(seed, 0))
		delays := []func() int64{
			func() int64 { return 10e6 + chance.Int64N(90e6) },     // latencies
			func() int64 { return 50e6 },                           // one for all
			func() int64 { return 20e6 + chance.Int64N(3)*70 },     // close together
			func() int64 { return chance.Int64N(2) * 50e3 },        // at once, to oneself
			func() int64 { return 30e9 + chance.Int64N(1000)*1e6 }, // time-outs
		}[:3+seed%3]
		var q queue
		prefetched := 0
		q.prefetch = func(entries []entry) { prefetched += len(entries) }
		now, pushed, popped := int64(0), uint32(0), 0
		push := func() {
			q.push(entry{at: now + delays[chance.IntN(len(delays))](), ref: pushed})
			pushed++
		}
		for range 20_000 {
			push()
		}
		last := entry{at: -1}
		for q.length > 0 {
			e, ok := q.pop(forever)
			if !ok || e.at < last.at || e.at == last.at && e.ref < last.ref {
				t.Fatalf("seed %d: popped %+v after %+v", seed, e, last)
			}
			last, now = e, e.at
			if popped++; pushed < 100_000 {
				push()
			}
		}
		if popped != int(pushed) {
			t.Fatalf("seed %d: %d pushed, %d popped", seed, pushed, popped)
		}
		if prefetched < popped/2 {
			t.Errorf("seed %d: %d of %d were notified before", seed, prefetched, popped)
		}
	}
}

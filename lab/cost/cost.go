// Package cost measures what work costs whatever else the machine does: processor time instead of the wall's, and
// memory in use at once. Machines differ, so it has yardsticks too: work that is always the same (Pace, Loop).
package cost

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"tidings/lab/cpu"
	"time"
)

// Must fails the test if work needs more processor time than most in each of three tries, garbage collection included.
// It also fails if more than memory bytes are in use at once in each of three tries. Where this machine is slower than
// usual, most is longer in proportion. Tests that call it run alone.
func Must(t *testing.T, most time.Duration, memory int64, work func()) {
	t.Helper()
	most = time.Duration(float64(most) * Pace())
	elapsed := Best(most, work)
	used := Peak(work)
	for range 2 { // a collector that comes late, as on a busy machine, makes it look more than it is
		if used > memory {
			used = min(used, Peak(work))
		}
	}
	t.Logf("%v of the processor, %.1f MiB at once", elapsed.Round(time.Millisecond), float64(used)/(1<<20))
	if elapsed > most {
		t.Errorf("work needed %v, want at most %v", elapsed, most)
	}
	if used > memory {
		t.Errorf("%.1f MiB are in use at once, want at most %d", float64(used)/(1<<20), memory>>20)
	}
}

// Best returns the processor time of work: of the first of three tries that is not above enough, else of the least.
func Best(enough time.Duration, work func()) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 3 {
		start := cpu.Time()
		work()
		if best = min(best, cpu.Time()-start); best <= enough {
			break
		}
	}
	return best
}

// Peak returns how many bytes are in use at once while work is done, besides those in
// use before. Garbage is collected so often that there is little of it, and what is in
// use is read every millisecond.
func Peak(work func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(time.Millisecond); ; {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	work()
	close(stop)
	<-stopped
	return int64(most - before)
}

// RaceDetector reports whether the race detector is on, which makes everything slow.
func RaceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

package lab

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// What peaks are of.
const (
	peakResident = "resident set of the process (VmHWM, kept by the kernel)"
	peakRuntime  = "memory that the Go runtime held, sampled every 10 ms"
)

// watchPeak begins to watch how much memory the process uses, after freeing what earlier work left behind. The function
// that it returns ends that and reports the most.
//
// Linux keeps the resident peak, and can reset it. Elsewhere the runtime is asked every 10 ms, which misses shorter
// peaks.
func watchPeak() (end func() (uint64, string)) {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err == nil && resident() > 0 {
		return func() (uint64, string) { return resident(), peakResident }
	}
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		ticks := time.NewTicker(10 * time.Millisecond)
		defer ticks.Stop()
		peak := held()
		for {
			select {
			case <-ticks.C:
				peak = max(peak, held())
			case <-stop:
				most <- max(peak, held())
				return
			}
		}
	}()
	return func() (uint64, string) {
		close(stop)
		return <-most, peakRuntime
	}
}

func resident() uint64 { return kilobytes("/proc/self/status", "VmHWM") }

// held is what the runtime has of the system and has not given back.
func held() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// gauges are what must not grow while a program runs for long.
type gauges struct {
	heap        int64 // bytes that are reachable, after a collection
	goroutines  int64
	descriptors int64 // -1 where the system has no list of them
	database    int64 // bytes of all nodes' databases, write-ahead logs left out
}

// readGauges collects garbage and measures this process, and the databases below dir.
func readGauges(dir string) (g gauges, err error) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	g.heap, g.goroutines, g.descriptors = int64(m.HeapAlloc), int64(runtime.NumGoroutine()), openDescriptors()
	g.database, err = databaseBytes(dir)
	return g, err
}

// openDescriptors counts them as Linux lists them; -1 elsewhere.
func openDescriptors() int64 {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return int64(len(open)) - 1 // without the one that lists them
}

// databaseBytes returns the size of the databases below dir. A write-ahead log is used again from its
// beginning, so its size says how much was once written at a time, and nothing of growth.
func databaseBytes(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(entry.Name(), ".db") {
			return ignoreGone(err)
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreGone(err)
		}
		total += info.Size()
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("measuring the databases: %w", err)
	}
	return total, nil
}

// ignoreGone drops the error of a file that was removed while it was looked up.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// gauge is one of the gauges as people read it.
type gauge struct {
	name, unit string
	scale      float64 // a unit in what is measured
	grain      int64   // differences up to this say nothing
	of         func(gauges) int64
}

var allGauges = []gauge{
	{"memory", " MiB", 1 << 20, 2 << 20, func(g gauges) int64 { return g.heap }},
	{"goroutines", "", 1, 20, func(g gauges) int64 { return g.goroutines }},
	{"descriptors", "", 1, 20, func(g gauges) int64 { return g.descriptors }},
	{"databases", " MiB", 1 << 20, 1 << 20, func(g gauges) int64 { return g.database }},
}

// text gives a value as people read it.
func (k gauge) text(value int64) string {
	switch {
	case value < 0:
		return "unknown"
	case k.scale == 1:
		return fmt.Sprintf("%d", value)
	default:
		return fmt.Sprintf("%.1f%s", float64(value)/k.scale, k.unit)
	}
}

// growth compares the last third of the samples with the third before; the first is for warming up. It returns
// the medians of both, and whether the later one is larger by more than 5 % and by more than the grain.
func (k gauge) growth(samples []gauges) (before, after int64, grown bool) {
	third := len(samples) / 3
	before, after = k.median(samples[third:2*third]), k.median(samples[2*third:])
	return before, after, after-before > max(k.grain, before/20)
}

func (k gauge) median(samples []gauges) int64 {
	values := make([]int64, len(samples))
	for i, s := range samples {
		values[i] = k.of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

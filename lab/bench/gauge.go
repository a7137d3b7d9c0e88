package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
)

// gauges are what must not grow while a program runs for long.
type gauges struct {
	heap        int64 // bytes that two collections found in use: what pools keep is gone by the second
	goroutines  int64
	descriptors int64 // -1 where the system has no list of them
	database    int64 // bytes in use in all nodes' databases
}

// readGauges collects garbage and measures this process, and the databases below dir.
func readGauges(dir string) (g gauges, err error) {
	runtime.GC()
	runtime.GC()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	g.heap, g.goroutines, g.descriptors = int64(live[0].Value.Uint64()), int64(runtime.NumGoroutine()),
		openDescriptors()
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

// databaseBytes returns how much of the databases below dir is in use. Free pages are used again before a file grows,
// so the file's size is the most that it ever held. A write-ahead log is used again from its beginning, so its size
// says how much was once written at a time, and nothing of growth.
func databaseBytes(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(entry.Name(), ".db") {
			return ignoreGone(err)
		}
		used, err := usedBytes(path)
		total += used
		return ignoreGone(err)
	})
	if err != nil {
		return 0, fmt.Errorf("measuring the databases: %w", err)
	}
	return total, nil
}

// usedBytes reads from an SQLite file's header how much of it is in use, as of the last checkpoint.
// (https://www.sqlite.org/fileformat.html, 1.3)
func usedBytes(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var header [100]byte
	switch _, err := io.ReadFull(f, header[:]); {
	case errors.Is(err, io.EOF): // nothing was written to it so far
		return 0, nil
	case err != nil:
		return 0, err
	}
	size, pages, free := binary.BigEndian.Uint16(header[16:]), binary.BigEndian.Uint32(header[28:]),
		binary.BigEndian.Uint32(header[36:])
	if size == 1 { // does not fit in two bytes
		return (int64(pages) - int64(free)) << 16, nil
	}
	return (int64(pages) - int64(free)) * int64(size), nil
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

// growth compares the last third of the samples with the third before; the first is for warming up. It returns the
// medians of both, and whether the later one is larger by more than 5 % and by more than the grain.
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

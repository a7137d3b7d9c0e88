//go:build unix

package db

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkChecksums is what checksums cost: the same work on databases with and without them, in turn. Reading has
// nothing in memory when it begins, but what the system holds of the file.
func BenchmarkChecksums(b *testing.B) {
	work := func(room int32) (writing, reading, opening time.Duration) {
		wantedRoom = room
		defer func() { wantedRoom = sumBytes }()
		dir := dataDir(b)
		config := Config{Dir: dir, Now: time.Now}
		d := mustOpen(b, config)
		began := cpuTime(b)
		for round := range 2000 {
			write(b, d, strings.Repeat(fmt.Sprint("text ", round), 100), "short")
		}
		writing = cpuTime(b) - began
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
		began = cpuTime(b)
		d = mustOpen(b, config)
		opening = cpuTime(b) - began
		began = cpuTime(b)
		if got := notes(b, d); len(got) != 4000 {
			b.Fatalf("%d notes", len(got))
		}
		reading = cpuTime(b) - began
		if room, err := roomForSums(d.writer.conn); err != nil || int32(room) != wantedRoom {
			b.Fatal(room, err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
		return writing, reading, opening
	}
	var with, without [3]time.Duration
	for range b.N {
		for _, c := range []struct {
			room int32
			sum  *[3]time.Duration
		}{{0, &without}, {sumBytes, &with}} {
			writing, reading, opening := work(c.room)
			for i, d := range []time.Duration{writing, reading, opening} {
				c.sum[i] += d
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, name := range []string{"write", "read", "open"} {
		b.ReportMetric(float64(without[i].Microseconds())/float64(b.N)/1e3, fmt.Sprint(name, "-without-cpu-ms"))
		b.ReportMetric(float64(with[i])/float64(without[i]), fmt.Sprint(name, "-ratio"))
	}
}

// cpuTime returns what this process has used of the processors: waiting for the disk is left out.
func cpuTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

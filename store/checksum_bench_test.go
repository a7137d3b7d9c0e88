//go:build unix

package store

import (
	"fmt"
	"testing"
	"time"

	"tidings"
)

// BenchmarkChecksums is what checksums cost: the same work on stores with and without them, in turn. Reading has nothing in
// memory when it begins, but what the system holds of the file.
func BenchmarkChecksums(b *testing.B) {
	work := func(room int32) (write, read, open time.Duration) {
		wantedRoom = room
		defer func() { wantedRoom = sumBytes }()
		dir := dataDir(b)
		config := Config{Dir: dir, Now: time.Now}
		s := mustOpen(b, config)
		began := cpuTime(b)
		fill(b, s, 500, 20)
		for round := range 4 {
			for i := range 500 {
				recordOneNew(b, s, channelURL(i), round)
			}
		}
		write = cpuTime(b) - began
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		began = cpuTime(b)
		s = mustOpen(b, config)
		open = cpuTime(b) - began
		began = cpuTime(b)
		for before, n := int64(0), 0; ; n++ {
			page, err := s.Entries(b.Context(), tidings.Owner, tidings.EntryQuery{Before: before, Limit: 200})
			if err != nil {
				b.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			before = page[len(page)-1].ID
		}
		read = cpuTime(b) - began
		if room, err := roomForSums(s.writer.conn); err != nil || int32(room) != wantedRoom {
			b.Fatal(room, err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		return write, read, open
	}
	var with, without [3]time.Duration
	for range b.N {
		for _, c := range []struct {
			room int32
			sum  *[3]time.Duration
		}{{0, &without}, {sumBytes, &with}} {
			write, read, open := work(c.room)
			for i, d := range []time.Duration{write, read, open} {
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

// BenchmarkOpenLarge opens a store of 100 MB, that much times -scale.
func BenchmarkOpenLarge(b *testing.B) {
	dir := dataDir(b)
	config := Config{Dir: dir}
	s := mustOpen(b, config)
	for range *scale {
		if err := s.write(b.Context(), func(t *tx) error {
			return exec(t.Conn, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80000)
				INSERT INTO archived (key, topic, number, size, print, since, item)
				SELECT randomblob(20), randomblob(20), i, 1000, i, i, randomblob(1000) FROM n`)
		}); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	cpu := time.Duration(0)
	b.ResetTimer()
	for range b.N {
		began := cpuTime(b)
		s := mustOpen(b, config)
		cpu += cpuTime(b) - began
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(diskBytes(dir))/(1<<20), "MiB")
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/op")
}

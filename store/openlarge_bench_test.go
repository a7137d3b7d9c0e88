//go:build unix

package store

import (
	"testing"
	"time"

	"tidings/store/content"
	"tidings/store/db"
)

// BenchmarkOpenLarge opens a store of 100 MB, that much times -scale.
func BenchmarkOpenLarge(b *testing.B) {
	dir := dataDir(b)
	config := Config{Dir: dir}
	s := mustOpen(b, config)
	for range *scale {
		if err := s.write(b.Context(), func(t *content.Tx) error {
			return db.Exec(t.Conn, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80000)
				INSERT INTO archived (key, topic, number, size, print, since, item)
				SELECT randomblob(20), randomblob(20), i, 1000, i, i, randomblob(1000) FROM n`)
		}); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	cpu, size := time.Duration(0), int64(0)
	b.ResetTimer()
	for range b.N {
		began := cpuTime(b)
		s := mustOpen(b, config)
		cpu += cpuTime(b) - began
		b.StopTimer()
		size = s.DB.Size()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(size)/(1<<20), "MiB")
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/op")
}

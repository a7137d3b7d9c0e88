package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tidings"
)

// counter is a client that only counts the updates it was sent.
type counter struct {
	header http.Header
	got    *sync.WaitGroup
	opened *sync.WaitGroup
	writes atomic.Int64
}

func (c *counter) Header() http.Header { return c.header }
func (c *counter) WriteHeader(int)     {}
func (c *counter) Flush()              {}

func (c *counter) Write(p []byte) (int, error) {
	switch n := c.writes.Add(1); {
	case n == 2: // the head and the cursor
		c.opened.Done()
	case n > 2:
		c.got.Done()
	}
	return len(p), nil
}

// BenchmarkStream10000 (hostile 56) measures the time from storing an update until 10,000 streams were written to,
// without their connections. It also measures what a stream costs in memory.
func BenchmarkStream10000(b *testing.B) {
	const clients = 10_000
	f := filled()
	h := as(tidings.Owner, New(configOf(f)))
	ctx, cancel := context.WithCancel(context.Background())
	var got, opened, ended sync.WaitGroup
	before := heap()
	opened.Add(clients)
	for range clients {
		r := httptest.NewRequest("GET", Base+"stream", nil).WithContext(ctx)
		w := &counter{header: http.Header{}, got: &got, opened: &opened}
		ended.Go(func() { h.ServeHTTP(w, r) })
	}
	opened.Wait()
	perClient := float64(heap()-before) / clients
	text := strings.Repeat("x", 2000)
	reads := f.reads
	for b.Loop() {
		got.Add(clients)
		f.found(news, text)
		got.Wait()
	}
	b.ReportMetric(perClient, "B/client")
	b.ReportMetric(float64(f.reads-reads)/float64(b.N), "reads/update")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/clients, "ns/client")
	cancel()
	ended.Wait()
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

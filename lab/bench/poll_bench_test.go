package bench

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tidings/lab/cpu"
	"tidings/lab/origin"
)

// BenchmarkPolls measures polls of channels that are always due, origin included.
func BenchmarkPolls(b *testing.B) {
	c := Default()
	c.Channels = 2000
	for _, w := range workloads() {
		b.Run(w.name, func(b *testing.B) {
			bed, err := c.due(b.Context(), w)
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := bed.stop(); err != nil {
					b.Error(err)
				}
			}()
			b.Run("poll", func(b *testing.B) {
				polls := func() int64 {
					status, err := bed.node.Status(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					return ended(status)
				}
				before, used, n := polls(), cpu.Time(), int64(0)
				for n < int64(b.N) {
					time.Sleep(200 * time.Millisecond)
					n = polls() - before
				}
				reportEach(b, n, cpu.Time()-used)
			})
		})
	}
}

// BenchmarkExchange measures what is below a poll: the same conditional requests to the same origin, made by net/http
// alone, as many at a time.
func BenchmarkExchange(b *testing.B) {
	c := Default()
	c.Channels = 2000
	for _, w := range workloads()[:2] {
		b.Run(w.name, func(b *testing.B) {
			bed, err := newBed(b.Context(), time.Hour)
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := bed.stop(); err != nil {
					b.Error(err)
				}
			}()
			names, err := bed.feeds(c, w)
			if err != nil {
				b.Fatal(err)
			}
			client := &http.Client{Transport: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256,
				DisableCompression: true}}
			defer client.CloseIdleConnections()
			validators := make([]string, len(names))
			get := func(i int) error {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, bed.base+names[i], http.NoBody)
				if err != nil {
					return err
				}
				if validators[i] != "" {
					req.Header.Set("If-None-Match", validators[i])
				}
				res, err := client.Do(req)
				if err != nil {
					return err
				}
				defer func() { _ = res.Body.Close() }()
				if w.opts == (origin.Options{}) {
					validators[i] = res.Header.Get("ETag")
				}
				_, err = io.Copy(io.Discard, res.Body)
				return err
			}
			for i := range names {
				if err := get(i); err != nil {
					b.Fatal(err)
				}
			}
			b.Run("exchange", func(b *testing.B) {
				used := cpu.Time()
				var next atomic.Int64
				var all sync.WaitGroup
				for from := range 256 { // channels of its own, each by turns
					all.Go(func() {
						for i := from; next.Add(1) <= int64(b.N); i += 256 {
							if i >= len(names) {
								i = from
							}
							if err := get(i); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				reportEach(b, int64(b.N), cpu.Time()-used)
			})
		})
	}
}

// reportEach reports how much processor time each of n took.
func reportEach(b *testing.B, n int64, used time.Duration) {
	b.ReportMetric(float64(used.Microseconds())/float64(n), "cpu-µs/each")
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "each/s")
}

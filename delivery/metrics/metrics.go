// Package metrics is the interface for Prometheus: what a node counts, in the text format and in OpenMetrics, to be
// served at /metrics.
//
// The rules for reading it are those of the API. If a node listens on loopback alone and has no password, everybody on
// the machine may read it. Otherwise a client must send a token (Prometheus: authorization.credentials_file). The
// package checks nothing itself; it is served behind the guard of package auth. It reports numbers and kinds of
// messages, never an address, a channel or a person.
//
// Names begin with tidings_ (network facts with tidings_network_), units are seconds and bytes, counters count from the
// start of the process. They are computed when they are asked for; nothing is kept but the histogram of round trips.
// The registry is the package's own: what libraries register globally is not shown.
package metrics

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tidings/view"
)

// Path is where Prometheus looks.
const Path = "/metrics"

// Source is asked once for each scrape.
type Source interface {
	Status(ctx context.Context) (view.Status, error)
	Peers(ctx context.Context) ([]view.Peer, error)
}

// Bounds on scrapes.
const (
	maxScrapes    = 4 // at a time; further ones are answered 503
	scrapeTimeout = 10 * time.Second
)

// Metrics answers scrapes. It is safe for concurrent use.
type Metrics struct {
	answer     http.Handler
	roundTrips prometheus.Histogram
}

// New returns the handler for source; nil logs nothing.
func New(source Source, log *slog.Logger) *Metrics {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	m := &Metrics{roundTrips: prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "tidings_network_round_trip_seconds",
		Help: "Round trips to other nodes as they were measured.",
		// From a local network's to a satellite's.
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .2, .3, .5, 1, 2.5},
	})}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(&collector{source, log}, m.roundTrips,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.answer = promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		MaxRequestsInFlight: maxScrapes, Timeout: scrapeTimeout, EnableOpenMetrics: true,
	})
	return m
}

// Measured counts a round trip to another node.
func (m *Metrics) Measured(rtt time.Duration) { m.roundTrips.Observe(rtt.Seconds()) }

// ServeHTTP answers one scrape.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Metrics can only be read.", http.StatusMethodNotAllowed)
		return
	}
	m.answer.ServeHTTP(w, r)
}

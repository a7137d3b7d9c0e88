package metrics

import (
	"context"
	"errors"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
)

// errSource is all that a client learns of the reason why the node could not be asked.
var errSource = errors.New("the node could not be asked; the reason is in its log")

// collector asks the node when it is asked itself.
type collector struct {
	source Source
	log    *slog.Logger
}

func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, all := range [][]metric{ofNode, ofNetwork} {
		for _, m := range all {
			to <- m.desc
		}
	}
}

func (c *collector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	found, err := c.find(ctx)
	if err != nil {
		c.log.Error("metrics cannot be read", "error", err)
		to <- prometheus.NewInvalidMetric(ofNode[0].desc, errSource)
		return
	}
	send(to, ofNode, found)
	if !found.Off {
		send(to, ofNetwork, found)
	}
}

func (c *collector) find(ctx context.Context) (f facts, err error) {
	if f.Status, err = c.source.Status(ctx); err != nil {
		return f, err
	}
	f.peers, err = c.source.Peers(ctx)
	return f, err
}

func send(to chan<- prometheus.Metric, all []metric, found facts) {
	for _, m := range all {
		m.tell(found, func(v float64, labels ...string) {
			one, err := prometheus.NewConstMetric(m.desc, m.kind, v, labels...)
			if err != nil {
				one = prometheus.NewInvalidMetric(m.desc, err)
			}
			to <- one
		})
	}
}

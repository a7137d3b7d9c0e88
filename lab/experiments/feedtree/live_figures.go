package feedtree

import (
	"slices"
	"strings"

	"tidings/lab"
	"tidings/lab/livenet"
	"tidings/lab/stats"
)

// judged reports whether a run is so large that its times and costs can be expected.
func (s pushSizes) judged() bool { return s.Nodes >= 50 && s.Readers >= 40 }

func pushFigures(s pushSizes) lab.Figures[*pushes] {
	var f lab.Figures[*pushes]
	quantile := func(name string, q float64, within lab.Bounds, of func(p *pushes) []float64) {
		f.Judge(name+"_seconds", "s", within, func(p *pushes) float64 { return stats.QuantileOf(of(p), q) })
	}
	last, each := func(p *pushes) []float64 { return p.last }, func(p *pushes) []float64 { return p.edits }
	steady, signed := func(p *pushes) []float64 { return p.steady }, func(p *pushes) []float64 { return p.signed }
	quantile("edits.last_p50", 0.5, lab.Bounds{}, last)
	quantile("edits.last_p99", 0.99, lab.AtMost(0.150), last)
	quantile("edits.last_most", 1, lab.Bounds{}, last)
	quantile("edits.each_p50", 0.5, lab.Bounds{}, each)
	quantile("edits.each_p99", 0.99, lab.Bounds{}, each)
	quantile("edits.noticed_p50", 0.5, lab.Bounds{}, func(p *pushes) []float64 { return p.noticed })
	quantile("steady.p50", 0.5, lab.AtMost(0.005), steady)
	quantile("steady.p99", 0.99, lab.AtMost(0.040), steady)
	quantile("steady.most", 1, lab.Bounds{}, steady)
	quantile("steady.signed_p50", 0.5, lab.Bounds{}, signed)
	quantile("steady.signed_p99", 0.99, lab.Bounds{}, signed)
	f.Tell("cost.entry_bytes", "B", func(p *pushes) float64 { return p.costs.entry })
	f.Judge("cost.sent_of_payload", "", lab.AtMost(1.2), func(p *pushes) float64 { return p.costs.sent })
	f.Judge("cost.cpu_seconds", "s", lab.AtMost(150e-6), func(p *pushes) float64 { return p.costs.cpu })
	f.Tell("cost.rest_cpu_seconds", "s", func(p *pushes) float64 { return p.costs.rest })
	f.Tell("killed.back_most_seconds", "s", func(p *pushes) float64 { return p.slowest })
	f.Judge("killed.items", "", lab.Exactly(float64(livenet.OldStories+3*s.Kills)), func(p *pushes) float64 { return float64(p.items) })
	f.Judge("killed.gaps", "", lab.Exactly(0), func(p *pushes) float64 { return float64(p.gaps) })
	f.Judge("due", "", lab.AtLeast(1), func(p *pushes) float64 { return float64(p.tally.Due) })
	f.Judge("lost", "", lab.Exactly(0), func(p *pushes) float64 { return float64(p.tally.Lost) })
	f.Judge("twice", "", lab.Exactly(0), func(p *pushes) float64 { return float64(p.tally.Twice) })
	f.Judge("unsigned", "", lab.Exactly(0), func(p *pushes) float64 { return float64(p.tally.Unsigned) })
	f.Judge("node_errors", "", lab.Exactly(0), func(p *pushes) float64 { return float64(p.net.Failures().Count) })
	return f.OfMachine().Aside(func(e lab.Expected) bool {
		kind, _, _ := strings.Cut(e.Name, ".")
		return !s.judged() && slices.Contains([]string{"edits", "steady", "cost", "node_errors"}, kind)
	})
}

package plan

import (
	"tidings/network/corona/machine"
	"tidings/network/honeycomb"
)

// paper is the optimizer of the paper. Wedges are by digits, with sizes by a formula (section 3.1). Levels are by
// Honeycomb from clusters of channels (sections 3.2 and 3.3). A slack cluster has the orphans: their primary is only in
// the largest wedges (section 4).
type paper struct {
	p       *Plan
	scratch honeycomb.Aggregate // to sum up in
	nodes   int                 // that average was made for
	average honeycomb.Wedges    // of wedges
	made    bool                // a plan was made

	correction correction
}

// loadUnit is honeycomb's value of a poll, where polls are counted: it allows fractions.
const loadUnit = 1 << 10

// wedges returns the possible wedges of a channel: those that its primary is in. The last level is that of the primary
// alone.
func (o *paper) wedges(c *channel) honeycomb.Wedges {
	var counts []uint32
	shared := o.p.Env.Self().ID.CommonBits(c.channel.ID)
	for level := range honeycomb.MaxLevels - 1 {
		bits := level * o.p.config.Digit
		size := o.p.view.nodes(0) >> min(bits, 31)
		if bits > shared || size <= 1 {
			break
		}
		counts = append(counts, size)
	}
	return o.p.config.model().Counted(append(counts, 1))
}

// usual returns the average wedges of all channels.
func (o *paper) usual() *honeycomb.Wedges {
	if nodes := int(min(o.p.view.nodes(0), 1<<30)); nodes != o.nodes {
		model := o.p.config.model()
		o.nodes, o.average = nodes, model.Nominal(nodes, model.Levels(nodes))
	}
	return &o.average
}

// level is the level of a size.
func (o *paper) level(s machine.Size, w *honeycomb.Wedges) int {
	return min(int(s.Bits)/o.p.config.Digit, w.Levels()-1)
}

// polite returns the least level at which all pollers together keep the interval that the origin asks for.
func (o *paper) polite(c *channel, w *honeycomb.Wedges) (level int) {
	for most := o.p.most(c); level < w.Levels()-1 && w.Pollers(level) > most; {
		level++
	}
	return level
}

func (o *paper) cluster(f honeycomb.Factors, pollers float64) honeycomb.Cluster {
	c := o.p.config.model().Cluster(f, uint32(pollers))
	if o.p.config.LoadInPolls {
		c.Size, c.Due, c.Load = c.Size*loadUnit, c.Due*loadUnit, c.Load*loadUnit
	}
	return c
}

// own puts channels into clusters. Others assume average wedges. So a channel with a wedge r times as large is reported
// with 1/r² of its weight. With that the average wedge changes its level at the same price.
func (o *paper) own() summary {
	o.scratch.Reset()
	average := o.usual()
	for _, c := range o.p.primaries {
		f := o.p.host.Factors(c.channel.ID)
		if f.Subscribers == 0 {
			continue
		}
		w := o.wedges(c)
		level := o.level(c.Size, &w)
		cluster := o.cluster(f, w.Pollers(level))
		if o.polite(c, &w) == w.Levels()-1 {
			o.scratch.AddSlack(cluster)
			continue
		}
		if !o.made && level == w.Levels()-1 { // nothing was chosen so far: as many as its subscribers pay for
			for level = 0; level < w.Levels()-1 && w.Pollers(level) > float64(f.Subscribers); level++ {
			}
		}
		at := min(level, average.Levels()-1)
		if level == w.Levels()-1 {
			at = average.Levels() - 1
		}
		weight := float64(cluster.Weight) * w.Delay(level) / average.Delay(at)
		cluster.Weight = uint64(weight * average.Pollers(at) / w.Pollers(level))
		o.scratch.Add(at, cluster)
	}
	return summary{clusters: o.scratch.Clone()}
}

func (o *paper) merge(own *summary, contacts []*contact) summary {
	o.scratch.Reset()
	o.scratch.Merge(&own.clusters)
	for _, c := range contacts {
		o.scratch.Merge(&c.summary.clusters)
	}
	return summary{clusters: o.scratch.Clone()}
}

func (o *paper) totals(s *summary) totals {
	all := s.clusters.Total()
	return totals{float64(all.Load), float64(all.Due), float64(all.Weight)}
}

func (o *paper) choose() {
	plan := honeycomb.NewPlan(o.p.config.model())
	others := o.merge(new(summary), o.p.view.contacts)
	plan.Grow(len(o.p.primaries)+others.clusters.Parts(), o.usual().Levels())
	type choice struct {
		*channel
		wedges honeycomb.Wedges
		index  int // in the solution
	}
	var choices []choice
	for _, c := range o.p.primaries {
		if f := o.p.host.Factors(c.channel.ID); f.Subscribers > 0 {
			w := o.wedges(c)
			choices = append(choices, choice{c, w, plan.Cluster(o.cluster(f, 1), &w, o.polite(c, &w), w.Levels()-1)})
		}
	}
	plan.Aggregate(&others.clusters, o.usual())
	all := others.clusters.Total()
	all.Add(o.p.counting.own.clusters.Total())
	o.correction.learn(o.p, plan.Used(all), plan.Limit())
	solution := plan.SolveFor(o.correction.factor())
	o.made = true
	for _, c := range choices {
		size := machine.Alone
		if level := solution.Level(c.index); level < c.wedges.Levels()-1 {
			size = machine.Size{Bits: uint8(level * o.p.config.Digit), Run: 1}
		}
		o.p.choose(c.channel, size)
	}
}

func foldClusters(h uint64, a *honeycomb.Aggregate) uint64 {
	of := func(c *honeycomb.Cluster) {
		h = fold(h, c.Channels, c.Subscribers, c.Size, c.Weight, c.Due, c.Load, c.Delay)
	}
	for l := range a.Levels {
		h = fold(h, uint64(l), uint64(a.Levels[l].Scale))
		for i := range a.Levels[l].Bins {
			h = fold(h, uint64(a.Levels[l].Bins[i].Index))
			of(&a.Levels[l].Bins[i].Cluster)
		}
	}
	of(&a.Slack)
	return h
}

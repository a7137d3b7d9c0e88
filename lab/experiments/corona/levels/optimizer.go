package levels

import (
	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// Optimizer chooses sizes for a plan as in the paper. Wedges are by digits, with sizes by a formula (section 3.1).
// Levels are by Honeycomb from clusters of channels (sections 3.2 and 3.3). A slack cluster has the orphans: their
// primary is only in the largest wedges (section 4).
type Optimizer struct {
	of      Planned
	known   plan.Known // when it last summed up or chose
	env     engine.Env
	scratch Aggregate // to sum up in
	nodes   int       // that average was made for
	average Wedges    // of wedges
	made    bool      // a plan was made

	correction plan.Correction
}

// Planned is what an Optimizer uses of its plan.
type Planned interface {
	Known() plan.Known
	Choose(channel engine.ID, size machine.Size)
}

// New returns the Optimizer of a plan.
func New(p *plan.Plan) plan.Optimizer { return &Optimizer{of: p, env: p.Env} }

// Clusters are a node's summary of channels.
type Clusters struct {
	Of Aggregate `cbor:"1,keyasint"`
}

// Kind returns the number of Clusters.
func (*Clusters) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }

// Vocabulary is the message that an Optimizer adds to Corona's.
var Vocabulary = engine.Vocabulary{Protocol: engine.Experiment, Name: "levels",
	Messages: []engine.MessageType{{Message: new(Clusters), Class: engine.Bulk}}}

// loadUnit is the value of a poll in clusters, where polls are counted: it allows fractions.
const loadUnit = 1 << 10

func (o *Optimizer) model() Model {
	return Model{Model: o.known.Config.Model(), LevelBits: o.known.Config.Digit}
}

// wedges returns the possible wedges of a channel: those that its primary is in. The last level is that of the primary
// alone.
func (o *Optimizer) wedges(c *plan.Primary) Wedges {
	var counts []uint32
	shared := o.env.Self().ID.CommonBits(c.Channel)
	for level := range MaxLevels - 1 {
		bits := level * o.known.Config.Digit
		size := o.known.Nodes >> min(bits, 31)
		if bits > shared || size <= 1 {
			break
		}
		counts = append(counts, size)
	}
	return o.model().Counted(append(counts, 1))
}

// usual returns the average wedges of all channels.
func (o *Optimizer) usual() *Wedges {
	if nodes := int(min(o.known.Nodes, 1<<30)); nodes != o.nodes {
		model := o.model()
		o.nodes, o.average = nodes, model.Nominal(nodes, model.Levels(nodes))
	}
	return &o.average
}

// level is the level of a size.
func (o *Optimizer) level(s machine.Size, w *Wedges) int {
	return min(int(s.Bits)/o.known.Config.Digit, w.Levels()-1)
}

// polite returns the least level at which all pollers together keep the interval that the origin asks for.
func polite(c *plan.Primary, w *Wedges) (level int) {
	for level < w.Levels()-1 && w.Pollers(level) > c.Most {
		level++
	}
	return level
}

func (o *Optimizer) cluster(f honeycomb.Factors, pollers float64) Cluster {
	c := o.model().Cluster(f, uint32(pollers))
	if o.known.Config.LoadInPolls {
		c.Size, c.Due, c.Load = c.Size*loadUnit, c.Due*loadUnit, c.Load*loadUnit
	}
	return c
}

// Own puts channels into clusters. Others assume average wedges. So a channel with a wedge r times as large is reported
// with 1/r² of its weight. With that the average wedge changes its level at the same price.
func (o *Optimizer) Own() plan.Summary {
	o.known = o.of.Known()
	o.scratch.Reset()
	average := o.usual()
	for _, c := range o.known.Primaries {
		f := c.Factors
		if f.Subscribers == 0 {
			continue
		}
		w := o.wedges(&c)
		level := o.level(c.Size, &w)
		cluster := o.cluster(f, w.Pollers(level))
		if polite(&c, &w) == w.Levels()-1 {
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
	return summaryOf(&Clusters{o.scratch.Clone()})
}

// Merge adds up clusters.
func (o *Optimizer) Merge(of []*plan.Summary) plan.Summary { return summaryOf(&Clusters{o.merge(of)}) }

func (o *Optimizer) merge(of []*plan.Summary) Aggregate {
	o.scratch.Reset()
	for _, s := range of {
		if c, ok := s.Other.(*Clusters); ok { // else it has reported none
			o.scratch.Merge(&c.Of)
		}
	}
	return o.scratch.Clone()
}

// Read returns the summary in a message.
func (o *Optimizer) Read(a *plan.Aggregate) (plan.Summary, bool) {
	c, ok := a.Other.(*Clusters)
	if !ok || c.Of.Validate() != nil {
		return plan.Summary{}, false
	}
	return summaryOf(c), true
}

func summaryOf(c *Clusters) plan.Summary {
	all := c.Of.Total()
	return plan.Summary{Other: c, Sum: c.sum(),
		Totals: plan.Totals{float64(all.Load), float64(all.Due), float64(all.Weight)}}
}

// sum identifies the clusters.
func (c *Clusters) sum() (h uint64) {
	of := func(c *Cluster) {
		h = plan.Fold(h, c.Channels, c.Subscribers, c.Size, c.Weight, c.Due, c.Load, c.Delay)
	}
	for l := range c.Of.Levels {
		h = plan.Fold(h, uint64(l), uint64(c.Of.Levels[l].Scale))
		for i := range c.Of.Levels[l].Bins {
			h = plan.Fold(h, uint64(c.Of.Levels[l].Bins[i].Index))
			of(&c.Of.Levels[l].Bins[i].Cluster)
		}
	}
	of(&c.Of.Slack)
	return h
}

// Choose solves for the levels of this node's channels.
func (o *Optimizer) Choose(own *plan.Summary, contacts []*plan.Summary) {
	o.known = o.of.Known()
	solver, others := NewPlan(o.model()), o.merge(contacts)
	solver.Grow(len(o.known.Primaries)+others.Parts(), o.usual().Levels())
	type choice struct {
		channel engine.ID
		wedges  Wedges
		index   int // in the solution
	}
	var choices []choice
	for _, c := range o.known.Primaries {
		if c.Factors.Subscribers > 0 {
			w := o.wedges(&c)
			choices = append(choices,
				choice{c.Channel, w, solver.Cluster(o.cluster(c.Factors, 1), &w, polite(&c, &w), w.Levels()-1)})
		}
	}
	solver.Aggregate(&others, o.usual())
	all := others.Total()
	mine := o.merge([]*plan.Summary{own})
	all.Add(mine.Total())
	o.correction.Learn(o.env.Now(), o.known.Config.Maintenance, solver.Used(all), solver.Limit())
	solution := solver.SolveFor(o.correction.Factor())
	o.made = true
	for _, c := range choices {
		size := machine.Alone
		if level := solution.Level(c.index); level < c.wedges.Levels()-1 {
			size = machine.Size{Bits: uint8(level * o.known.Config.Digit), Run: 1}
		}
		o.of.Choose(c.channel, size)
	}
}

package plan

import (
	"math"

	"tidings/network/corona/curve"
	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// optimum is the Optimizer for sets of any size: one multiplier determines the pollers of all channels (package curve).
type optimum struct {
	p          *Plan
	sum        curve.Sum // to sum up in
	multiplier float64   // of the latest choice; 0: there was none
	correction Correction
}

// margin returns the fraction of the limit that is left for errors of the known load. It is less for Lite, which does
// not depend on how often channels change, and has no target to keep.
func (o *optimum) margin() float64 {
	if o.p.config.Policy.Goal == honeycomb.Lite {
		return 0.01
	}
	return 0.02
}

// fastSlack is how much sooner than its target, as a fraction, Fast may be before it lets fewer nodes poll.
const fastSlack = 0.15

func (o *optimum) Own() Summary {
	o.sum = curve.Sum{}
	for _, c := range o.p.primaries {
		o.addChannel(c)
	}
	if load := o.p.verifies.load(); load > 0 && !o.fast() {
		o.sum.AddFixed(load, 0)
		o.sum.Used += load
	}
	return summaryOf(o.sum.Curve())
}

// addChannel adds a channel to the sum.
func (o *optimum) addChannel(c *channel) {
	model, f := o.p.config.Model(), o.p.host.Factors(c.channel.ID)
	if f.Subscribers == 0 {
		return
	}
	of := curve.Channel{Worth: model.Worth(f), Cost: model.Cost(f), Most: o.p.most(c)}
	limit, pollers := float64(f.Subscribers)*of.Cost, o.p.polling(c)
	if o.fast() {
		o.sum.Used += of.Worth / max(1, pollers)
	} else {
		o.sum.Used += of.Cost * pollers
	}
	if o.fast() {
		o.sum.AddDelay(of, float64(f.Subscribers)*model.Policy.Target.Seconds()/(model.Interval.Seconds()/2))
	} else {
		o.sum.AddLoad(of, limit)
	}
}

func (o *optimum) fast() bool { return o.p.config.Policy.Goal == honeycomb.Fast }

func (o *optimum) Merge(of []*Summary) Summary {
	o.add(of)
	return summaryOf(o.sum.Curve())
}

// add sets the sum to that of summaries.
func (o *optimum) add(of []*Summary) {
	o.sum = curve.Sum{}
	for _, s := range of {
		o.sum.Add(&s.Curve)
	}
}

func (o *optimum) Read(a *Aggregate) (Summary, bool) {
	if a.Curve.Validate() != nil {
		return Summary{}, false
	}
	return summaryOf(a.Curve), true
}

func summaryOf(c curve.Curve) Summary {
	s := Summary{Curve: c, Totals: Totals{c.Base, c.Limit}}
	s.Sum = Fold(0, math.Float64bits(c.Base), math.Float64bits(c.Limit), math.Float64bits(c.Used))
	for _, k := range c.Rises {
		s.Totals[2] += float64(k.Slope)
	}
	for _, kinks := range [][]curve.Kink{c.Rises, c.Falls} {
		for _, k := range kinks {
			s.Sum = Fold(s.Sum, uint64(k.Bin), uint64(math.Float32bits(k.Slope)), uint64(math.Float32bits(k.Sum)))
		}
	}
	return s
}

func (o *optimum) Choose(own *Summary, contacts []*Summary) {
	o.add(append([]*Summary{own}, contacts...))
	margin := o.margin()
	slack := margin
	if o.fast() { // whole pollers are rounded up: with few channels that leaves much
		slack = fastSlack
	}
	// else it is near enough
	if used, limit := o.sum.Used, o.sum.Limit(); used > limit ||
		used < limit*(1-slack) && !math.IsInf(o.multiplier, 1) {
		o.correction.Learn(o.p.Env.Now(), o.p.config.Maintenance, used, limit*(1-margin/2))
	}
	o.multiplier = o.sum.Solve((1 - margin) * o.correction.Factor())
	if o.fast() {
		o.multiplier = 1 / o.multiplier
	}
	for _, c := range o.p.primaries {
		o.p.Choose(c.channel.ID, o.sizeOf(c))
	}
}

// sizeOf returns the best size of a channel's set. If the load of hosts is bounded, a channel has as many pollers as
// readers by all policies that bound the load by what readers would send: there is nothing left to divide.
func (o *optimum) sizeOf(c *channel) machine.Size {
	model, f := o.p.config.Model(), o.p.host.Factors(c.channel.ID)
	if f.Subscribers == 0 {
		return machine.Alone
	}
	of := curve.Channel{Worth: model.Worth(f), Cost: model.Cost(f), Most: o.p.most(c)}
	best := of.Pollers(o.multiplier)
	if _, bounded := o.p.host.Most(c.channel.ID); bounded && !o.fast() {
		best = of.Most
	}
	// a target is to be met where channels are few as well, so whole pollers are rounded up
	return o.p.view.nearest(c.channel.ID, best, of.Most, c.Size, o.fast())
}

// countError is by how many nodes a count of pollers may be too low: the ends of an arc are estimated.
const countError = 0.1

// steady is how much farther from the best number a channel's pollers may be to stay as they are, as a fraction of the
// best.
const steady = 0.07

// nearest returns the size with as nearly as possible the best number of pollers, and no more than most. With atLeast
// it has no fewer than the best, rounded up, if most permits that. It is the present size if that is hardly worse.
func (v *view) nearest(channel engine.ID, best, most float64, now machine.Size, atLeast bool) machine.Size {
	all := float64(v.nodes(0))
	best = min(best, all)
	if atLeast {
		best = math.Ceil(best - countError)
	}
	enough := func(pollers float64) bool { return !atLeast || pollers >= best-countError }
	count := func(k int) float64 { return v.pollers(channel, machine.Fine(k)) }
	low, high := 0, machine.Steps*int(math.Ceil(math.Log2(all)+4)) // at high there is most likely no node left
	for low < high {
		if k := (low + high) / 2; count(k) > best {
			low = k + 1
		} else {
			high = k
		}
	}
	k := low
	for count(k) > most && machine.Fine(k) != machine.Alone {
		k++
	}
	if more := count(max(0, k-1)); k > 0 && more <= most && (!enough(count(k)) || more-best < best-count(k)) {
		k--
	}
	found := count(k)
	had := v.pollers(channel, now)
	if had <= most && (enough(had) || !enough(found)) && math.Abs(had-best) <= math.Abs(found-best)+steady*best {
		return now
	}
	if found <= 1 {
		return machine.Alone
	}
	return machine.Fine(k)
}

// Package curve finds how many nodes are best to poll each channel of a network, from a sum that any part of the network can add up for the others.
//
// With n pollers at even phases a channel's changes are found after 1/n of half an interval, on average. Corona's policies (section 3.1, Table 1) ask for the
// least sum of worth/n over all channels, within a limit for the sum of cost·n; or, for Fast, for the least cost within a limit for the mean delay. Where n may
// be any number, Lagrange's multiplier gives for all of them
//
//	n = x·r, r = √(worth/cost), but no less than one and no more than a channel's Most
//
// with one x for the whole network. What is limited is then a function of x alone that grows piecewise in straight lines, with a kink where a channel leaves its
// first poller and another where it reaches its Most. So nodes have to agree on that function only: kinks add up, in bins of a quarter of an octave.
package curve

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Channel is what is known of one channel.
type Channel struct {
	Worth float64 // of finding changes soon; above zero
	Cost  float64 // of a poll; above zero
	Most  float64 // pollers, as few as one: what its origin and its host allow, or all nodes
}

// Ratio returns how many pollers the channel has for each unit of the multiplier.
func (c Channel) Ratio() float64 { return math.Sqrt(c.Worth / c.Cost) }

// Pollers returns how many pollers are best with a multiplier.
func (c Channel) Pollers(x float64) float64 { return min(c.Most, max(1, x*c.Ratio())) }

// Curve is what of the limited amount is used, by the multiplier; or, for a limit of delay, by its inverse: the variable is called z. The zero Curve is of no channels.
type Curve struct {
	Base  float64 `cbor:"1,keyasint"` // what is used at z = 0
	Limit float64 `cbor:"2,keyasint"` // what may be
	Used  float64 `cbor:"3,keyasint"` // what is at present
	Rises []Kink  `cbor:"4,keyasint" max:"512"`
	Falls []Kink  `cbor:"5,keyasint" max:"512"`
}

// Kink is where channels begin to use more with z, or end, about.
type Kink struct {
	Bin   uint16  `cbor:"1,keyasint"`
	Slope float32 `cbor:"2,keyasint"` // by how much the slope changes: the sum over channels
	Sum   float32 `cbor:"3,keyasint"` // of slope times z: of what each channel used there
}

// Bins are a quarter of an octave wide, from 2^-64 to 2^64.
const (
	perOctave = 4
	octaves   = 128
	bins      = perOctave * octaves
)

func binOf(z float64) int {
	return min(max(int(math.Floor((math.Log2(z)+octaves/2)*perOctave)), 0), bins-1)
}

// Validate reports what of a curve cannot be. One that comes from a peer has to pass before it is added.
func (c *Curve) Validate() error {
	if !amount(c.Base) || !amount(c.Limit) || !amount(c.Used) {
		return errors.New("curve: an amount is no number, or below zero")
	}
	for _, kinks := range [][]Kink{c.Rises, c.Falls} {
		for i, k := range kinks {
			if k.Bin >= bins || i > 0 && k.Bin <= kinks[i-1].Bin || !amount(float64(k.Slope)) || !amount(float64(k.Sum)) {
				return fmt.Errorf("curve: kink %d cannot be", i)
			}
		}
	}
	return nil
}

// amount reports whether a number is one, and not below zero, nor so large that sums overflow.
func amount(f float64) bool { return f >= 0 && f < 1e60 }

// Sum adds up channels and curves. The zero Sum is of none; it takes 16 KiB.
type Sum struct {
	Used         float64 // what the channels use at present
	base, limit  float64
	rises, falls [bins]kinks
}

// kinks are those of one bin.
type kinks struct{ slope, sum float64 }

func (k kinks) at() float64 { return k.sum / k.slope }

// AddLoad adds a channel to a curve of load that may come to limit for it.
func (s *Sum) AddLoad(c Channel, limit float64) {
	r := c.Ratio()
	s.base += c.Cost
	s.limit += limit
	s.kink(1/r, c.Most/r, c.Cost*r)
}

// AddDelay adds a channel to a curve of delay, by the inverse of the multiplier, that may come to limit for it.
func (s *Sum) AddDelay(c Channel, limit float64) {
	r := c.Ratio()
	s.base += c.Worth / c.Most
	s.limit += limit
	s.kink(r/c.Most, r, c.Worth/r)
}

// AddFixed adds what is used whatever is chosen.
func (s *Sum) AddFixed(used, limit float64) {
	s.base += used
	s.limit += limit
}

// Limit returns what may be used.
func (s *Sum) Limit() float64 { return s.limit }

func (s *Sum) kink(from, to, slope float64) {
	if from >= to {
		return // it has one poller at most
	}
	rise, fall := &s.rises[binOf(from)], &s.falls[binOf(to)]
	rise.slope += slope
	rise.sum += slope * from
	fall.slope += slope
	fall.sum += slope * to
}

// Add adds a valid curve.
func (s *Sum) Add(c *Curve) {
	s.base += c.Base
	s.limit += c.Limit
	s.Used += c.Used
	for _, k := range c.Rises {
		s.rises[k.Bin].slope += float64(k.Slope)
		s.rises[k.Bin].sum += float64(k.Sum)
	}
	for _, k := range c.Falls {
		s.falls[k.Bin].slope += float64(k.Slope)
		s.falls[k.Bin].sum += float64(k.Sum)
	}
}

// Curve returns what can be told of the sum.
func (s *Sum) Curve() Curve {
	return Curve{Base: s.base, Limit: s.limit, Used: s.Used, Rises: told(&s.rises), Falls: told(&s.falls)}
}

func told(all *[bins]kinks) []Kink {
	count := 0
	for i := range all {
		if all[i].slope > 0 {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	list := make([]Kink, 0, count)
	for i, k := range all {
		if k.slope > 0 {
			list = append(list, Kink{Bin: uint16(i), Slope: float32(k.slope), Sum: float32(k.sum)})
		}
	}
	return list
}

// Solve returns the largest z at which no more is used than part of the limit: +Inf if that is so at each.
func (s *Sum) Solve(part float64) float64 {
	type change struct{ at, slope, sum float64 }
	var changes []change
	for i := range bins {
		if k := s.rises[i]; k.slope > 0 {
			changes = append(changes, change{k.at(), k.slope, k.sum})
		}
		if k := s.falls[i]; k.slope > 0 {
			changes = append(changes, change{k.at(), -k.slope, -k.sum})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	limit, used, slope := s.limit*part, s.base, 0. // used: where the present straight line meets z = 0
	for _, c := range changes {
		if slope > 0 && used+slope*c.at >= limit {
			return max(0, (limit-used)/slope)
		}
		slope += c.slope
		used -= c.sum
	}
	// All channels have what they can have: what the sums leave is rounding.
	if s.whole() <= limit*(1+1e-6) {
		return math.Inf(1)
	}
	if last := len(changes) - 1; last >= 0 {
		return changes[last].at
	}
	return 0
}

// whole returns what is used when all channels have what they can have.
func (s *Sum) whole() float64 {
	used := s.base
	for i := range bins {
		used += s.falls[i].sum - s.rises[i].sum
	}
	return used
}

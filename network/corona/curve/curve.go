// Package curve finds the best number of pollers for each channel of a network. It needs only a sum that any part of
// the network can add up for the others.
//
// With n pollers at even phases a channel's changes are found after 1/n of half an interval, on average. Corona's
// policies (section 3.1, Table 1) minimize the sum of worth/n over all channels, within a limit for the sum of cost·n.
// Fast minimizes the cost within a limit for the mean delay. If n may be any number, Lagrange's multiplier yields for
// all of them
//
//	n = x·r, r = √(worth/cost), but at least one and at most a channel's Most
//
// with one x for the whole network. The limited amount is then a function of x alone. It grows piecewise linearly, with
// a kink where a channel gets more than its first poller, and another where it reaches its Most. So nodes have to agree
// on that function only: kinks add up, in bins of a quarter of an octave.
package curve

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Channel holds the parameters of one channel.
type Channel struct {
	Worth float64 // of finding changes soon; above zero
	Cost  float64 // of a poll; above zero
	Most  float64 // pollers, at least one: the limit of its origin and its host, or all nodes
}

// Ratio returns the channel's pollers for each unit of the multiplier.
func (c Channel) Ratio() float64 { return math.Sqrt(c.Worth / c.Cost) }

// Pollers returns the best number of pollers with a multiplier.
func (c Channel) Pollers(x float64) float64 { return min(c.Most, max(1, x*c.Ratio())) }

// Curve is the used part of the limited amount, as a function of z: the multiplier or, for a limit of delay, its
// inverse. The zero Curve has no channels.
type Curve struct {
	Base  float64 `cbor:"1,keyasint"` // used at z = 0
	Limit float64 `cbor:"2,keyasint"` // of the amount
	Used  float64 `cbor:"3,keyasint"` // used at present
	Rises []Kink  `cbor:"4,keyasint" max:"512"`
	Falls []Kink  `cbor:"5,keyasint" max:"512"`
}

// Kink is about where channels begin to use more with z, or end.
type Kink struct {
	Bin   uint16  `cbor:"1,keyasint"`
	Slope float32 `cbor:"2,keyasint"` // by how much the slope changes: the sum over channels
	Sum   float32 `cbor:"3,keyasint"` // of slope times z: of each channel's use there
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

// Validate returns the first fault of a curve. A peer's curve must pass before it is added.
func (c *Curve) Validate() error {
	if !amount(c.Base) || !amount(c.Limit) || !amount(c.Used) {
		return errors.New("curve: an amount is no number, or below zero")
	}
	for _, kinks := range [][]Kink{c.Rises, c.Falls} {
		for i, k := range kinks {
			if k.Bin >= bins || i > 0 && k.Bin <= kinks[i-1].Bin || !amount(float64(k.Slope)) ||
				!amount(float64(k.Sum)) {
				return fmt.Errorf("curve: kink %d cannot be", i)
			}
		}
	}
	return nil
}

// amount reports whether f is a number, not below zero, and not so large that sums overflow.
func amount(f float64) bool { return f >= 0 && f < 1e60 }

// Sum adds up channels and curves. The zero Sum has none; its size is 16 KiB.
type Sum struct {
	Used         float64 // by the channels at present
	base, limit  float64
	rises, falls [bins]kinks
}

// kinks are those of one bin.
type kinks struct{ slope, sum float64 }

func (k kinks) at() float64 { return k.sum / k.slope }

// AddLoad adds a channel, with its part of the limit, to a curve of load.
func (s *Sum) AddLoad(c Channel, limit float64) {
	r := c.Ratio()
	s.base += c.Cost
	s.limit += limit
	s.kink(1/r, c.Most/r, c.Cost*r)
}

// AddDelay adds a channel, with its part of the limit, to a curve of delay, by the inverse of the multiplier.
func (s *Sum) AddDelay(c Channel, limit float64) {
	r := c.Ratio()
	s.base += c.Worth / c.Most
	s.limit += limit
	s.kink(r/c.Most, r, c.Worth/r)
}

// AddFixed adds an amount that is used whatever is chosen.
func (s *Sum) AddFixed(used, limit float64) {
	s.base += used
	s.limit += limit
}

// Limit returns the limit.
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

// Curve returns the sum as a message has it.
func (s *Sum) Curve() Curve {
	return Curve{Base: s.base, Limit: s.limit, Used: s.Used, Rises: kinksOf(&s.rises), Falls: kinksOf(&s.falls)}
}

func kinksOf(all *[bins]kinks) []Kink {
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

// Solve returns the largest z at which at most part of the limit is used: +Inf if that holds for all.
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
	// All channels have their Most: the difference of the sums is rounding.
	if s.whole() <= limit*(1+1e-6) {
		return math.Inf(1)
	}
	if last := len(changes) - 1; last >= 0 {
		return changes[last].at
	}
	return 0
}

// whole returns the use when all channels have their Most.
func (s *Sum) whole() float64 {
	used := s.base
	for i := range bins {
		used += s.falls[i].sum - s.rises[i].sum
	}
	return used
}

// Package honeycomb has the goals of a network that polls together, and what they make of its channels: Table 1 of
// Ramasubramanian, Peterson and Sirer, "Corona: A High Performance Publish-Subscribe System for the World Wide Web"
// (NSDI 2006). network/corona/plan chooses the pollers of each channel by them.
//
// It differs from the paper in three things. Load is in bytes, if it is not counted in polls. Sizes have a least value,
// and unknown factors a stated one: without it all nodes would poll a channel of size 0. Fair-Log uses logarithms of
// seconds, which the paper does not say.
package honeycomb

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Goal is what the network's polling is to achieve.
type Goal uint8

// The goals of Table 1, and none.
const (
	Lite     Goal = iota // detect soonest on average, loading origins no more than subscribers would
	Fast                 // detect within a target on average, loading origins least
	Fair                 // as Lite, late in proportion to the time between updates
	FairSqrt             // as Fair, by the square root of that time
	FairLog              // as Fair, by its logarithm
	Legacy               // no cooperation: every subscriber polls by itself
	goals
)

var goalNames = [goals]string{"lite", "fast", "fair", "fair-sqrt", "fair-log", "legacy"}

func (g Goal) String() string {
	if g < goals {
		return goalNames[g]
	}
	return fmt.Sprintf("goal %d", uint8(g))
}

// Bounds of Policy.Target.
const (
	MinTarget = time.Millisecond
	MaxTarget = 30 * 24 * time.Hour
)

// Policy is a goal with its target. The whole network has the same. The zero Policy is Lite.
type Policy struct {
	Goal Goal

	// Target is the average detection time that Fast reaches, MinTarget to MaxTarget; 0
	// for all other goals.
	Target time.Duration
}

// Validate reports why p is not possible.
func (p Policy) Validate() error {
	switch {
	case p.Goal >= goals:
		return fmt.Errorf("honeycomb: there is no goal %d", uint8(p.Goal))
	case p.Goal == Fast && (p.Target < MinTarget || p.Target > MaxTarget):
		return fmt.Errorf("honeycomb: a target of %v, want %v to %v", p.Target, MinTarget, MaxTarget)
	case p.Goal != Fast && p.Target != 0:
		return fmt.Errorf("honeycomb: %v has no target, only fast has one", p.Goal)
	}
	return nil
}

// String returns what ParsePolicy reads: "lite", "fast:30s".
func (p Policy) String() string {
	if p.Goal != Fast {
		return p.Goal.String()
	}
	target := p.Target.String()
	for _, end := range []string{"m0s", "h0m"} { // 1h0m0s is 1h
		if strings.HasSuffix(target, end) {
			target = target[:len(target)-2]
		}
	}
	return "fast:" + target
}

// ParsePolicy reads a policy as people write it: lite, fast:30s, fair, fair-sqrt, fair-log or
// legacy. What follows "fast:" is a duration as of Go.
func ParsePolicy(text string) (Policy, error) {
	name, target, hasTarget := strings.Cut(text, ":")
	for g, known := range goalNames {
		if name != known {
			continue
		}
		p := Policy{Goal: Goal(g)}
		switch {
		case p.Goal == Fast && target == "":
			return Policy{}, fmt.Errorf("policy %q lacks its target: write fast:30s for 30 seconds", text)
		case p.Goal != Fast && hasTarget:
			return Policy{}, fmt.Errorf("policy %q: only fast has a target", text)
		case hasTarget:
			var err error
			if p.Target, err = time.ParseDuration(target); err != nil {
				return Policy{}, fmt.Errorf("policy %q: the target is not a duration such as 30s", text)
			}
			if p.Target < MinTarget || p.Target > MaxTarget {
				return Policy{}, fmt.Errorf("policy %q: the target is not between 1ms and %dh", text,
					MaxTarget/time.Hour)
			}
		}
		if err := p.Validate(); err != nil {
			return Policy{}, fmt.Errorf("policy %q: %w", text, err)
		}
		return p, nil
	}
	return Policy{}, fmt.Errorf("policy %q is none of %s", text, "lite, fast:30s, fair, fair-sqrt, fair-log")
}

// weight returns how much a late detection counts for each subscriber of a channel with that
// update interval: the ratios of Table 1. interval is the polling interval; both are at least
// two seconds.
func (g Goal) weight(interval, update time.Duration) float64 {
	polling, between := interval.Seconds(), update.Seconds()
	switch g {
	case Fair:
		return polling / (2 * between)
	case FairSqrt:
		return math.Sqrt(polling) / math.Sqrt(between)
	case FairLog:
		return math.Log(polling) / math.Log(between)
	}
	return 1
}

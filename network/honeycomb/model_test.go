package honeycomb

import (
	"math"
	"testing"
	"time"
)

func TestModelValidate(t *testing.T) {
	for _, m := range []Model{{Interval: MinInterval}, {Interval: MaxInterval, Polls: true}} {
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
	}
	for what, m := range map[string]Model{
		"no interval":          {},
		"an interval of years": {Interval: MaxInterval + 1},
		"an unknown goal":      {Interval: time.Hour, Policy: Policy{Goal: goals}},
	} {
		if m.Validate() == nil {
			t.Errorf("%s is valid", what)
		}
	}
}

// A change waits half an interval by n.
func TestDetection(t *testing.T) {
	m := Model{Interval: 30 * time.Minute}
	for pollers, want := range map[float64]time.Duration{
		0: 15 * time.Minute, 1: 15 * time.Minute, 2.5: 6 * time.Minute, 9: 100 * time.Second,
	} {
		if got := m.Detection(pollers); got != want {
			t.Errorf("%v pollers: %v, want %v", pollers, got, want)
		}
	}
}

// Unknown factors have a stated value, and others are kept within bounds.
func TestFactorsOutOfBounds(t *testing.T) {
	bytes := Model{Policy: Policy{Goal: Fair}, Interval: 30 * time.Minute}
	polls := Model{Interval: 30 * time.Minute, Polls: true}
	week := 7 * 24 * time.Hour
	for _, test := range []struct {
		factors Factors
		cost    float64
		update  time.Duration
	}{
		{Factors{10, 2000, week}, 2000, week},
		{Factors{10, 0, week}, UnknownSize, week},
		{Factors{10, 1, week}, MinSize, week},
		{Factors{10, math.MaxUint32, week}, math.MaxUint32, week},
		{Factors{10, 2000, 0}, 2000, UnknownUpdate},
		{Factors{10, 2000, -1}, 2000, UnknownUpdate},
		{Factors{10, 2000, 1}, 2000, MinUpdate},
		{Factors{10, 2000, math.MaxInt64}, 2000, MaxUpdate},
		{Factors{0, 2000, week}, 2000, week},
	} {
		q := float64(test.factors.Subscribers)
		if got, want := bytes.Worth(test.factors), q*900/test.update.Seconds(); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%+v is worth %v, want %v", test.factors, got, want)
		}
		if got := bytes.Cost(test.factors); got != test.cost {
			t.Errorf("a poll of %+v costs %v, want %v", test.factors, got, test.cost)
		}
		if polls.Worth(test.factors) != q || polls.Cost(test.factors) != 1 {
			t.Errorf("%+v in polls: worth %v, cost %v", test.factors, polls.Worth(test.factors),
				polls.Cost(test.factors))
		}
	}
}

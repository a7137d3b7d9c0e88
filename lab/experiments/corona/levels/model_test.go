package levels

import (
	"math"
	"testing"
	"time"

	"tidings/network/honeycomb"
)

func TestModelValidate(t *testing.T) {
	for _, m := range []Model{Default(), Paper()} {
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
	}
	for what, change := range map[string]func(*Model){
		"no interval":       func(m *Model) { m.Interval = 0 },
		"unknown phases":    func(m *Model) { m.Phases = phases },
		"no bits a level":   func(m *Model) { m.LevelBits = 0 },
		"nine bits a level": func(m *Model) { m.LevelBits = 9 },
	} {
		m := Default()
		change(&m)
		if m.Validate() == nil {
			t.Errorf("%s is valid", what)
		}
	}
}

// K is the logarithm of N, rounded up (section 3.1).
func TestLevels(t *testing.T) {
	for _, test := range []struct{ nodes, bits, digits int }{
		{0, 1, 1}, {1, 1, 1}, {2, 2, 2}, {3, 3, 2}, {16, 5, 2}, {17, 6, 3}, {1024, 11, 4}, {4096, 13, 4}, {4097, 14, 5},
		{1 << 40, MaxLevels, 11},
	} {
		if got := Default().Levels(test.nodes); got != test.bits {
			t.Errorf("%d nodes: %d levels of a bit, want %d", test.nodes, got, test.bits)
		}
		if got := Paper().Levels(test.nodes); got != test.digits {
			t.Errorf("%d nodes: %d levels of a digit, want %d", test.nodes, got, test.digits)
		}
	}
}

// A change waits half an interval by n at even phases, an interval by n+1 at random ones.
func TestDetection(t *testing.T) {
	for _, test := range []struct {
		phases  Phases
		pollers float64
		want    time.Duration
	}{
		{Even, 1, 15 * time.Minute}, {Even, 9, 100 * time.Second}, {Even, 0, 15 * time.Minute},
		{Even, 2.5, 6 * time.Minute},
		{Random, 1, 15 * time.Minute}, {Random, 9, 180 * time.Second}, {Random, 0, 15 * time.Minute},
	} {
		m := Default()
		m.Phases = test.phases
		if got := m.Detection(test.pollers); got != test.want {
			t.Errorf("%v phases, %v pollers: %v, want %v", test.phases, test.pollers, got, test.want)
		}
	}
}

func TestFactorsOutOfBounds(t *testing.T) {
	bytes, polls := Default(), Paper()
	bytes.Policy.Goal = honeycomb.Fair
	week := 7 * 24 * time.Hour
	fair := func(q float64, u time.Duration) uint64 { return fixed(q * 900 / u.Seconds()) }
	of := func(q, s uint32, u time.Duration) honeycomb.Factors {
		return honeycomb.Factors{Subscribers: q, Size: s, Update: u}
	}
	for _, test := range []struct {
		factors honeycomb.Factors
		want    Cluster // of bytes
	}{
		{of(10, 2000, week), Cluster{1, 10, 2000, fair(10, week), 20000, 0, 0}},
		{of(10, 0, week), Cluster{1, 10, honeycomb.UnknownSize, fair(10, week), 10 * honeycomb.UnknownSize, 0, 0}},
		{of(10, 1, week), Cluster{1, 10, honeycomb.MinSize, fair(10, week), 10 * honeycomb.MinSize, 0, 0}},
		{of(10, 2000, 0), Cluster{1, 10, 2000, fair(10, honeycomb.UnknownUpdate), 20000, 0, 0}},
		{of(10, 2000, -1), Cluster{1, 10, 2000, fair(10, honeycomb.UnknownUpdate), 20000, 0, 0}},
		{of(10, 2000, 1), Cluster{1, 10, 2000, fair(10, honeycomb.MinUpdate), 20000, 0, 0}},
		{of(10, 2000, math.MaxInt64), Cluster{1, 10, 2000, fair(10, honeycomb.MaxUpdate), 20000, 0, 0}},
		{of(0, 2000, week), Cluster{1, 0, 2000, 0, 0, 0, 0}},
		{of(math.MaxUint32, math.MaxUint32, week), Cluster{1, math.MaxUint32, math.MaxUint32,
			fair(math.MaxUint32, week), math.MaxUint32 * math.MaxUint32, 0, 0}},
	} {
		test.want.Load, test.want.Delay = 4*test.want.Size, test.want.Weight/4
		got := bytes.Cluster(test.factors, 4)
		if d := got.Delay - test.want.Delay; d <= 1 {
			got.Delay = test.want.Delay // rounded
		}
		if got != test.want || got.Validate() != nil {
			t.Errorf("%+v becomes %+v, want %+v; %v", test.factors, got, test.want, got.Validate())
		}
		q := uint64(test.factors.Subscribers)
		if got, want := polls.Cluster(test.factors, 4),
			(Cluster{1, q, 1, q << fixedBits, q, 4, q << fixedBits / 4}); got != want {
			t.Errorf("%+v becomes %+v in polls, want %+v", test.factors, got, want)
		}
	}
	slow := Default()
	slow.Policy.Goal, slow.Interval = honeycomb.Fair, honeycomb.MinInterval
	if w := slow.Cluster(of(1, 0, honeycomb.MaxUpdate), 1).Weight; w == 0 {
		t.Error("a single subscriber counts nothing")
	}
}

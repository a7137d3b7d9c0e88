package bench

import "testing"

func TestGrowthNeedsFivePercentAndMoreThanTheGrain(t *testing.T) {
	memory := allGauges[0]
	series := func(values ...int64) (all []gauges) {
		for _, v := range values {
			all = append(all, gauges{heap: v << 20})
		}
		return all
	}
	for name, c := range map[string]struct {
		samples []gauges
		grown   bool
	}{
		"flat":                          {series(10, 90, 100, 101, 99, 100, 101, 100, 99), false},
		"warms up, then flat":           {series(1, 50, 99, 100, 100, 100, 100, 100, 100), false},
		"six percent":                   {series(1, 50, 99, 100, 100, 100, 106, 106, 106), true},
		"one sample is high":            {series(1, 50, 99, 100, 100, 100, 100, 190, 100), false},
		"small, by less than the grain": {series(1, 1, 1, 4, 4, 4, 6, 6, 6), false},
		"small, by more":                {series(1, 1, 1, 4, 4, 4, 7, 7, 7), true},
		"shrinks":                       {series(1, 1, 1, 40, 40, 40, 7, 7, 7), false},
	} {
		if _, _, grown := memory.growth(c.samples); grown != c.grown {
			t.Errorf("%s: grown is %t", name, grown)
		}
	}
}

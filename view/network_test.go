package view_test

import (
	"testing"
	"time"

	"tidings/view"
)

func TestClockOf(t *testing.T) {
	seconds := func(all ...int) (list []time.Duration) {
		for _, s := range all {
			list = append(list, time.Duration(s)*time.Second)
		}
		return list
	}
	for name, test := range map[string]struct {
		ahead  []time.Duration
		want   view.Clock
		agreed bool
	}{
		"nobody":                    {nil, view.Clock{}, false},
		"one":                       {seconds(3600), view.Clock{Offset: 3600_000, Others: 1, Agree: 1}, false},
		"two that differ":           {seconds(3600, 0), view.Clock{Offset: 1800_000, Others: 2}, false},
		"three, one of them a liar": {seconds(-9999, 60, 61), view.Clock{Offset: 60_000, Others: 3, Agree: 2}, false},
		"three of four": {seconds(59, 60, 9999, 61), view.Clock{Offset: 60_500, Others: 4, Agree: 3},
			true},
		"three of six, which is half": {seconds(-300, -200, 60, 61, 62, 9999),
			view.Clock{Offset: 60_500, Others: 6, Agree: 3}, false},
		"as far apart as may be": {seconds(-29, 0, 29), view.Clock{Others: 3, Agree: 3}, true},
		"too far apart":          {seconds(-30, 0, 30), view.Clock{Others: 3, Agree: 1}, false},
	} {
		if got := view.ClockOf(test.ahead); got != test.want || got.Agreed() != test.agreed {
			t.Errorf("%s: %+v, agreed: %v", name, got, got.Agreed())
		}
	}
}

package plot

import "testing"

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Plot
		want string
	}{
		{"a line with a peak and a trough", Plot{Title: "Load", X: Axis{Label: "time", Unit: "s"},
			Y: Axis{Label: "polls"},
			Series: []Series{{Label: "here", Points: []Point{{X: 0, Y: 2}, {X: 1, Y: 12345}, {X: 2, Y: 0.5},
				{X: 3, Y: 4.5678}}}}, Said: []Reference{Level("the aim: 3", 3)}},
			"Load. Across: time (s); upwards: polls. here: from 2 at 0 to 4.57 at 3, at most 12300 at 1, at least " +
				"0.5 at 2. A dashed line: the aim: 3."},
		{"bars", Plot{Title: "Rates", X: Axis{Label: "way"}, Y: Axis{Label: "rate"},
			Series: []Series{{Label: "here", Kind: Bars, Points: []Point{{X: 0, Y: 1}, {X: 1, Y: 0}}}}},
			"Rates. Across: way; upwards: rate. here: 1 at 0, 0 at 1."},
		{"a distribution", Plot{Title: "Delays", X: Axis{Label: "delay", Unit: "s"},
			Y: Axis{Label: "share", Share: true}, Series: []Series{CDF("here", []float64{1, 2, 3, 4})}},
			"Delays. Across: delay (s); upwards: share. here: half are at most 2, 99 % at most 4, the last 4."},
		{"dots, and a series of nothing", Plot{Title: "Ranks", X: Axis{Label: "rank"}, Y: Axis{Label: "polls"},
			Series: []Series{Ranked("here", []float64{5, 1, 3}), {Label: "none"}}},
			"Ranks. Across: rank; upwards: polls. here: 3 points between 1 and 5."},
	} {
		if got := c.p.Describe(); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

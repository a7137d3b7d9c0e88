package plot

import (
	"math"
	"math/rand/v2"
)

// gallery is one plot of each kind, and those that are hard to draw.
func gallery() []Plot {
	chance := rand.New(rand.NewPCG(1, 2))
	draws := func(n int, median float64) []float64 {
		all := make([]float64, n)
		for i := range all {
			all[i] = median * math.Exp(chance.NormFloat64()*0.8)
		}
		return all
	}
	series := func(label string, from, to float64) Series {
		s := Series{Label: label}
		for i := range 25 {
			x := float64(i) * 30
			y := to + (from-to)*math.Exp(-x/150)
			s.Points = append(s.Points, Point{X: x, Y: y, Low: y * 0.93, High: y * 1.06})
		}
		return s
	}
	zipf := make([]float64, 20_000)
	for i := range zipf {
		zipf[i] = 40_000 / math.Pow(float64(i+1), 0.9) * (0.8 + 0.4*chance.Float64())
	}
	return []Plot{
		{
			Name: "time-series", Title: "Mean time to detect a change, 1,024 nodes",
			X: Axis{Label: "time", Unit: "min"}, Y: Axis{Label: "detection time", Unit: "s"},
			Series: []Series{series("Corona-Lite", 900, 47), series("Corona-Fast", 900, 31),
				series("legacy", 900, 880)},
			Said: []Reference{Level("paper, table 2: 53 s", 53)},
		},
		{
			Name: "cdf", Title: "How soon subscribers hear of an update",
			X: Axis{Label: "latency", Unit: "ms", Log: true}, Y: Axis{Label: "share of deliveries", Share: true},
			Series: []Series{CDF("rappel", draws(4000, 200)), CDF("scribe", draws(4000, 430)),
				CDF("direct", draws(50, 120))},
			Said: []Reference{Upright("paper: median 250 ms", 250)},
		},
		{
			Name: "ranked", Title: "Polls of channels by rank of their popularity",
			X: Axis{Label: "rank of the channel", Log: true}, Y: Axis{Label: "polls", Unit: "1/h", Log: true},
			Series: []Series{Ranked("measured", zipf), Ranked("legacy", zipf[:300])},
			Said: []Reference{Curve("Zipf, exponent 0.9", Point{X: 1, Y: 40_000},
				Point{X: 20_000, Y: 40_000 / math.Pow(20_000, 0.9)})},
		},
		{
			Name: "bars", Title: "Hops from a node to the owner of a random key, 100,000 nodes",
			X: Axis{Label: "hops"}, Y: Axis{Label: "share of lookups"},
			Series: []Series{Shares("here", []int{1, 8, 160, 1700, 8000, 90}),
				Shares("without proximity", []int{1, 9, 200, 1900, 7700, 120})},
			Said: []Reference{Curve("paper, figure 5", Point{X: 1, Y: .0006}, Point{X: 2, Y: .0156},
				Point{X: 3, Y: .1643}, Point{X: 4, Y: .81}, Point{X: 5, Y: .0095})},
		},
		{
			Name:  "bars-with-intervals",
			Title: "Origin load of the five side by side, with 95% confidence intervals of ten seeds",
			X:     Axis{Label: "scheme"}, Y: Axis{Label: "load at the origin", Unit: "requests/s"},
			Series: []Series{{Label: "here", Kind: Bars,
				Points: []Point{{0, 5_000_000, 0, 0}, {1, 4_900_000, 4_800_000, 5_010_000},
					{2, 5_200_000, 5_000_000, 5_400_000}, {3, 1_000_000, 0, 0}, {4, 150_000, 100_000, 200_000}}}},
			Said: []Reference{Level("legacy", 5_000_000)},
		},
		{
			Name: "tendency", Title: "Mean hops by size of the ring",
			X: Axis{Label: "nodes", Log: true}, Y: Axis{Label: "mean hops"},
			Series: []Series{{Label: "here", Points: []Point{{1000, 2.3, 2.25, 2.35}, {10_000, 3.1, 3.05, 3.15},
				{100_000, 3.8, 3.79, 3.81}}}},
			Said: []Reference{Curve("log16 N", Point{X: 1000, Y: math.Log(1000) / math.Log(16)},
				Point{X: 10000, Y: math.Log(10000) / math.Log(16)},
				Point{X: 100_000, Y: math.Log(100_000) / math.Log(16)})},
		},
		{
			Name: "band", Title: "Leaf sets that are wrong after a crash",
			X: Axis{Label: "time", Unit: "s"}, Y: Axis{Label: "wrong leaf sets", Unit: "share of nodes", Share: true},
			Series: []Series{falling("with repair", 30), falling("without", 90)},
			Said:   []Reference{Upright("two periods", 60)},
		},
		{
			Name: "bars-around-zero", Title: "Change against legacy, with intervals that reach below zero",
			X: Axis{Label: "scheme"}, Y: Axis{Label: "change", Unit: "%"},
			Series: []Series{{Label: "here", Kind: Bars, Points: []Point{{0, 5, -3, 13}, {1, -7, -9, -5}}}},
		},
		{
			Name: "single", Title: "One point & <odd> signs",
			X: Axis{Label: "x", Log: true}, Y: Axis{Label: "y"},
			Series: []Series{{Label: "a < b & c", Points: []Point{{X: 3, Y: 0}}}},
		},
		{
			Name: "negative", Title: "Seven series, some below zero",
			X: Axis{Label: "clock offset", Unit: "ms"}, Y: Axis{Label: "error", Unit: "ms"},
			Series: sevenLines(),
		},
	}
}

// falling is a long line with a wide interval.
func falling(label string, half float64) Series {
	s := Series{Label: label}
	for x := 1.0; x <= 90; x++ {
		y := 1 / (1 + math.Exp((x-half)/5))
		s.Points = append(s.Points, Point{X: x, Y: y, Low: y - 0.4*y*(1-y) - 0.02, High: y + 0.4*y*(1-y) + 0.02})
	}
	return s
}

func sevenLines() []Series {
	all := make([]Series, MaxSeries)
	for i := range all {
		all[i].Label = []string{"one", "two", "three", "four", "five", "six", "a seventh with a long name"}[i]
		for x := -5.0; x <= 5; x++ {
			all[i].Points = append(all[i].Points, Point{X: x * 10, Y: x*float64(i-3)*0.01 + float64(i)*0.01})
		}
	}
	return all
}

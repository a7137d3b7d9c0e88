package plot

import (
	"math"
	"strconv"
	"strings"
)

// tick is a place on an axis; without a label it is a minor one.
type tick struct {
	value float64
	label string
}

// ticks returns what is marked on the axis that shows s, ascending.
func (a Axis) ticks(s span) []tick {
	switch {
	case a.Log && s.high >= 5*s.low:
		return decades(s.low, s.high)
	case a.Log:
		s.step = stepFor(s.high - s.low)
	}
	var ticks []tick
	for i := math.Ceil(s.low/s.step - 1e-9); i <= s.high/s.step+1e-9; i++ {
		ticks = append(ticks, tick{i * s.step, tickLabel(i*s.step, s.step, math.Abs(s.high))})
	}
	return ticks
}

// stepFor returns 1, 2 or 5 times a power of ten that divides a span into at most eight parts.
func stepFor(span float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(span/8)))
	for _, m := range []float64{1, 2, 5} {
		if span/(m*power) <= 8 {
			return m * power
		}
	}
	return 10 * power
}

// decades labels powers of ten, and 2 and 5 times these where there are few.
func decades(low, high float64) []tick {
	width := math.Log10(high / low)
	every := max(1, int(math.Ceil(width/8)))
	var ticks []tick
	for exponent := math.Floor(math.Log10(low)); exponent <= math.Log10(high); exponent++ {
		for m := 1.0; m < 10; m++ {
			value := m * math.Pow(10, exponent)
			if value < low*(1-1e-9) || value > high*(1+1e-9) {
				continue
			}
			label := ""
			few := width < 2.1 && (m == 2 || m == 5)
			if m == 1 && int(exponent)%every == 0 || few {
				label = decadeLabel(value, high)
			}
			ticks = append(ticks, tick{value, label})
		}
	}
	return ticks
}

// units shorten long numbers; k is used only where numbers have five digits or more.
var units = []struct {
	size, from float64
	name       string
}{{1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e3, 1e4, "k"}}

// tickLabel writes x, a multiple of step on an axis that goes up to most, as short as possible: 0.25, 1500, 20k, 3.5M.
func tickLabel(x, step, most float64) string {
	for _, u := range units {
		if x != 0 && most >= u.from && step >= u.size/100 {
			return plain(x/u.size, step/u.size) + u.name
		}
	}
	return plain(x, step)
}

// decadeLabel writes x on an axis on which each number stands for itself.
func decadeLabel(x, most float64) string {
	for _, u := range units {
		if x >= u.size && most >= u.from {
			return plain(x/u.size, x/u.size) + u.name
		}
	}
	return plain(x, x)
}

func plain(x, step float64) string {
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		return "0"
	}
	return strings.Replace(text, "-", "\u2212", 1)
}

package plot

import "math"

// span is what an axis shows.
type span struct{ low, high, step float64 }

func (p Plot) hasBars() bool {
	for _, s := range p.Series {
		if s.Kind == Bars {
			return true
		}
	}
	return false
}

// rangeX returns what the X axis shows.
func (p Plot) rangeX() span {
	if p.X.Share {
		return span{0, 1, stepFor(1)}
	}
	low, high := p.extremes(p.X, func(at Point) []float64 { return []float64{at.X} })
	if p.hasBars() {
		half := p.gap() * 0.6
		return span{low - half, high + half, stepFor(high - low + 2*half)}
	}
	return widen(p.X, low, high, false)
}

// rangeY returns the range of the Y axis. Error bars alone do not extend it below zero.
func (p Plot) rangeY() span {
	if p.Y.Share {
		return span{0, 1, stepFor(1)}
	}
	least, _ := p.extremes(p.Y, func(at Point) []float64 { return []float64{at.Y} })
	low, high := p.extremes(p.Y, func(at Point) []float64 {
		if at.hasBar() {
			return []float64{at.Y, at.Low, at.High}
		}
		return []float64{at.Y}
	})
	if least >= 0 {
		low = max(low, 0)
	}
	return widen(p.Y, low, high, p.hasBars() || low >= 0 && low < high*0.7)
}

// extremes returns the least and the greatest of what is measured or said in one direction.
func (p Plot) extremes(a Axis, of func(Point) []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	add := func(points []Point) {
		for _, at := range points {
			for _, x := range of(at) {
				if finite(x) && (x > 0 || !a.Log) {
					low, high = min(low, x), max(high, x)
				}
			}
		}
	}
	for _, s := range p.Series {
		add(s.Points)
	}
	for _, r := range p.Said {
		add(r.Points)
	}
	if low > high {
		return 1, 10
	}
	return low, high
}

// widen leaves some room around the data and ends a linear axis at ticks.
func widen(a Axis, low, high float64, zero bool) span {
	if a.Log {
		if low == high {
			return span{low: low / 3, high: high * 3}
		}
		room := math.Pow(high/low, 0.05)
		return span{low: low / room, high: high * room}
	}
	if zero {
		low = min(0, low)
	}
	if low == high {
		low, high = low-1, high+1
	}
	step := stepFor(high - low)
	return span{math.Floor(low/step+1e-9) * step, math.Ceil(high/step-1e-9) * step, step}
}

// gap is the least distance between neighbouring bars of a series.
func (p Plot) gap() float64 {
	least := math.Inf(1)
	for _, s := range p.Series {
		for i := 1; i < len(s.Points); i++ {
			if d := s.Points[i].X - s.Points[i-1].X; d > 0 {
				least = min(least, d)
			}
		}
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return least
}

package plot

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// series draws the i-th series.
func (d *drawing) series(i int) {
	s, look := d.p.Series[i], d.p.look(i)
	points := thin(d.visible(s.Points), d.p.X.Log && s.Kind == Dots)
	switch s.Kind {
	case Bars:
		d.bars(i, points)
	case Dots:
		for _, at := range points {
			d.DrawGlyph(look.glyph(1.9), d.place(at))
			d.busy = append(d.busy, d.place(at))
		}
	case Steps:
		path := d.steps(points)
		d.StrokeLines(look.line(), path)
		d.occupy(path)
	default:
		d.lines(i, points)
	}
}

// visible leaves out what logarithmic axes cannot show.
func (d *drawing) visible(points []Point) []Point {
	var kept []Point
	for _, at := range points {
		if d.x.shows(at.X) && d.y.shows(at.Y) {
			kept = append(kept, at)
		}
	}
	return kept
}

// maxMarked is how many points a line with a marker and an error bar each has. A longer one
// has a band, and marks in some places, not those of other lines.
const (
	maxMarked = 40
	fewMarks  = 12
)

func (d *drawing) lines(i int, points []Point) {
	l := d.p.look(i)
	path := make([]vg.Point, len(points))
	for j, at := range points {
		path[j] = d.place(at)
	}
	long := len(points) > maxMarked
	if long {
		d.band(l, points)
	}
	d.StrokeLines(l.line(), path)
	d.occupy(path)
	every := len(points)/fewMarks + 1
	for j, at := range points {
		if !long {
			d.errorBar(draw.LineStyle{Color: l.color, Width: vg.Points(1)}, at, path[j].X)
		}
		if !long || j%every == every*(i+1)/(len(d.p.Series)+1) {
			d.DrawGlyph(l.glyph(2.8), path[j])
		}
	}
}

// band fills what lies between the ends of the error bars of a long line.
func (d *drawing) band(l look, points []Point) {
	var edge []vg.Point
	for _, at := range points {
		if !at.hasBar() {
			at.High = at.Y
		}
		edge = append(edge, d.place(Point{X: at.X, Y: at.High}))
	}
	for _, at := range slices.Backward(points) {
		if !at.hasBar() {
			at.Low = at.Y
		}
		edge = append(edge, d.place(Point{X: at.X, Y: at.Low}))
	}
	d.FillPolygon(color.NRGBA{l.color.R, l.color.G, l.color.B, 0x38}, edge)
}

// errorBar draws the range of a measurement.
func (d *drawing) errorBar(style draw.LineStyle, at Point, x vg.Length) {
	if !at.hasBar() {
		return
	}
	low, high := d.y.at(at.Low), d.y.at(at.High)
	d.StrokeLine2(style, x, low, x, high)
	d.occupy([]vg.Point{{X: x, Y: low}, {X: x, Y: high}})
	for _, end := range []float64{at.Low, at.High} {
		if end >= d.y.low && end <= d.y.high { // it is not cut off
			d.StrokeLine2(style, x-2.5, d.y.at(end), x+2.5, d.y.at(end))
		}
	}
}

// steps returns the path from the bottom at the first point to the right end at the last.
func (d *drawing) steps(points []Point) []vg.Point {
	if len(points) == 0 {
		return nil
	}
	path := []vg.Point{d.place(Point{X: points[0].X, Y: math.Inf(-1)})}
	for _, at := range points {
		to := d.place(at)
		path = append(path, vg.Point{X: to.X, Y: path[len(path)-1].Y}, to)
	}
	return append(path, vg.Point{X: d.Max.X, Y: path[len(path)-1].Y})
}

// bars draws the bars of the i-th series beside those of the others.
func (d *drawing) bars(i int, points []Point) {
	first, wide := d.p.slot(i)
	for _, at := range points {
		low := vg.Point{X: d.x.at(at.X + first), Y: d.y.base()}
		high := d.place(Point{X: at.X + first + wide, Y: at.Y})
		d.SetColor(d.p.look(i).color)
		d.Fill(vg.Rectangle{Min: low, Max: high}.Path())
		d.occupy([]vg.Point{{X: low.X, Y: high.Y}, high})
		d.occupy([]vg.Point{{X: (low.X + high.X) / 2, Y: low.Y}, {X: (low.X + high.X) / 2, Y: high.Y}})
		d.errorBar(draw.LineStyle{Color: ink, Width: vg.Points(1)}, at, (low.X+high.X)/2)
	}
}

// slot returns where a series' bar begins, from the bar's X, and how wide it is.
func (p Plot) slot(index int) (first, wide float64) {
	n, before := 0, 0
	for i, s := range p.Series {
		if s.Kind != Bars {
			continue
		}
		if n++; i < index {
			before++
		}
	}
	wide = p.gap() * 0.8 / float64(max(n, 1))
	return float64(before)*wide - p.gap()*0.4, wide
}

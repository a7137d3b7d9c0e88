package plot

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of every plot.
const (
	width  = 6.6 * vg.Inch
	height = 4.1 * vg.Inch
)

// drawing is a plot on its way onto a canvas.
type drawing struct {
	draw.Canvas // what is left of it: in the end, what lies between the axes

	p    Plot
	x, y direction  // where values lie
	busy []vg.Point // places that a label should leave free
}

// draw draws p onto c: the title, the legend below it, and the axes with what they hold.
func (p Plot) draw(c draw.Canvas) {
	c.SetColor(ground)
	c.Fill(c.Path())
	d := &drawing{p: p, Canvas: draw.Crop(c, 12, -16, 10, -10)}
	title := style(titleSize, true, ink, left, top)
	d.FillText(title, vg.Point{X: d.Min.X, Y: d.Max.Y}, p.Title)
	d.Max.Y -= title.Height(p.Title) + 8
	d.legend()
	d.axes()
	for i := range p.Series {
		d.series(i)
	}
	for _, r := range p.Said {
		d.reference(r)
	}
}

// legend draws which series is which, in rows from the left.
func (d *drawing) legend() {
	const swatch, gap, row = 20, 18, 14
	words := style(legendSize, false, ink, left, middle)
	at := vg.Point{X: d.Min.X, Y: d.Max.Y - row/2}
	for i, s := range d.p.Series {
		wide := swatch + 5 + words.Width(s.Label)
		if at.X > d.Min.X && at.X+wide > d.Max.X {
			at = vg.Point{X: d.Min.X, Y: at.Y - row}
		}
		d.swatch(d.p.look(i),
			vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - 4}, Max: vg.Point{X: at.X + swatch, Y: at.Y + 4}})
		d.FillText(words, vg.Point{X: at.X + swatch + 5, Y: at.Y + lift}, s.Label)
		at.X += wide + gap
	}
	d.Max.Y = at.Y - row/2 - 7
}

// look is what distinguishes a series from others.
type look struct {
	color  color.RGBA
	marker draw.GlyphDrawer
	kind   Kind
}

func (p Plot) look(i int) look { return look{palette[i], markers[i], p.Series[i].Kind} }

func (l look) line() draw.LineStyle { return draw.LineStyle{Color: l.color, Width: vg.Points(1.7)} }

func (l look) glyph(radius float64) draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: vg.Points(radius), Shape: l.marker}
}

// swatch draws a series in small.
func (d *drawing) swatch(l look, r vg.Rectangle) {
	at := vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
	switch l.kind {
	case Bars:
		r.Min.X = r.Max.X - 12
		d.SetColor(l.color)
		d.Fill(r.Path())
	case Dots:
		d.DrawGlyph(l.glyph(2.6), at)
	default:
		d.StrokeLine2(l.line(), r.Min.X, at.Y, r.Max.X, at.Y)
		if l.kind == Lines {
			d.DrawGlyph(l.glyph(2.8), at)
		}
	}
}

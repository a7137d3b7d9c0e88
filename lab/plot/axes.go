package plot

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// direction is an axis with its place on the canvas.
type direction struct {
	span
	log      bool
	from, to vg.Length
}

// at returns where x lies; what is outside, or infinite, lies at the end.
func (d direction) at(x float64) vg.Length {
	x = min(max(x, d.low), d.high)
	share := (x - d.low) / (d.high - d.low)
	if d.log {
		share = math.Log(x/d.low) / math.Log(d.high/d.low)
	}
	return d.from + vg.Length(share)*(d.to-d.from)
}

// base returns where bars stand: at zero, or at the end of an axis without it.
func (d direction) base() vg.Length {
	if d.log {
		return d.from
	}
	return d.at(0)
}

// shows reports whether the axis can show x at all.
func (d direction) shows(x float64) bool { return !d.log || x > 0 || math.IsInf(x, 0) }

func (d *drawing) place(p Point) vg.Point { return vg.Point{X: d.x.at(p.X), Y: d.y.at(p.Y)} }

const (
	tickLength = 4
	tickGap    = 3 // between a tick and its label
	labelGap   = 6 // between ticks' labels and the axis's
)

// axes draws both axes and the grid, and leaves as the canvas what lies between them.
func (d *drawing) axes() {
	d.x.span, d.x.log = d.p.rangeX(), d.p.X.Log
	d.y.span, d.y.log = d.p.rangeY(), d.p.Y.Log
	across, up := d.p.X.ticks(d.x.span), d.p.Y.ticks(d.y.span)
	words, label := style(tickSize, false, ink, right, middle), style(labelSize, false, ink, centre, bottom)
	whole := d.Rectangle
	lines := label.Height(d.p.X.Label)
	widest := vg.Length(0)
	for _, t := range up {
		widest = max(widest, words.Width(t.label))
	}
	d.Min.X += lines + labelGap + widest + tickGap + tickLength
	d.Min.Y += lines + labelGap + words.Height("0") + tickGap + tickLength
	d.x.from, d.x.to, d.y.from, d.y.to = d.Min.X, d.Max.X, d.Min.Y, d.Max.Y

	d.grid(across, up)
	for _, t := range up {
		d.FillText(words, vg.Point{X: d.Min.X - tickLength - tickGap, Y: d.y.at(t.value) + lift}, t.label)
	}
	words.XAlign, words.YAlign = centre, top
	for _, t := range across {
		d.FillText(words, vg.Point{X: d.x.at(t.value), Y: d.Min.Y - tickLength - tickGap}, t.label)
	}
	d.FillText(label, vg.Point{X: (d.Min.X + d.Max.X) / 2, Y: whole.Min.Y}, d.p.X.title())
	label.Rotation, label.YAlign = math.Pi/2, top
	d.FillText(label, vg.Point{X: whole.Min.X, Y: (d.Min.Y + d.Max.Y) / 2}, d.p.Y.title())
}

// grid draws the axes' lines with their ticks, and light lines behind the data.
func (d *drawing) grid(across, up []tick) {
	light := draw.LineStyle{Color: gridlines, Width: vg.Points(0.6)}
	dark := draw.LineStyle{Color: ink, Width: vg.Points(0.8)}
	length := func(t tick) vg.Length {
		if t.label == "" {
			return tickLength / 2
		}
		return tickLength
	}
	for _, t := range up {
		y := d.y.at(t.value)
		if t.label != "" {
			d.StrokeLine2(light, d.Min.X, y, d.Max.X, y)
		}
		d.StrokeLine2(dark, d.Min.X-length(t), y, d.Min.X, y)
	}
	for _, t := range across {
		x := d.x.at(t.value)
		if t.label != "" && !d.p.hasBars() {
			d.StrokeLine2(light, x, d.Min.Y, x, d.Max.Y)
		}
		d.StrokeLine2(dark, x, d.Min.Y-length(t), x, d.Min.Y)
	}
	d.StrokeLine2(dark, d.Min.X, d.Min.Y, d.Max.X, d.Min.Y)
	d.StrokeLine2(dark, d.Min.X, d.Min.Y, d.Min.X, d.Max.Y)
}

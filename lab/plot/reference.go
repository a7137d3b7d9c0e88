package plot

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// reference draws what a paper or theory says, dashed, with its label.
func (d *drawing) reference(r Reference) {
	points := d.visible(r.Points)
	if len(points) == 0 {
		return
	}
	path := make([]vg.Point, len(points))
	for i, at := range points {
		path[i] = d.place(at)
	}
	dashed := draw.LineStyle{Color: quiet, Width: vg.Points(1.3), Dashes: []vg.Length{5, 3}}
	end := path[len(path)-1]
	if d.overBars(r) {
		dashed.Dashes = []vg.Length{3.5, 2}
		half := (d.x.at(d.x.low+d.p.gap()) - d.x.from) * 0.46
		for _, at := range path {
			d.StrokeLine2(dashed, at.X-half, at.Y, at.X+half, at.Y)
			if at.Y > end.Y {
				end = at
			}
		}
		end.X += half
	} else {
		d.StrokeLines(dashed, path)
	}
	if d.overBars(r) {
		d.label(r.Label, []vg.Point{end})
		return
	}
	d.label(r.Label, path)
	d.occupy(path) // labels of later references keep off it
}

// overBars reports whether the reference says how high bars should be.
func (d *drawing) overBars(r Reference) bool {
	for _, at := range r.Points {
		if !finite(at.X) || !finite(at.Y) {
			return false
		}
	}
	return d.p.hasBars()
}

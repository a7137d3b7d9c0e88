package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// occupy notes that something is drawn along a path.
func (d *drawing) occupy(path []vg.Point) {
	const every = 3
	for i := 1; i < len(path); i++ {
		from, way := path[i-1], path[i].Sub(path[i-1])
		n := math.Ceil(math.Hypot(way.X.Points(), way.Y.Points()) / every)
		for j := range int(n) + 1 {
			d.busy = append(d.busy, from.Add(way.Scale(vg.Length(float64(j)/max(n, 1)))))
		}
	}
}

// label writes what a line means beside it, at the place that covers least.
func (d *drawing) label(label string, path []vg.Point) {
	words := style(saidSize, false, quiet, left, middle)
	size := vg.Point{X: words.Width(label) + 4, Y: words.Height(label)}
	best, least := vg.Rectangle{}, math.MaxInt
	for _, r := range d.places(path, size) {
		covered := 0
		for _, at := range d.busy {
			if at.X > r.Min.X && at.X < r.Max.X && at.Y > r.Min.Y && at.Y < r.Max.Y {
				covered++
			}
		}
		if covered < least {
			best, least = r, covered
		}
	}
	d.SetColor(color.NRGBA{ground.R, ground.G, ground.B, 0xd9})
	d.Fill(best.Path())
	d.FillText(words, vg.Point{X: best.Min.X + 2, Y: (best.Min.Y+best.Max.Y)/2 + lift/2}, label)
	d.occupy([]vg.Point{{X: best.Min.X, Y: (best.Min.Y + best.Max.Y) / 2},
		{X: best.Max.X, Y: (best.Min.Y + best.Max.Y) / 2}})
}

// places returns where a label of a size can stand along a path, the best ones first. They are above and below the path
// from its right end to its left, or on both sides of an upright one from the top down.
func (d *drawing) places(path []vg.Point, size vg.Point) []vg.Rectangle {
	const gap = 4
	var all []vg.Rectangle
	add := func(x, y vg.Length) {
		x = min(max(x, d.Min.X+2), d.Max.X-size.X-2)
		y = min(max(y, d.Min.Y+2), d.Max.Y-size.Y-2)
		all = append(all, vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + size.X, Y: y + size.Y}})
	}
	first, last := path[0], path[len(path)-1]
	const tries = 9
	for i := range tries {
		back := vg.Length(i) / tries
		if len(path) == 2 && first.X == last.X {
			y := d.Max.Y - gap - size.Y - back*(d.Max.Y-d.Min.Y-size.Y)
			add(first.X+gap, y)
			add(first.X-gap-size.X, y)
			continue
		}
		x := max(last.X-size.X-back*(last.X-first.X), d.Min.X)
		low, high := extent(path, x, x+size.X)
		add(x, high+gap)
		add(x, low-gap-size.Y)
	}
	return all
}

// extent returns how low and how high a path lies between two X.
func extent(path []vg.Point, from, to vg.Length) (low, high vg.Length) {
	end := path[len(path)-1].Y
	low, high = end, end
	found := false
	add := func(y vg.Length) {
		if !found {
			low, high, found = y, y, true
		}
		low, high = min(low, y), max(high, y)
	}
	for i, at := range path {
		if at.X >= from && at.X <= to {
			add(at.Y)
		}
		if i == 0 || at.X == path[i-1].X {
			continue
		}
		for _, x := range []vg.Length{from, to} {
			if before := path[i-1]; (x-before.X)*(x-at.X) <= 0 {
				add(before.Y + (at.Y-before.Y)*(x-before.X)/(at.X-before.X))
			}
		}
	}
	return low, high
}

package networkroom

import (
	"math"
	"slices"
	"time"

	"tidings"
	"tidings/delivery/web/wording"
)

// The drawing of how detection times are distributed: a bar for each bin, on an axis on which each
// step is about twice the one before. Measures are in the drawing's own unit.
const (
	histWidth  = 640.0
	histHeight = 244.0
	histTop    = 56.0  // of the tallest bar; above stand its count and the median
	histFoot   = 212.0 // where bars stand
	histEvery  = 3     // bins from one label of the axis to the next
)

// histogram is what the drawing is made of.
type histogram struct {
	Width, Height, Top, Foot coord
	Bars                     []bar
	Ticks                    []histTick
	MedianX                  coord
	MedianLeft               bool // its words stand to the left of it
	Median, Mean             string
	Changes                  int
}

// bar is a bin that has something in it, or not.
type bar struct {
	X, Y, Width, Height, Middle coord
	Count                       int
	Name                        string // "8 s to 15 s"
	Share                       int    // percent of all
}

// histTick is a place on the axis.
type histTick struct {
	X    coord
	Text string
}

func drawHistogram(w wording.Words, d tidings.Detection) histogram {
	edges := tidings.DetectionEdges()
	h := histogram{
		Width: histWidth, Height: histHeight, Top: histTop, Foot: histFoot, Changes: d.Changes,
		Median: w.Soon(d.Median), Mean: w.Soon(d.Mean),
	}
	if len(d.Bins) != len(edges)+1 || d.Changes == 0 {
		h.Changes = 0
		return h
	}
	most := max(1, slices.Max(d.Bins))
	const gap = 1.5
	for i, n := range d.Bins {
		b := bar{X: coord(binX(i) + gap), Width: coord(binX(i+1) - binX(i) - 2*gap), Count: n,
			Name: binName(w, edges, i)}
		b.Height = coord((histFoot - histTop) * float64(n) / float64(most))
		if n > 0 {
			b.Height = max(b.Height, 2)
			b.Share = int(math.Round(100 * float64(n) / float64(d.Changes)))
		}
		b.Y, b.Middle = histFoot-b.Height, b.X+b.Width/2
		h.Bars = append(h.Bars, b)
	}
	for i := 0; i < len(edges); i += histEvery {
		h.Ticks = append(h.Ticks, histTick{coord(binX(i + 1)), wording.Span(edges[i])})
	}
	h.MedianX = coord(timeX(edges, d.Median))
	h.MedianLeft = h.MedianX > histWidth/2
	return h
}

// binX returns where a bin begins.
func binX(bin int) float64 {
	return histWidth * float64(bin) / float64(len(tidings.DetectionEdges())+1)
}

// timeX returns where a time is: between two edges by its logarithm.
func timeX(edges []time.Duration, t time.Duration) float64 {
	i, _ := slices.BinarySearch(edges, t)
	low, high := edges[0]/2, edges[len(edges)-1]*2
	if i > 0 {
		low = edges[i-1]
	}
	if i < len(edges) {
		high = edges[i]
	}
	part := math.Log(float64(max(t, 1))/float64(low)) / math.Log(float64(high)/float64(low))
	return binX(i) + (binX(i+1)-binX(i))*min(max(part, 0), 1)
}

func binName(w wording.Words, edges []time.Duration, bin int) string {
	switch bin {
	case 0:
		return w.Text("below %s", w.Span(edges[0]))
	case len(edges):
		return w.Text("%s or more", w.Span(edges[bin-1]))
	}
	return w.Text("%s to %s", w.Span(edges[bin-1]), w.Span(edges[bin]))
}

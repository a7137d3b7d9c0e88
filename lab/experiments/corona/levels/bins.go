package levels

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// MaxBins is how many clusters there are for each polling level, at most (section 4:
// Tradeoff Bins).
const MaxBins = 16

// The finest bins are an eighth of a doubling of f/g wide. At maxScale 16 bins hold all that an
// int16 numbers.
const (
	finestBits = 3
	maxScale   = 12
)

// Bin is the cluster of the channels with f/g within a range.
type Bin struct {
	// Index numbers the ranges upwards. At scale 0 it is the exponent of f/g with three
	// bits of its fraction; each further scale joins two neighbours.
	Index   int16   `cbor:"1,keyasint"`
	Cluster Cluster `cbor:"2,keyasint"`
}

// Bins are the clusters of one polling level. The zero Bins has none.
//
// Scale is the least at which the channels need no more than MaxBins bins. Hence bins are a
// function of the channels in them and of nothing else: merging is commutative and associative
// (the uniform collapse of Epicoco et al., UDDSketch, 2020).
type Bins struct {
	Scale uint8 `cbor:"1,keyasint"`
	Bins  []Bin `cbor:"2,keyasint" max:"16"` // by rising Index
}

// errBins is of bins that no merging makes.
var errBins = errors.New("bins that are too many, out of order or too wide")

// Validate reports whether b is well formed.
func (b *Bins) Validate() error {
	if len(b.Bins) > MaxBins || b.Scale > maxScale {
		return fmt.Errorf("levels: %w", errBins)
	}
	for i, bin := range b.Bins {
		if i > 0 && bin.Index <= b.Bins[i-1].Index {
			return fmt.Errorf("levels: %w", errBins)
		}
		if err := bin.Cluster.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// Add puts channels with about the same f/g into their bin.
func (b *Bins) Add(c Cluster) { b.put(index(c.ratio())>>b.Scale, c) }

// Merge puts the channels of o into b. Both are valid. It keeps nothing of o's memory.
func (b *Bins) Merge(o Bins) {
	for b.Scale < o.Scale {
		b.widen()
	}
	wider := b.Scale - o.Scale
	var room [2 * MaxBins]Bin
	both, mine := room[:0], b.Bins
	for _, bin := range o.Bins {
		bin.Index >>= wider
		for len(mine) > 0 && mine[0].Index <= bin.Index {
			both, mine = append(both, mine[0]), mine[1:]
		}
		if last := len(both) - 1; last >= 0 && both[last].Index == bin.Index {
			both[last].Cluster.Add(bin.Cluster)
		} else {
			both = append(both, bin)
		}
	}
	both = append(both, mine...)
	for len(both) > MaxBins {
		b.Scale++
		both = joined(both)
	}
	b.Bins = append(b.Bins[:0], both...)
}

func (b *Bins) put(index int16, c Cluster) {
	at, found := slices.BinarySearchFunc(b.Bins, index, func(bin Bin, i int16) int { return int(bin.Index) - int(i) })
	if found {
		b.Bins[at].Cluster.Add(c)
		return
	}
	b.Bins = slices.Insert(b.Bins, at, Bin{index, c})
	for len(b.Bins) > MaxBins {
		b.widen()
	}
}

// widen makes bins twice as wide.
func (b *Bins) widen() {
	b.Scale++
	b.Bins = joined(b.Bins)
}

// joined joins bins that are neighbours at the next scale, in place.
func joined(bins []Bin) []Bin {
	wide := bins[:0]
	for _, bin := range bins {
		bin.Index >>= 1
		if last := len(wide) - 1; last >= 0 && wide[last].Index == bin.Index {
			wide[last].Cluster.Add(bin.Cluster)
		} else {
			wide = append(wide, bin)
		}
	}
	return wide
}

const (
	fraction = 52 // bits of a float64's fraction
	bias     = 1023 << finestBits
)

// index returns the finest bin of a ratio. It reads the bits of the number: a logarithm would
// round differently on different processors.
func index(ratio float64) int16 {
	return int16(int(math.Float64bits(ratio)>>(fraction-finestBits)) - bias)
}

// lowest returns the least ratio in a finest bin; of a bin that no ratio has, that of the
// nearest.
func lowest(index int) float64 {
	return math.Float64frombits(uint64(min(max(0, index+bias), 2*bias)) << (fraction - finestBits))
}

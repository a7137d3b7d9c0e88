package vivaldi

import (
	"errors"
	"math"
	"time"

	"github.com/hashicorp/serf/coordinate"
)

// MaxDimensions is the longest vector of a Coordinate.
const MaxDimensions = 8

// Bounds of a valid Coordinate.
const (
	// MaxReach bounds each component of the vector, either way, and the height. Any two
	// valid coordinates are less than 8 s apart: within what round trips can be.
	MaxReach = time.Second

	// MaxError bounds the error: what a node claims that has measured nothing.
	MaxError = 1500
)

// Coordinate is where a node lies in a space in which distances are round-trip times: a point of a Euclidean space and
// a height above it, which stands for the node's access link. All fields are whole numbers: a NaN, an infinity or a
// negative error cannot be written.
type Coordinate struct {
	// Vector is the point, in microseconds. All nodes of a network have the same number
	// of dimensions.
	Vector []int32 `cbor:"1,keyasint" max:"8"`

	// Height is in microseconds and part of every distance.
	Height uint32 `cbor:"2,keyasint"`

	// Error is how far distances are off round trips, in 1/1000 of these, as the node itself judges: 1500 before it has
	// measured anything. It says nothing of distances to other nodes with large errors.
	Error uint16 `cbor:"3,keyasint"`
}

// IsZero reports whether c is no coordinate.
func (c Coordinate) IsZero() bool { return len(c.Vector) == 0 }

// Errors of Validate.
var (
	ErrDimensions = errors.New("a coordinate of another number of dimensions")
	ErrReach      = errors.New("a coordinate out of reach")
	ErrError      = errors.New("a coordinate with too high an error")
)

// Validate reports whether c can be used in a space of so many dimensions.
func (c Coordinate) Validate(dimensions int) error {
	const reach = int32(MaxReach / time.Microsecond)
	if len(c.Vector) != dimensions || dimensions > MaxDimensions {
		return ErrDimensions
	}
	for _, v := range c.Vector {
		if v < -reach || v > reach {
			return ErrReach
		}
	}
	if c.Height > uint32(reach) {
		return ErrReach
	}
	if c.Error > MaxError {
		return ErrError
	}
	return nil
}

// Distance returns the estimated round trip between two nodes, from their valid coordinates of equally many dimensions.
// One without any, of a node without a known place, lies at the origin. Distances fulfil the triangle inequality but
// for a microsecond of rounding, though round trips do not.
func (c Coordinate) Distance(to Coordinate) time.Duration {
	return c.plane(to) + time.Duration(c.Height+to.Height)*time.Microsecond
}

// plane returns the distance without heights. The squares add up to less than 2^53, so that
// the result is the same on every machine.
func (c Coordinate) plane(to Coordinate) time.Duration {
	long, short := c.Vector, to.Vector
	if len(long) < len(short) {
		long, short = short, long
	}
	var squares int64
	for i, v := range long {
		d := int64(v)
		if i < len(short) {
			d -= int64(short[i])
		}
		squares += d * d
	}
	return time.Duration(math.Sqrt(float64(squares))) * time.Microsecond
}

// serf returns c in the form of the library.
func (c Coordinate) serf() *coordinate.Coordinate {
	s := &coordinate.Coordinate{
		Vec: make([]float64, len(c.Vector)), Height: float64(c.Height) / 1e6, Error: float64(c.Error) / 1e3,
	}
	for i, v := range c.Vector {
		s.Vec[i] = float64(v) / 1e6
	}
	return s
}

// fromSerf rounds s to a valid coordinate.
func fromSerf(s *coordinate.Coordinate) Coordinate {
	const reach = float64(MaxReach / time.Microsecond)
	c := Coordinate{
		Vector: make([]int32, len(s.Vec)),
		Height: uint32(clamp(s.Height*1e6, 0, reach)), Error: uint16(clamp(s.Error*1e3, 0, MaxError)),
	}
	for i, v := range s.Vec {
		c.Vector[i] = int32(clamp(v*1e6, -reach, reach))
	}
	return c
}

// clamp rounds v to a whole number between two; what is none becomes the lower.
func clamp(v, low, high float64) float64 {
	if !(v > low) {
		return low
	}
	return math.Round(min(v, high))
}

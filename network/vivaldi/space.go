package vivaldi

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/hashicorp/serf/coordinate"
)

// space holds the node's coordinate and moves it by samples, by way of serf's client.
type space struct {
	client *coordinate.Client
	chance *rand.Rand
	cc     float64
	flat   bool
	here   Coordinate
}

func newSpace(c Config, chance *rand.Rand) *space {
	s := &space{chance: chance, cc: c.CC, flat: c.Flat}
	config := coordinate.DefaultConfig()
	config.Dimensionality = uint(c.Dimensions)
	config.VivaldiErrorMax = float64(MaxError) / 1e3
	config.VivaldiCE, config.VivaldiCC = c.CE, c.CC
	config.AdjustmentWindowSize = 0
	config.LatencyFilterSize = 1    // table filters, within bounds
	config.GravityRho = math.Inf(1) // a force of exactly 0, whatever direction is drawn
	client, err := coordinate.NewClient(config)
	if err != nil {
		panic("vivaldi: " + err.Error())
	}
	s.client = client
	s.reset()
	return s
}

// reset puts the node close to the origin, but not where anybody else is.
func (s *space) reset() {
	s.here = fromSerf(s.client.GetCoordinate())
	s.here.Error = MaxError
	s.nudge(time.Millisecond)
}

// nudge moves the node in a direction of chance, by at most d along each axis.
func (s *space) nudge(d time.Duration) {
	most := int32(d / time.Microsecond)
	moved := s.here
	moved.Vector = make([]int32, len(s.here.Vector))
	for i, v := range s.here.Vector {
		moved.Vector[i] = v + s.chance.Int32N(2*most+1) - most
	}
	s.here = moved
}

// longest is the longest round trip that the library accepts.
const longest = 10 * time.Second

// near is how close two points count as one, for which the library would draw a direction from a source of chance that
// is not ours.
const near = 2 * time.Microsecond

// move applies a sample: a peer at other is rtt away. The two count as differing by limit at most, and distance as at
// most twice the round trip (so that the error estimate grows by no more than CE). The coordinate moves by at most CC
// times limit along the plane, and as much in height. It returns how far it moved, with the height.
func (s *space) move(other Coordinate, rtt, limit time.Duration) time.Duration {
	for s.here.plane(other) <= near {
		s.nudge(10 * time.Microsecond)
	}
	distance := s.here.Distance(other)
	rtt = max(rtt, distance-limit, distance/2)
	rtt = min(rtt, distance+limit, longest)

	before := s.here
	if err := s.client.SetCoordinate(before.serf()); err != nil {
		panic("vivaldi: " + err.Error())
	}
	moved, err := s.client.Update("", other.serf(), rtt)
	if err != nil {
		panic("vivaldi: " + err.Error())
	}
	most := s.cc * limit.Seconds()
	height := before.serf().Height
	moved.Height = min(max(moved.Height, height-most), height+most)
	if s.flat {
		moved.Height = height // the least there is, as at the start
	}
	s.here = fromSerf(moved)
	return before.plane(s.here) + (time.Duration(before.Height)-time.Duration(s.here.Height)).Abs()*time.Microsecond
}

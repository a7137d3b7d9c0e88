package vivaldi

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

func drawCoordinate(t *rapid.T, name string) Coordinate {
	reach := int32(MaxReach / time.Microsecond)
	return Coordinate{
		Vector: rapid.SliceOfN(rapid.Int32Range(-reach, reach), 3, 3).Draw(t, name),
		Height: rapid.Uint32Range(0, uint32(reach)).Draw(t, name+" height"),
		Error:  rapid.Uint16Range(0, MaxError).Draw(t, name+" error"),
	}
}

// Distances are those of the library, the same both ways, and fulfil the triangle inequality (which Rappel's trees
// stand on, section 4.2).
func TestDistances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawCoordinate(t, "a"), drawCoordinate(t, "b"), drawCoordinate(t, "c")
		d := a.Distance(b)
		if library := a.serf().DistanceTo(b.serf()); (d - library).Abs() > time.Microsecond {
			t.Fatalf("%v, the library says %v", d, library)
		}
		if back := b.Distance(a); back != d {
			t.Fatalf("%v there, %v back", d, back)
		}
		if d > a.Distance(c)+c.Distance(b)+time.Microsecond {
			t.Fatalf("%v is longer than the way by a third, %v and %v", d, a.Distance(c), c.Distance(b))
		}
		if d > 8*time.Second {
			t.Fatalf("%v between valid coordinates", d)
		}
		if got := fromSerf(a.serf()); !slices.Equal(got.Vector, a.Vector) || got.Height != a.Height ||
			got.Error != a.Error {
			t.Fatalf("%+v comes back from the library as %+v", a, got)
		}
	})
}

// What the library makes of bad numbers is still a coordinate.
func TestNoNumberBecomesAValidCoordinate(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300} {
		s := Coordinate{Vector: make([]int32, 3)}.serf()
		s.Vec[1], s.Height, s.Error = v, v, v
		if c := fromSerf(s); c.Validate(3) != nil {
			t.Errorf("%v becomes %+v", v, c)
		}
	}
}

// No bytes of a peer make an answer that moves the node beyond what is valid, or that panics
// (hostile 27, 47).
func FuzzPong(f *testing.F) {
	codec := engine.NewCodec(Vocabulary)
	seed, err := codec.Append(nil,
		&Pong{Nonce: 7, Coordinate: Coordinate{Vector: []int32{1, -2, 300_000}, Height: 9, Error: 80}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed, int64(20e6))
	f.Add(seed[:len(seed)-1], int64(-1))
	f.Fuzz(func(t *testing.T, data []byte, rtt int64) {
		m, err := codec.Decode(data)
		if err != nil {
			return
		}
		v, _ := alone(Default())
		v.Receive(engine.Peer{Address: "p"}, m)
		if pong, ok := m.(*Pong); ok {
			for n := range byte(10) {
				v.Observe(engine.Peer{ID: engine.ID{n}, Address: "p"}, pong.Coordinate, time.Duration(rtt))
			}
			again, err := codec.Append(nil, pong)
			if err != nil {
				t.Fatalf("%+v cannot be encoded: %v", pong, err)
			}
			if same, err := codec.Decode(again); err != nil || same.(*Pong).Nonce != pong.Nonce {
				t.Fatalf("%x is read as %+v: %v", again, same, err)
			}
		}
		if err := v.Coordinate().Validate(3); err != nil {
			t.Fatalf("the coordinate has become %+v: %v", v.Coordinate(), err)
		}
	})
}

// A node without a known place lies at the origin, whichever end it is.
func TestDistanceToNowhere(t *testing.T) {
	here, nowhere := Coordinate{Vector: []int32{3000, 4000}, Height: 100}, Coordinate{}
	if a, b := here.Distance(nowhere), nowhere.Distance(here); a != b || a != 5100*time.Microsecond {
		t.Errorf("%v and %v", a, b)
	}
}

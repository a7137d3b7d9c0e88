package vivaldi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/latency"
)

// Coordinates that cannot be are refused: out of reach, of other dimensions, with an error
// that no node has (hostile 47).
func TestCoordinatesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	v, env := alone(Default())
	before := v.Coordinate()
	liar := engine.Peer{ID: engine.IDOf([]byte("liar")), Address: "l"}
	for name, c := range map[string]Coordinate{
		"nothing":             {},
		"too few dimensions":  {Vector: []int32{1, 2}},
		"too many dimensions": {Vector: make([]int32, 4)},
		"far away":            {Vector: []int32{1_000_000_000, 0, 0}},
		"far below":           {Vector: []int32{0, 0, math.MinInt32}},
		"high":                {Vector: make([]int32, 3), Height: math.MaxUint32},
		"all wrong":           {Vector: make([]int32, 3), Error: MaxError + 1},
	} {
		env.traced = nil
		v.Observe(liar, c, 10*time.Millisecond)
		if len(env.traced) != 1 || env.traced[0] != (Rejected{liar, Invalid}) {
			t.Errorf("%s: %v", name, env.traced)
		}
	}
	for _, rtt := range []time.Duration{-1, 0, Default().MaxRTT + 1, math.MaxInt64, math.MinInt64} {
		env.traced = nil
		v.Observe(liar, Coordinate{Vector: make([]int32, 3)}, rtt)
		if len(env.traced) != 1 || env.traced[0] != (Rejected{liar, NoTime}) {
			t.Errorf("a round trip of %v: %v", rtt, env.traced)
		}
	}
	if !slices.Equal(v.Coordinate().Vector, before.Vector) || len(v.known.list) != 0 {
		t.Error("what was refused has left traces")
	}
}

// NaN, infinities and negative errors do not even pass the codec: the fields are whole numbers
// (hostile 47).
func TestWhatIsNoNumberCannotBeSaid(t *testing.T) {
	t.Parallel()
	codec := engine.NewCodec(Vocabulary)
	good, err := codec.Append(nil,
		&Pong{Nonce: 1, Coordinate: Coordinate{Vector: []int32{1, 2, 3}, Height: 4, Error: 5}})
	if err != nil {
		t.Fatal(err)
	}
	// The last bytes: map of 3 {1: [1, 2, 3], 2: 4, 3: 5}.
	head := good[:len(good)-9]
	if got := fmt.Sprintf("%x", good[len(good)-9:]); got != "a3018301020302040305"[2:] && got != "018301020302040305" {
		t.Fatalf("a coordinate is encoded as %s", got)
	}
	for name, tail := range map[string]string{
		"NaN":            "\x01\x83\xf9\x7e\x00\x02\x03\x02\x04\x03\x05",
		"infinity":       "\x01\x83\xf9\x7c\x00\x02\x03\x02\x04\x03\x05",
		"negative error": "\x01\x83\x01\x02\x03\x02\x04\x03\x24",
		"past 32 bits":   "\x01\x83\x01\x02\x1a\xff\xff\xff\xff\x02\x04\x03\x05",
	} {
		if m, err := codec.Decode(append(slices.Clone(head), tail...)); err == nil {
			t.Errorf("%s is read as %+v", name, m)
		}
	}
	if _, err := codec.Decode(good); err != nil {
		t.Errorf("the honest one is refused: %v", err)
	}
}

// Whatever a peer claims, one sample moves the coordinate by no more than the filter lets through: CC times Filter
// times the median difference over all peers, along the plane, and as much in height. The coordinate stays one that
// others accept (hostile 47).
func TestOneSampleMovesNoFurtherThanTheFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Default()
		c.FreezeError = 0
		v, _ := alone(c)
		for range rapid.IntRange(1, 200).Draw(t, "samples") {
			peer := engine.Peer{ID: engine.IDOf([]byte{byte(rapid.IntRange(0, 40).Draw(t, "peer"))}), Address: "p"}
			said := Coordinate{Vector: make([]int32, 3)}
			scale := rapid.SampledFrom([]int32{0, 1, 1000, 100_000, 1_000_000}).Draw(t, "scale")
			for i := range said.Vector {
				said.Vector[i] = rapid.Int32Range(-scale, scale).Draw(t, "component")
			}
			said.Height = uint32(rapid.Int32Range(0, scale).Draw(t, "height"))
			said.Error = uint16(rapid.IntRange(0, MaxError).Draw(t, "error"))
			rtt := time.Duration(rapid.Int64Range(1, int64(c.MaxRTT)).Draw(t, "rtt"))
			if rapid.Bool().Draw(t, "quick") {
				rtt = time.Duration(rapid.Int64Range(1, 1e6).Draw(t, "rtt"))
			}

			before := v.Coordinate()
			v.Observe(peer, said, rtt)
			after := v.Coordinate()
			if err := after.Validate(c.Dimensions); err != nil {
				t.Fatalf("the coordinate has become %+v: %v", after, err)
			}
			limit, _ := v.limits()
			most := time.Duration(c.CC*float64(limit)) + rounding
			if moved := before.plane(after); moved > most {
				t.Fatalf("moved by %v, want at most %v", moved, most)
			}
			if rose := time.Duration(int64(before.Height)-int64(after.Height)).Abs() * time.Microsecond; rose > most {
				t.Fatalf("rose by %v, want at most %v", rose, most)
			}
		}
	})
}

// A peer that says it is right below or above can make the library throw a node up without bound. Here it cannot
// (hostile 47).
func TestAPeerRightBelowCannotThrowANodeUp(t *testing.T) {
	t.Parallel()
	s := newSpace(Default(), rand.New(rand.NewPCG(1, 1)))
	there := Coordinate{Vector: slices.Clone(s.here.Vector), Height: 50_000}
	there.Vector[0] += 3
	const limit = 10 * time.Millisecond
	s.move(there, 100*time.Millisecond, limit)
	if rose := time.Duration(s.here.Height) * time.Microsecond; rose > limit/4+rounding {
		t.Errorf("thrown up by %v, want at most a quarter of %v", rose, limit)
	}
}

// A peer that claims to be sure moves a node no more than the median peer does (hostile 47).
func TestClaimsToBeSureAreNotBelieved(t *testing.T) {
	t.Parallel()
	moved := func(claimed uint16) []int32 {
		v, _ := alone(Default())
		for n := range byte(9) {
			v.Observe(peerOf(n), Coordinate{Vector: []int32{int32(n) * 10_000, 500, 0}, Error: 300},
				50*time.Millisecond)
		}
		v.Observe(peerOf(9), Coordinate{Vector: []int32{20_000, 30_000, 0}, Error: claimed}, 50*time.Millisecond)
		return v.Coordinate().Vector
	}
	if sure, usual, unsure := moved(0), moved(300), moved(900); !slices.Equal(sure, usual) ||
		slices.Equal(usual, unsure) {
		t.Errorf("moved to %v by a peer that claims no error, to %v by one like others, to %v by one less sure", sure,
			usual, unsure)
	}
}

// A sample far off what others are off counts nothing, once enough peers are known.
func TestOutliersCountNothing(t *testing.T) {
	t.Parallel()
	v, env := alone(Default())
	for n := range byte(5) {
		v.Observe(peerOf(n), Coordinate{Vector: []int32{int32(n) * 10_000, 500, 0}}, 50*time.Millisecond)
	}
	before, updates := v.Coordinate(), v.update
	env.traced = nil
	v.Observe(peerOf(9), Coordinate{Vector: []int32{900_000, 0, 0}}, 50*time.Millisecond)
	if !slices.Equal(env.traced, []any{Rejected{peerOf(9), Outlier}}) || v.update != updates ||
		!slices.Equal(v.Coordinate().Vector, before.Vector) {
		t.Errorf("%v; moved from %v to %v", env.traced, before, v.Coordinate())
	}
}

// rounding is what whole microseconds along three axes, and being moved out of another's
// place, can add.
const rounding = 40 * time.Microsecond

// The median of the filter is in the range of the honest peers as long as these are more than half: one liar, or any
// minority, cannot raise the bound.
func TestAMinorityCannotWidenTheFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		honest := rapid.SliceOfN(rapid.Int64Range(0, 1e9), 3, 16).Draw(t, "honest")
		lies := rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64), 0, len(honest)-1).Draw(t, "lies")
		table := newTable(64)
		for i, off := range append(slices.Clone(honest), lies...) {
			table.answered(engine.Peer{ID: engine.IDOf([]byte{byte(i)})}).off = time.Duration(off)
		}
		got := int64(table.medianOf(func(k *known) time.Duration { return k.off }))
		if got < slices.Min(honest) || got > slices.Max(honest) {
			t.Fatalf("median %d, honest %v, lies %v", got, honest, lies)
		}
	})
}

// lie is how a peer answers: what it says, and how late.
type lie func(w *net, self sim.Node, to engine.Peer, honest Coordinate) (Coordinate, time.Duration)

// liar answers pings with lies and is honest otherwise.
type liar struct {
	*Vivaldi
	lie func(to engine.Peer, honest Coordinate) (Coordinate, time.Duration)
}

func (l *liar) Receive(from engine.Peer, m engine.Message) {
	ping, ok := m.(*Ping)
	if !ok {
		l.Vivaldi.Receive(from, m)
		return
	}
	said, late := l.lie(from, l.Coordinate())
	l.env.After(late, func() { l.env.Send(from, &Pong{Nonce: ping.Nonce, Coordinate: said}) })
}

var lies = map[string]lie{
	"far away": func(*net, sim.Node, engine.Peer, Coordinate) (Coordinate, time.Duration) {
		return Coordinate{Vector: []int32{900_000, -900_000, 900_000}}, 0
	},
	"high above, as close as can be": func(w *net, _ sim.Node, to engine.Peer, _ Coordinate) (Coordinate,
		time.Duration) {
		c := Coordinate{Vector: make([]int32, 3), Height: 900_000}
		if n, ok := w.NodeAt(to); ok && w.vivaldi(n) != nil {
			copy(c.Vector, w.vivaldi(n).Coordinate().Vector)
			c.Vector[0] += 3
		}
		return c, 0
	},
	"late": func(_ *net, _ sim.Node, _ engine.Peer, honest Coordinate) (Coordinate, time.Duration) {
		honest.Error = 0
		return honest, 5 * time.Second
	},
	// The worst there is: it knows the victim's filter and stays just below what would
	// not count.
	"just within the filter": func(w *net, self sim.Node, to engine.Peer, honest Coordinate) (Coordinate,
		time.Duration) {
		n, ok := w.NodeAt(to)
		if !ok || w.vivaldi(n) == nil {
			return honest, 0
		}
		c := Coordinate{Vector: slices.Clone(w.vivaldi(n).Coordinate().Vector)}
		rtt, _ := w.vivaldi(n).RTT(w.Peer(self).ID)
		_, outlier := w.vivaldi(n).limits()
		c.Vector[0] = min(c.Vector[0]+int32((rtt+min(outlier, time.Second)*9/10)/time.Microsecond),
			int32(MaxReach/time.Microsecond))
		return c, 0
	},
	"always in the same direction": func(w *net, _ sim.Node, to engine.Peer, _ Coordinate) (Coordinate, time.Duration) {
		c := Coordinate{Vector: make([]int32, 3)}
		if n, ok := w.NodeAt(to); ok && w.vivaldi(n) != nil {
			copy(c.Vector, w.vivaldi(n).Coordinate().Vector)
		}
		c.Vector[0] += 1_000_000
		return c, 0
	},
}

// A node with one lying neighbour among 32 ends as well placed as without. A network in which every tenth node lies
// still has coordinates (hostile 47).
func TestLiarsMoveHonestNodesLittle(t *testing.T) {
	t.Parallel()
	m := planetLab().rtt
	latency := latency.NewMatrix(1, m)
	nodes := 150
	if testing.Short() {
		nodes = 50
	}
	run := func(claim lie, each int) (median, high float64) {
		var w *net
		w = newNet(latency, setup{seed: 1, nodes: nodes, neighbours: 32,
			node: func(n sim.Node, env engine.Env, honest *Vivaldi) engine.Protocol {
				if claim == nil || int(n)%each != 0 {
					return honest
				}
				return &liar{honest,
					func(to engine.Peer, h Coordinate) (Coordinate, time.Duration) { return claim(w, n, to, h) }}
			}})
		w.Run(15 * time.Minute)
		errs := w.errors()
		return at(errs, .5), at(errs, .9)
	}
	honest, high := run(nil, 0)
	t.Logf("all honest: median error %.1f %%, 90th percentile %.0f %%", 100*honest, 100*high)
	for name, claim := range lies {
		if testing.Short() && name != "just within the filter" {
			continue
		}
		for _, each := range []int{32, 10} {
			median, high := run(claim, each)
			t.Logf("%s, one in %d: median error %.1f %%, 90th percentile %.0f %%", name, each, 100*median, 100*high)
			if most := map[int]float64{32: honest + .03, 10: honest + .06}[each]; median > most {
				t.Errorf("%s, one in %d: median error %.1f %%, want at most %.1f %%", name, each, 100*median, 100*most)
			}
		}
	}
}

// A settled node never freezes, and one of its 32 peers begins to lie. The honest ones pull it back: how far it gets is
// measured against its twin in a world without the lie.
func TestOneLiarMovesASettledNodeLittle(t *testing.T) {
	t.Parallel()
	m := planetLab().rtt
	latency := latency.NewMatrix(1, m)
	for name, claim := range lies {
		if testing.Short() && name != "just within the filter" {
			continue
		}
		var usual time.Duration // the median difference of distances and round trips
		run := func(lying bool) (worst, mean time.Duration) {
			var w *net
			w = newNet(latency, setup{seed: 1, nodes: 33, neighbours: 32,
				config: func(n sim.Node) Config {
					c := Default()
					if n == 1 {
						c.FreezeError = 0 // the victim: all others come to rest
					}
					c.ThawError = 0
					return c
				},
				node: func(n sim.Node, env engine.Env, honest *Vivaldi) engine.Protocol {
					if n != 0 {
						return honest
					}
					return &liar{honest, func(to engine.Peer, h Coordinate) (Coordinate, time.Duration) {
						if !lying || env.Now() < 20*time.Minute {
							return h, 0
						}
						return claim(w, n, to, h)
					}}
				}})
			w.Run(20 * time.Minute)
			limit, _ := w.vivaldi(1).limits()
			usual = time.Duration(float64(limit) / Default().Filter)
			start := w.vivaldi(1).Coordinate()
			var sum time.Duration
			for range 1200 {
				w.Run(time.Second)
				moved := start.plane(w.vivaldi(1).Coordinate())
				worst = max(worst, moved)
				sum += moved
			}
			return worst, sum / 1200
		}
		calm, calmMean := run(false)
		worst, mean := run(true)
		t.Logf("%s: over twenty minutes up to %v from where it was, %v on average; without the lie %v, %v; "+
			"distances are off by %v in the median",
			name, worst.Round(100*time.Microsecond), mean.Round(100*time.Microsecond), calm.Round(100*time.Microsecond),
			calmMean.Round(100*time.Microsecond), usual.Round(100*time.Microsecond))
		if worst > calm+8*time.Millisecond {
			t.Errorf("%s: moved by %v, without the lie by %v", name, worst, calm)
		}
	}
}

// A frozen coordinate stays, whatever one peer says; it moves again when most peers find it
// wrong.
func TestOneLiarCannotThaw(t *testing.T) {
	t.Parallel()
	c := Default()
	v, env := alone(c)
	ask := func(n byte, said Coordinate, rtt time.Duration) {
		v.Observe(engine.Peer{ID: engine.IDOf([]byte{n}), Address: "p"}, said, rtt)
	}
	place := func(n byte) Coordinate {
		x := int32(n) * 10_000
		return Coordinate{Vector: []int32{x, x % 70_000, x % 30_000}, Error: 50}
	}
	goal := place(3)
	for range 100 {
		for n := range byte(8) {
			if n != 3 {
				ask(n, place(n), goal.Distance(place(n))+time.Millisecond)
			}
		}
	}
	if !v.Frozen() {
		t.Fatalf("not frozen at %+v", v.Coordinate())
	}
	before := v.Coordinate()
	for range 100 {
		ask(1, Coordinate{Vector: []int32{900_000, 0, 0}}, time.Millisecond)
	}
	if !v.Frozen() || !slices.Equal(before.Vector, v.Coordinate().Vector) {
		t.Error("one liar has moved a frozen node")
	}
	for n := range byte(8) {
		for range 3 {
			ask(n, place(n), 2*time.Second)
		}
	}
	if v.Frozen() || !slices.ContainsFunc(env.traced, func(e any) bool { _, ok := e.(Thawed); return ok }) {
		t.Error("still frozen where nothing fits any more")
	}
}

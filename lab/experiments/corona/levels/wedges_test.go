package levels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCountedWedges(t *testing.T) {
	m := Default()
	w := m.Counted([]uint32{40, 17, 20, 3, 0, 1})
	want := []float64{40, 17, 17, 3, 1, 1}
	if w.Levels() != len(want) {
		t.Fatalf("%d levels", w.Levels())
	}
	for l, n := range want {
		if w.Pollers(l) != n || w.delays[l] != 1/n {
			t.Errorf("level %d: %v pollers, delay %v, want %v pollers", l, w.Pollers(l), w.delays[l], n)
		}
	}
	m.Phases = Random
	if w = m.Counted([]uint32{40, 3}); w.delays[0] != 2./41 || w.delays[1] != 2./4 {
		t.Errorf("delays at random phases: %v", w.delays[:2])
	}
}

// Section 3.1: a channel at level l has N/b^l nodes polling it.
func TestNominalWedges(t *testing.T) {
	w := Paper().Nominal(1024, 4)
	for l, n := range []float64{1024, 64, 4, 1} {
		if w.Pollers(l) != n {
			t.Errorf("level %d: %v pollers, want %v", l, w.Pollers(l), n)
		}
	}
}

func TestExpectedWedges(t *testing.T) {
	const nodes, channels = 200, 20_000
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, phases := range []Phases{Even, Random} {
		m := Default()
		m.Phases = phases
		levels := m.Levels(nodes)
		var pollers, delays [MaxLevels]float64
		for range channels / 100 {
			ring := drawRing(rnd, nodes)
			for range 100 {
				w := ring.wedges(m, rnd.Uint64(), levels)
				for l := range levels {
					pollers[l] += w.Pollers(l) / channels
					delays[l] += w.delays[l] / channels
				}
			}
		}
		w := m.Expected(nodes, levels)
		for l := range levels {
			if math.Abs(w.Pollers(l)/pollers[l]-1) > .03 || math.Abs(w.delays[l]/delays[l]-1) > .03 {
				t.Errorf("%v phases, level %d: expected %v pollers, delay %v; drawn %v, %v",
					phases, l, w.Pollers(l), w.delays[l], pollers[l], delays[l])
			}
		}
	}
}

// The sum over the distribution stays right, and short, for networks of any size.
func TestExpectedWedgesOfAnyNetwork(t *testing.T) {
	for _, nodes := range []int{-1, 0, 1, 2, 60, 1 << 20, math.MaxInt32} {
		m := Default()
		w := m.Expected(nodes, MaxLevels)
		n := float64(max(1, nodes))
		for l := range w.Levels() {
			p := math.Ldexp(1, -l)
			want := n*p + math.Exp(n*math.Log1p(-p)) // the mean, and one where there is none
			if l == 0 {
				want = n
			}
			if math.Abs(w.Pollers(l)/want-1) > 1e-6 {
				t.Errorf("%d nodes, level %d: %v pollers, want %v", nodes, l, w.Pollers(l), want)
			}
			if d := w.delays[l]; !(d*w.Pollers(l) > .999999 && d <= 1) {
				t.Errorf("%d nodes, level %d: delay %v with %v pollers", nodes, l, d, w.Pollers(l))
			}
		}
	}
}

func TestLevelsOutOfRangePanic(t *testing.T) {
	for _, levels := range []int{0, MaxLevels + 1} {
		for what, f := range map[string]func(){
			"Counted":  func() { Default().Counted(make([]uint32, levels)) },
			"Nominal":  func() { Default().Nominal(10, levels) },
			"Expected": func() { Default().Expected(10, levels) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s accepts %d levels", what, levels)
					}
				}()
				f()
			}()
		}
	}
}

// ring is the nodes of a network: the first 64 bits of their IDs, sorted.
type ring []uint64

func drawRing(rnd *rand.Rand, nodes int) ring {
	r := make(ring, nodes)
	for i := range r {
		r[i] = rnd.Uint64()
	}
	slices.Sort(r)
	return r
}

// count returns how many nodes share the first bits of a channel.
func (r ring) count(channel uint64, bits int) uint32 {
	if bits == 0 {
		return uint32(len(r))
	}
	first := channel >> (64 - bits) << (64 - bits)
	from, _ := slices.BinarySearch(r, first)
	to, found := slices.BinarySearch(r, first|(1<<(64-bits)-1))
	if found {
		to++
	}
	return uint32(to - from)
}

// wedges returns a channel's wedges as they are.
func (r ring) wedges(m Model, channel uint64, levels int) Wedges {
	var counts [MaxLevels]uint32
	for l := range levels {
		counts[l] = r.count(channel, l*m.LevelBits)
	}
	return m.Counted(counts[:levels])
}

// primary returns the node closest to a channel.
func (r ring) primary(channel uint64) int {
	at, _ := slices.BinarySearch(r, channel)
	after, before := at%len(r), (at+len(r)-1)%len(r)
	if r[after]-channel <= channel-r[before] {
		return after
	}
	return before
}

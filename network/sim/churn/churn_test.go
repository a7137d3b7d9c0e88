package churn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/lab/dataset"
	"tidings/network/engine"
	"tidings/network/sim"
)

// comer is a protocol that does nothing but count its kind.
type comer struct {
	engine.Protocol
	stopped *int
}

func (c comer) Stop() { *c.stopped++ }

// crowd is a world of nodes that come and go.
type crowd struct {
	*sim.World
	nodes   []sim.Node
	booted  []int           // by node, how often
	started []time.Duration // by node, the last time
	stopped int             // farewells
	gone    int
}

func newCrowd(nodes int) *crowd { return newSeededCrowd(1, nodes) }

func newSeededCrowd(seed uint64, nodes int) *crowd {
	c := sim.Default(engine.NewCodec())
	c.Seed, c.AddressBytes = seed, 4
	w := &crowd{World: sim.New(c), booted: make([]int, nodes), started: make([]time.Duration, nodes)}
	for i := range nodes {
		w.nodes = append(w.nodes, w.Add(engine.IDOf([]byte{byte(i), byte(i >> 8), byte(i >> 16)}),
			func(engine.Env, *sim.Disk) engine.Protocol {
				w.booted[i]++
				w.started[i] = w.Now()
				return comer{stopped: &w.stopped}
			}))
	}
	return w
}

func (w *crowd) leaving(inOrder float64) Leaving {
	return Leaving{InOrder: inOrder, Gone: func(sim.Node) { w.gone++ }}
}

func (w *crowd) up() (n int) {
	for _, v := range w.nodes {
		if w.Up(v) {
			n++
		}
	}
	return n
}

func (w *crowd) boots() (n int) {
	for _, b := range w.booted {
		n += b
	}
	return n
}

func torSessions() ([]Session, []dataset.Population) {
	recorded := dataset.TorSessions()
	sessions := make([]Session, len(recorded))
	for i, s := range recorded {
		sessions[i] = Session{Number: s.Node, Up: s.Up, Down: s.Down}
		if s.UpAfter {
			sessions[i].Down = 0
		}
	}
	return sessions, dataset.TorPopulation()
}

// Where every node of the trace is played, as many are up as were observed.
func TestTheTorTraceIsPlayedWhole(t *testing.T) {
	t.Parallel()
	sessions, population := torSessions()
	const days = 14
	trace := Trace{Sessions: sessions, Seed: 1, Length: days * 24 * time.Hour}
	w := newCrowd(len(trace.lives()))
	trace.Drive(w.World, w.nodes)
	for _, p := range population {
		if p.At >= trace.Length {
			break
		}
		w.Run(p.At - w.Now())
		if got := w.up(); got != p.Up {
			t.Fatalf("at %v: %d nodes up, observed %d", p.At, got, p.Up)
		}
	}
	t.Logf("%d nodes, %d boots in %d days", len(w.nodes), w.boots(), days)
}

// A few nodes stand for all: the population is in proportion, from any day on, and the share of farewells is the wanted
// one. So it is when the trace goes faster and moments are drawn.
func TestAFewNodesStandForTheTorTrace(t *testing.T) {
	t.Parallel()
	sessions, population := torSessions()
	const from, length = 30 * 24 * time.Hour, 3 * 24 * time.Hour
	trace := Trace{Sessions: sessions, Seed: 1, From: from, Length: length}
	all := len(trace.lives())
	for _, speed := range []float64{0, 24} {
		w := newCrowd(1000)
		trace.Speed, trace.Leaving = speed, w.leaving(.25)
		trace.Resolution = time.Duration(speed) * time.Minute
		scale := max(speed, 1)
		trace.Drive(w.World, w.nodes)
		if up := len(trace.Up(w.nodes)); up < w.up() {
			t.Errorf("%d nodes are said to be up at the start, %d are", up, w.up())
		}
		worst := 0.0
		for _, p := range population {
			if p.At < from || p.At >= from+length {
				continue
			}
			w.Run(time.Duration(float64(p.At-from)/scale) - w.Now())
			want := float64(p.Up) * 1000 / float64(all)
			worst = max(worst, math.Abs(float64(w.up())-want)/want)
		}
		t.Logf("1000 of %d nodes, %v times as fast: the population is at most %.1f %% off; %d gone", all, scale,
			100*worst, w.gone)
		if worst > .02 {
			t.Errorf("the population is %.1f %% off", 100*worst)
		}
		if share := float64(w.stopped) / float64(w.gone); w.gone < 100 || math.Abs(share-.25) > .1 {
			t.Errorf("%d of %d said farewell, want a quarter", w.stopped, w.gone)
		}
	}
}

// Any trace is played: each node follows the life of one node of the trace.
func TestTracesArePlayed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var sessions []Session
		number := rapid.IntRange(1, 8).Draw(t, "lives")
		for i := range number {
			at := time.Duration(0)
			for range rapid.IntRange(1, 4).Draw(t, "sessions") {
				up := at + time.Duration(rapid.IntRange(0, 50).Draw(t, "down for"))*time.Second
				at = up + time.Duration(rapid.IntRange(1, 50).Draw(t, "up for"))*time.Second
				sessions = append(sessions, Session{Number: i, Up: up, Down: at})
				at += time.Second
			}
		}
		copies := rapid.IntRange(1, 3).Draw(t, "copies")
		w := newCrowd(number * copies)
		trace := Trace{Sessions: sessions, Seed: rapid.Uint64().Draw(t, "seed"), Leaving: w.leaving(0)}
		trace.Drive(w.World, w.nodes)
		if got := len(trace.Up(w.nodes)); got != w.up() {
			t.Fatalf("%d nodes are said to be up at the start, %d are", got, w.up())
		}
		for w.Now() < 10*time.Minute {
			want := 0
			for _, s := range sessions {
				if s.Up <= w.Now() && w.Now() < s.Down {
					want += copies
				}
			}
			if got := w.up(); got != want {
				t.Fatalf("at %v: %d up, want %d", w.Now(), got, want)
			}
			w.Run(time.Second)
		}
		if w.boots() != len(sessions)*copies || w.gone != w.boots() {
			t.Fatalf("%d boots and %d ends of %d sessions", w.boots(), w.gone, len(sessions)*copies)
		}
	})
}

// A node that goes within the resolution of the start may go at the start itself. It is up there
// all the same, once.
func TestWhoIsUpAtTheStartOfATrace(t *testing.T) {
	t.Parallel()
	const begin, hour = 24 * time.Hour, time.Hour
	var sessions []Session
	for number := range 50 {
		sessions = append(sessions,
			Session{Number: number, Up: 0, Down: begin + time.Second},
			Session{Number: number, Up: begin + 2*time.Second, Down: begin + 3*time.Second},
			Session{Number: number, Up: begin + 2*hour})
	}
	w := newCrowd(50)
	trace := Trace{Sessions: sessions, From: begin, Resolution: hour, Leaving: w.leaving(0)}
	if up := trace.Up(w.nodes); !slices.Equal(up, w.nodes) {
		t.Errorf("up at the start are %v, want all of 50, once", up)
	}
	trace.Drive(w.World, w.nodes)
	w.Run(3 * hour)
	if w.up() != 50 || w.boots() != 150 {
		t.Errorf("%d are up after %d boots, want 50 and 150", w.up(), w.boots())
	}
}

// Times are exponentially distributed with the wanted mean, and so many are up as they give.
func TestExponentialChurnHasItsMeans(t *testing.T) {
	t.Parallel()
	w := newCrowd(2000)
	const up, down = time.Hour, 30 * time.Minute
	var sum, ended, long float64
	leaving := Leaving{Gone: func(n sim.Node) {
		d := w.Now() - w.started[n]
		sum += d.Seconds()
		ended++
		if d > up {
			long++
		}
	}}
	Exponential{Up: up, Down: down, Leaving: leaving, For: 24 * time.Hour}.Drive(w.World, w.nodes)
	w.Run(24 * time.Hour)
	if mean := sum / ended; math.Abs(mean-up.Seconds()) > .05*up.Seconds() {
		t.Errorf("sessions last %.0f s on average, want %v", mean, up)
	}
	if share := long / ended; math.Abs(share-math.Exp(-1)) > .02 {
		t.Errorf("%.3f of the sessions are longer than the mean, want 1/e", share)
	}
	if share := float64(w.up()) / 2000; math.Abs(share-2./3) > .05 {
		t.Errorf("%.3f of the nodes are up, want 2/3", share)
	}
	w.Run(time.Hour)
	before := ended
	w.Run(24 * time.Hour)
	if ended != before {
		t.Error("it goes on after its end")
	}
}

// A quarter of the nodes is replaced in an hour, and as many are up at any time as before.
func TestReplacementKeepsThePopulation(t *testing.T) {
	t.Parallel()
	w := newCrowd(1500)
	for _, n := range w.nodes[:1000] {
		w.Boot(n)
	}
	Replacement{Hourly: .25, Leaving: w.leaving(1)}.Drive(w.World, w.nodes)
	for range 10 {
		w.Run(time.Hour)
		if w.up() != 1000 {
			t.Fatalf("%d nodes are up, want 1000", w.up())
		}
	}
	if w.gone < 2250 || w.gone > 2750 || w.stopped != w.gone {
		t.Errorf("%d nodes were replaced in ten hours, %d in order; want about 2500", w.gone, w.stopped)
	}
}

// Ten nodes become ten thousand in a minute, and ten again (hostile 36).
func TestStorms(t *testing.T) {
	t.Parallel()
	w := newCrowd(10_000)
	for _, n := range w.nodes[:10] {
		w.Boot(n)
	}
	JoinStorm{Over: time.Minute}.Drive(w.World, w.nodes[10:])
	w.Run(30 * time.Second)
	if got := w.up(); got < 4990 || got > 5020 {
		t.Errorf("%d nodes are up half way, want about 5005", got)
	}
	w.Run(30 * time.Second)
	if w.up() != 10_000 {
		t.Errorf("%d nodes are up, want all", w.up())
	}
	LeaveStorm{Leaving: w.leaving(.5)}.Drive(w.World, w.nodes[10:])
	w.Run(time.Nanosecond)
	if w.up() != 10 || w.stopped < 4700 || w.stopped > 5300 {
		t.Errorf("%d nodes are up, %d said farewell; want 10, and half of the others", w.up(), w.stopped)
	}
}

// The same seed has the same nodes come and go.
func TestChurnIsAFunctionOfTheSeed(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) uint64 {
		w := newSeededCrowd(seed, 100)
		Exponential{Up: time.Minute, Down: time.Minute, Leaving: w.leaving(.5)}.Drive(w.World, w.nodes[:50])
		LeaveStorm{Over: time.Hour, Leaving: w.leaving(.5)}.Drive(w.World, w.nodes[50:])
		w.Run(time.Hour)
		return w.TraceHash()
	}
	one, again, other := run(1), run(1), run(2)
	if one != again {
		t.Error("one seed gives two runs")
	}
	if one == other {
		t.Error("two seeds give one run")
	}
}

func TestExponentialIsExponential(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 1))
	const draws = 200_000
	var sum, squares float64
	above := make([]int, 4)
	for range draws {
		d := exponential(chance, time.Hour).Hours()
		sum += d
		squares += d * d
		for k := range above {
			if d > float64(k) {
				above[k]++
			}
		}
	}
	mean, second := sum/draws, squares/draws
	if math.Abs(mean-1) > .01 || math.Abs(second-2) > .05 {
		t.Errorf("mean %.4f, second moment %.4f; want 1, 2", mean, second)
	}
	for k, n := range above {
		if got, want := float64(n)/draws, math.Exp(-float64(k)); math.Abs(got-want) > .004 {
			t.Errorf("%.4f are above %d means, want %.4f", got, k, want)
		}
	}
}

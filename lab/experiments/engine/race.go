package engine

import (
	"runtime"
	"time"

	"tidings/lab"
	"tidings/lab/cost"
	"tidings/lab/stats"
	"tidings/network/sim"
)

// paces is what was measured of worlds of one size, and of the bare loop beside them. Rates are events by second of processor time, one for each round.
type paces struct {
	loop, fixed, drawn []float64

	bytes    float64 // of the world whose latencies are drawn by message
	underWay float64 // messages there at the end
}

func (p paces) ofLoop() float64     { return stats.Median(p.loop) }
func (p paces) ofFixed() float64    { return stats.Median(p.fixed) }
func (p paces) ofDrawn() float64    { return stats.Median(p.drawn) }
func (p paces) fixedRatio() float64 { return ratio(p.fixed, p.loop) }
func (p paces) drawnRatio() float64 { return ratio(p.drawn, p.loop) }

// ratio returns the median of what each of a is, divided by its counterpart in b.
func ratio(a, b []float64) float64 {
	quotients := make([]float64, len(a))
	for i := range a {
		quotients[i] = a[i] / b[i]
	}
	return stats.Median(quotients)
}

// perNode returns the memory that a world takes for each of its n nodes.
func (p paces) perNode(n int) float64 { return p.bytes/float64(n) - float64(pingerBytes) }

// race is a bare loop and two worlds of the same size that take turns, so that whatever slows
// the machine down for a while slows all of them. It is a stage of a run.
type race struct {
	run          *lab.Run
	loop         *cost.Loop
	events       int // of the loop in a round
	fixed, drawn *sim.World
	round        time.Duration // of the worlds
	step, steps  int           // turns taken, and turns in all
}

// warmUp is how long worlds run before they are measured: longer than any message travels.
const warmUp = 2 * mostLatency

func newRace(run *lab.Run, s sizes, n int) *race {
	return &race{
		run: run, loop: cost.NewLoop(n), events: s.Events,
		fixed: pingWorld(run.Seed(), n, byPair{}),
		drawn: pingWorld(run.Seed(), n, sim.Uniform{Min: leastLatency, Max: mostLatency}),
		round: s.perRound(n), steps: 3 + 3*s.Rounds,
	}
}

// measure warms up and then has all take turns for some rounds.
func (r *race) measure(rounds int) (m paces) {
	r.warmUp()
	for range rounds {
		m.loop = append(m.loop, r.timeLoop())
		for _, turn := range []struct {
			world *sim.World
			rates *[]float64
		}{{r.fixed, &m.fixed}, {r.drawn, &m.drawn}} {
			*turn.rates = append(*turn.rates, r.timeWorld(turn.world))
		}
	}
	r.run.Ran(r.fixed)
	r.run.Ran(r.drawn)
	for _, c := range r.drawn.Counters().Kinds {
		m.underWay += float64(c.Sent - c.Received)
	}
	before := heap()
	r.drawn = nil
	m.bytes = before - heap()
	runtime.KeepAlive(r)
	return m
}

func (r *race) warmUp() {
	r.turnLoop(r.events)
	for _, w := range []*sim.World{r.fixed, r.drawn} {
		r.turnWorld(w, warmUp)
	}
	runtime.GC()
}

// timeLoop gives the loop a turn and returns its rate.
func (r *race) timeLoop() float64 {
	began := cost.CPU()
	r.turnLoop(r.events)
	return float64(r.events) / (cost.CPU() - began).Seconds()
}

// timeWorld gives a world a turn and returns its rate.
func (r *race) timeWorld(w *sim.World) float64 {
	events, began := w.Counters().Events, cost.CPU()
	r.turnWorld(w, r.round)
	return float64(w.Counters().Events-events) / (cost.CPU() - began).Seconds()
}

func (r *race) turnLoop(events int) {
	r.loop.Run(events)
	r.step++
	r.run.Part(r.step, r.steps)
}

func (r *race) turnWorld(w *sim.World, d time.Duration) {
	r.step++
	r.run.AdvancePart(w, d, r.step-1, r.steps)
}

// heap returns how many bytes live on the heap.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

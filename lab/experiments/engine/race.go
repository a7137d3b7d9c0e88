package engine

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"
	"unsafe"

	"tidings/lab"
	"tidings/lab/cost"
	"tidings/lab/cpu"
	"tidings/lab/stats"
	"tidings/network/engine"
	"tidings/network/sim"
)

// paces is what was measured of worlds of one size, and of the bare loop beside them. Rates are events by second of
// processor time, one for each round.
type paces struct {
	loop, fixed, drawn []float64

	bytes    float64 // of the world with latencies drawn by message
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

// perNode returns the memory that a world needs for each of its n nodes.
func (p paces) perNode(n int) float64 { return p.bytes/float64(n) - float64(pingerBytes) }

// race is a bare loop and two worlds of the same size that alternate, so that a machine that is slow for a while slows
// all of them. It is a stage of a run.
type race struct {
	run          *lab.Run
	loop         *cost.Loop
	events       int // of the loop in a round
	fixed, drawn *sim.World
	round        time.Duration // of the worlds
	step, steps  int           // turns done, and turns in all
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

// measure warms up, and then alternates between all for the given rounds.
func (r *race) measure(rounds int) (m paces) {
	r.warmUp()
	for range rounds {
		m.loop = append(m.loop, r.timeLoop())
		m.fixed = append(m.fixed, r.timeWorld(r.fixed))
		m.drawn = append(m.drawn, r.timeWorld(r.drawn))
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
	r.turnWorld(r.fixed, warmUp)
	r.turnWorld(r.drawn, warmUp)
	runtime.GC()
}

func (r *race) timeLoop() float64 {
	began := cpu.Time()
	r.turnLoop(r.events)
	return float64(r.events) / (cpu.Time() - began).Seconds()
}

func (r *race) timeWorld(w *sim.World) float64 {
	events, began := w.Counters().Events, cpu.Time()
	r.turnWorld(w, r.round)
	return float64(w.Counters().Events-events) / (cpu.Time() - began).Seconds()
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

// ping asks for an answer: a pong at once.
type ping struct{}

// pong answers a ping. The receiver sends its next ping.
type pong struct{}

func (*ping) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }
func (*pong) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 2) }

var pingVocabulary = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "experiment",
	Messages: []engine.MessageType{{Message: new(ping), Class: engine.Update},
		{Message: new(pong), Class: engine.Update}},
}

// pinger is the least protocol that keeps messages flowing: one at a time, to one peer. It fills one cache line and
// makes no messages, so that the world is what is measured.
type pinger struct {
	env  engine.Env
	peer engine.Peer
}

var (
	onlyPing = new(ping)
	onlyPong = new(pong)
)

// pingerBytes is the memory of the protocol itself at a node.
const pingerBytes = unsafe.Sizeof(pinger{})

func (p *pinger) ping() { p.env.Send(p.peer, onlyPing) }

// Receive answers pings, and goes on after pongs.
func (p *pinger) Receive(from engine.Peer, m engine.Message) {
	switch m.(type) {
	case *ping:
		p.env.Send(from, onlyPong)
	case *pong:
		p.ping()
	}
}

// PeerDown is not called: nobody goes down.
func (p *pinger) PeerDown(engine.Peer) {}

// Stop does nothing.
func (p *pinger) Stop() {}

// pingWorld returns a world of n nodes that each ping one other, drawn by chance, and begin within mostLatency.
func pingWorld(seed uint64, n int, latency sim.Latency) *sim.World {
	c := sim.Default(engine.NewCodec(pingVocabulary))
	c.Seed, c.Latency = seed, latency
	w := sim.New(c)
	for i := range n {
		w.Add(engine.IDOf(fmt.Append(nil, "engine node ", i)),
			func(env engine.Env, _ *sim.Disk) engine.Protocol { return &pinger{env: env} })
	}
	for i := range sim.Node(n) {
		w.Boot(i)
		p := w.Protocol(i).(*pinger)
		other := 1 + w.Rand().IntN(n-1)
		p.peer = w.Peer((i + sim.Node(other)) % sim.Node(n))
		w.After(time.Duration(w.Rand().Int64N(int64(mostLatency))), p.ping)
	}
	return w
}

// Bounds of the latencies, and their mean.
const (
	leastLatency = 10 * time.Millisecond
	mostLatency  = 100 * time.Millisecond
	meanLatency  = (leastLatency + mostLatency) / 2
)

// byPair is a latency for each pair of nodes, the same each time.
type byPair struct{}

// Between spreads pairs evenly.
func (byPair) Between(_ *rand.Rand, from, to sim.Node) time.Duration {
	spread := (uint64(from)<<32 | uint64(to)) * 0x9e3779b97f4a7c15 >> 44
	return leastLatency + time.Duration(spread)*(mostLatency-leastLatency)>>20
}

// Steady is true.
func (byPair) Steady() bool { return true }

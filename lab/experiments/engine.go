package experiments

import (
	"fmt"
	"runtime"
	"time"

	"tidings/lab"
	"tidings/lab/cost"
	"tidings/lab/plot"
	"tidings/network/engine"
	"tidings/network/sim"
)

// Engine measures the simulator itself.
var Engine = lab.Experiment[engineSizes]{
	Name:   "engine",
	Title:  "The simulator: message events a second, and bytes a node",
	Source: "The design's aim: 4 million events/s with 100,000 nodes, 2 million with 1,000,000 in 8 GiB",
	About: "Every node sends a ping to one of four peers drawn by chance, waits for the answer, and pings " +
		"the next, so that each has one message under way at all times. Latencies lie between 10 and 100 ms: " +
		"in one world fixed for each pair of nodes, in another drawn for each message, where the simulator " +
		"also has to keep messages in order. Measured are the processor time of the process, after a warm-up, " +
		"and the heap after a collection. Both depend on the machine and on what else it does: the bounds " +
		"are the aim, for a core of a server of the 2020s with nothing else to do.",

	Tiny:  engineSizes{Nodes: []int{50, 200}, For: time.Second},
	Quick: engineSizes{Nodes: []int{10_000, 100_000}, For: 4 * time.Second},
	Paper: engineSizes{Nodes: []int{10_000, 100_000, 1_000_000}, For: 4 * time.Second},

	Expect: expectEngine,
	Run:    runEngine,
}

// engineSizes are the parameters of Engine.
type engineSizes struct {
	Nodes []int         `json:"nodes"`  // of one world after the other
	For   time.Duration `json:"for_ns"` // virtual time that is measured, after as much warm-up as one round trip
}

const (
	fixedRate   = "message events a second, latency by pair"
	drawnRate   = "message events a second, latency by message"
	nodeMemory  = "memory a node beyond the protocol's"
	worldMemory = "memory of the world"
	underWay    = "messages under way at the end"
)

func expectEngine(s engineSizes) []lab.Expected {
	var all []lab.Expected
	for _, n := range s.Nodes {
		all = append(all,
			lab.Expected{Name: sized(fixedRate, n), Unit: "1/s", Within: lab.AtLeast(aimedRate(n)), OfMachine: true},
			lab.Expected{Name: sized(drawnRate, n), Unit: "1/s", Within: lab.AtLeast(aimedRate(n) / 2), OfMachine: true},
			lab.Expected{Name: sized(nodeMemory, n), Unit: "B", Within: lab.AtMost(1000), OfMachine: true},
			lab.Expected{Name: sized(worldMemory, n), Unit: "B", Within: lab.AtMost(8 << 30), OfMachine: true},
			lab.Expected{Name: sized(underWay, n), Unit: "messages", Within: lab.Exactly(float64(n)), Worst: true},
		)
	}
	return all
}

// aimedRate is the least events a second that a world of n nodes should do.
func aimedRate(n int) float64 {
	if n > 100_000 {
		return 2e6
	}
	return 4e6
}

func runEngine(run *lab.Run, s engineSizes) error {
	fixed, drawn := plot.Series{Label: "latency fixed by pair"}, plot.Series{Label: "latency drawn for each message"}
	memory := plot.Series{Label: "here"}
	var aims []plot.Point
	total := 0
	for _, n := range s.Nodes {
		total += n
	}
	for _, n := range s.Nodes {
		run.Stage(count(n)+" nodes", float64(n)/float64(total))
		steady, err := measurePings(run, n, s.For, byPair{}, 0)
		if err != nil {
			return err
		}
		changing, err := measurePings(run, n, s.For, sim.Uniform{Min: leastLatency, Max: mostLatency}, 1)
		if err != nil {
			return err
		}
		x := float64(n)
		perNode := changing.bytes/x - float64(pingerBytes)
		run.Figure(sized(fixedRate, n), steady.rate)
		run.Figure(sized(drawnRate, n), changing.rate)
		run.Figure(sized(nodeMemory, n), perNode)
		run.Figure(sized(worldMemory, n), changing.bytes)
		run.Figure(sized(underWay, n), changing.underWay)
		fixed.Points = append(fixed.Points, plot.Point{X: x, Y: steady.rate})
		drawn.Points = append(drawn.Points, plot.Point{X: x, Y: changing.rate})
		memory.Points = append(memory.Points, plot.Point{X: x, Y: perNode})
		aims = append(aims, plot.Point{X: x, Y: aimedRate(n)})
	}
	nodes := plot.Axis{Label: "nodes", Log: true}
	run.Plot(plot.Plot{
		Name: "speed", Title: "Message events a second of processor time", OfMachine: true,
		Caption: fmt.Sprintf("Every node has one ping or answer under way; %v of virtual time.", s.For),
		X:       nodes, Y: plot.Axis{Label: "message events", Unit: "1/s"},
		Series: []plot.Series{fixed, drawn}, Said: []plot.Reference{plot.Curve("aim", aims...)},
	})
	run.Plot(plot.Plot{
		Name: "memory", Title: "Memory a node, beyond the protocol's own", OfMachine: true,
		Caption: "Heap after a collection, of the world with its nodes and the messages under way, less what the protocol keeps.",
		X:       nodes, Y: plot.Axis{Label: "heap", Unit: "B/node"},
		Series: []plot.Series{memory}, Said: []plot.Reference{plot.Level("bound: 1,000 B", 1000)},
	})
	return nil
}

// pings is what was measured of one world.
type pings struct{ rate, bytes, underWay float64 }

// warmUp is how long worlds run before they are measured: longer than any message travels.
const warmUp = 2 * mostLatency

// measurePings runs one world as the half-th half of the present stage.
func measurePings(run *lab.Run, n int, d time.Duration, latency sim.Latency, half int) (m pings, err error) {
	before := heap()
	w := pingWorld(run.Seed(), n, latency)
	if err := run.AdvancePart(w, warmUp, 2*half, 4); err != nil {
		return m, err
	}
	runtime.GC()
	events, began := w.Counters().Events, cost.CPU()
	if err := run.AdvancePart(w, d, 2*half+1, 4); err != nil {
		return m, err
	}
	m.rate = float64(w.Counters().Events-events) / (cost.CPU() - began).Seconds()
	m.bytes = heap() - before
	run.Ran(w)
	for _, c := range w.Counters().Kinds {
		m.underWay += float64(c.Sent - c.Received)
	}
	return m, nil
}

// pingWorld returns a world whose nodes have all sent their first ping.
func pingWorld(seed uint64, n int, latency sim.Latency) *sim.World {
	c := sim.Default(engine.NewCodec(pingVocabulary))
	c.Seed, c.Latency = seed, latency
	w := sim.New(c)
	for i := range n {
		w.Add(engine.IDOf(fmt.Append(nil, "engine node ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			p := &pinger{env: env}
			for j := range p.peers {
				p.peers[j] = w.Peer(sim.Node(w.Rand().IntN(n)))
			}
			p.next()
			return p
		})
	}
	for i := range n {
		w.Boot(sim.Node(i))
	}
	return w
}

// heap returns how many bytes live on the heap.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

package experiments

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
)

// Engine measures the simulator itself.
var Engine = lab.Experiment[engineSizes]{
	Name:   "engine",
	Title:  "The simulator: message events a second, and bytes a node",
	Source: "The design's aim: 4 million events/s with 100,000 nodes, 2 million with 1,000,000 in 8 GiB",
	About: "Every node pings one other, drawn by chance, again and again, so that each has one ping or answer " +
		"under way at all times; the protocol is so small that what is measured is the world. Latencies lie " +
		"between 10 and 100 ms: in one world fixed for each pair of nodes, in another drawn for each message, " +
		"where the simulator also has to keep messages in order. Events are counted by processor time, the garbage " +
		"collector's included, after a warm-up; the median of the rounds is told. Machines differ several times in " +
		"that, so it is not judged. Judged is the ratio to a bare event loop, the same pings over a 4-ary heap with " +
		"no simulator around it, which takes turns with the worlds in the same process: median over the rounds. The " +
		"machine that the aim was written for did 5.1 million events a second of such a loop with 100,000 nodes and " +
		"1.8 million with 1,000,000, so the aim is 0.78 and 1.11 of it. Of latencies drawn by message half of that " +
		"is asked. There is no aim for fewer nodes, which the processor's cache holds. Memory is the heap that a world " +
		"leaves free when it is gone.",

	Tiny:  engineSizes{Nodes: []int{50, 200}, Rounds: 2, Events: 2000},
	Quick: engineSizes{Nodes: []int{10_000, 100_000}, Rounds: 5, Events: 1_000_000},
	Paper: engineSizes{Nodes: []int{10_000, 100_000, 1_000_000}, Rounds: 7, Events: 2_000_000},

	Words:  wording.Engine,
	Expect: expectEngine,
	Run:    runEngine,
}

// engineSizes are the parameters of Engine.
type engineSizes struct {
	Nodes  []int `json:"nodes"`  // of one world after the other
	Rounds int   `json:"rounds"` // in which the loop and the worlds take turns
	Events int   `json:"events"` // of each of them in a round, about
}

// perRound returns the virtual time in which a world of n nodes has the events of a round.
func (s engineSizes) perRound(n int) time.Duration {
	return meanLatency * time.Duration(s.Events) / time.Duration(n)
}

const (
	loopRate    = "message events a second, bare event loop"
	fixedRate   = "message events a second, latency by pair"
	drawnRate   = "message events a second, latency by message"
	fixedRatio  = "ratio to a bare event loop, latency by pair"
	drawnRatio  = "ratio to a bare event loop, latency by message"
	nodeMemory  = "memory a node beyond the protocol's"
	worldMemory = "memory of the world"
	underWay    = "messages under way at the end"
)

// aim is what a world should do on the machine that the aim was written for, and what a bare
// event loop did there, in events a second.
type aim struct{ world, loop float64 }

func (a aim) ratio() float64 { return a.world / a.loop }

// aimOf returns the aim for n nodes; nil: there is none.
func aimOf(n int) *aim {
	switch {
	case n >= 1_000_000:
		return &aim{world: 2e6, loop: 1.8e6}
	case n >= 100_000:
		return &aim{world: 4e6, loop: 5.1e6}
	}
	return nil
}

func expectEngine(s engineSizes) (all []lab.Expected) {
	for _, n := range s.Nodes {
		all = append(all, expectPace(n)...)
		all = append(all,
			lab.Expected{Name: sized(nodeMemory, n), Unit: "B", Within: lab.AtMost(1000), OfMachine: true},
			lab.Expected{Name: sized(worldMemory, n), Unit: "B", Within: lab.AtMost(8 << 30), OfMachine: true},
			lab.Expected{Name: sized(underWay, n), Unit: "messages", Within: lab.Exactly(float64(n)), Worst: true},
		)
	}
	return all
}

// expectPace returns the figures of speed, of which only ratios are judged.
func expectPace(n int) []lab.Expected {
	told := func(name, unit string) lab.Expected {
		return lab.Expected{Name: sized(name, n), Unit: unit, Aside: true, OfMachine: true}
	}
	loop, fixed, drawn := told(loopRate, "1/s"), told(fixedRate, "1/s"), told(drawnRate, "1/s")
	byFixed, byDrawn := told(fixedRatio, ""), told(drawnRatio, "")
	if a := aimOf(n); a != nil {
		loop.Paper, fixed.Paper, byFixed.Paper = new(a.loop), new(a.world), new(a.ratio())
		byFixed.Aside, byFixed.Within = false, lab.AtLeast(a.ratio())
		byDrawn.Aside, byDrawn.Within = false, lab.AtLeast(a.ratio()/2)
	}
	return []lab.Expected{loop, fixed, drawn, byFixed, byDrawn}
}

func runEngine(run *lab.Run, s engineSizes) error {
	total := 0
	for _, n := range s.Nodes {
		total += n
	}
	all := make([]paces, len(s.Nodes))
	for i, n := range s.Nodes {
		run.Stage(count(n)+" nodes", float64(n)/float64(total))
		m, err := newRace(run, s, n).measure(s.Rounds)
		if err != nil {
			return err
		}
		run.Figure(sized(loopRate, n), median(m.loop))
		run.Figure(sized(fixedRate, n), median(m.fixed))
		run.Figure(sized(drawnRate, n), median(m.drawn))
		run.Figure(sized(fixedRatio, n), median(ratios(m.fixed, m.loop)))
		run.Figure(sized(drawnRatio, n), median(ratios(m.drawn, m.loop)))
		run.Figure(sized(nodeMemory, n), m.perNode(n))
		run.Figure(sized(worldMemory, n), m.bytes)
		run.Figure(sized(underWay, n), m.underWay)
		all[i] = m
	}
	plotEngine(run, s, all)
	return nil
}

package campaign

import "time"

// Entry is a line of a log: a world that was run to its end.
type Entry struct {
	Seed     uint64    `json:"seed"`
	Drawn    Drawn     `json:"drawn"`
	Seconds  float64   `json:"seconds"`
	CPU      float64   `json:"cpu_seconds"` // of the thread that ran it
	Events   uint64    `json:"events"`
	Virtual  Seconds   `json:"virtual"`
	Quiet    Seconds   `json:"quiet"` // how long after healing nodes were at rest
	Hash     uint64    `json:"trace_hash"`
	Result   string    `json:"result"`            // passed, failed or bounded
	Bounded  string    `json:"bounded,omitempty"` // why it was not judged to its end
	Failures []Failure `json:"failures,omitempty"`
	Scene    string    `json:"scene,omitempty"` // the file of the failing world, shrunk
}

// The results.
const (
	Passed  = "passed"
	Failed  = "failed"
	Bounded = "bounded" // nothing failed until a run had as many events as it may have
)

// Drawn says what a world was like. All of it follows from the seed.
type Drawn struct {
	Nodes    int          `json:"nodes"`
	Late     int          `json:"late,omitempty"`
	Private  bool         `json:"private,omitempty"`
	Router   string       `json:"router"`
	Policy   string       `json:"policy"`
	Latency  string       `json:"latency"`
	Interval Seconds      `json:"interval"`
	Storm    Seconds      `json:"storm"`
	Channels int          `json:"channels"`
	Readers  int          `json:"readers"` // of all channels
	Fastest  Seconds      `json:"fastest"` // of the channels: the mean time between two changes
	Faults   map[Kind]int `json:"faults"`
	Cut      []string     `json:"cut,omitempty"` // what would have run too long

	Publishers int `json:"publishers,omitempty"`
}

func drawnOf(w *World) Drawn {
	d := Drawn{
		Nodes: w.Nodes, Late: w.Late, Private: w.Private, Router: w.Router, Policy: w.Policy, Latency: w.Latency,
		Cut: w.Cut, Interval: w.Interval, Storm: w.Storm, Channels: len(w.Channels), Faults: make(map[Kind]int),
		Fastest:    w.Channels[0].Every,
		Publishers: len(w.Publishers),
	}
	for _, c := range w.Channels {
		d.Readers += c.Readers
		d.Fastest = min(d.Fastest, c.Every)
	}
	for _, f := range w.Faults {
		d.Faults[f.Kind]++
	}
	return d
}

func entryOf(w *World, o *Outcome, elapsed, cpu time.Duration) Entry {
	e := Entry{
		Seed: w.Seed, Drawn: drawnOf(w), Seconds: elapsed.Seconds(), CPU: cpu.Seconds(), Events: o.Events,
		Virtual: o.Virtual, Hash: o.Hash, Quiet: o.Quiet,
		Bounded: o.Bounded, Failures: o.Failures, Result: Passed,
	}
	switch {
	case len(o.Failures) > 0:
		e.Result = Failed
	case o.Bounded != "":
		e.Result = Bounded
	}
	return e
}

package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tidings/network"
	"tidings/network/honeycomb"
	"tidings/network/sim"
)

// World says what is simulated. It is data: what it does not say follows from its seed.
type World struct {
	Seed uint64 `json:"seed"` // of all chance in the run

	Nodes int `json:"nodes"`
	// with newswire: how many nodes are in a zone, about; 0: all are in the root
	Zoned   int  `json:"zoned,omitempty"`
	Late    int  `json:"late,omitempty"`    // of these, how many only join when a fault of the kind Join says so
	Private bool `json:"private,omitempty"` // seven of ten nodes are private
	Wire    bool `json:"wire,omitempty"`    // messages pass through the codec
	Upkeep  int  `json:"upkeep"`            // by how much rarer than by default nodes look after the ring

	Router     string  `json:"router"`
	DirectUpTo int     `json:"direct_up_to"` // corona.Config's
	Policy     string  `json:"policy"`
	Interval   Seconds `json:"interval"` // between polls
	Witnesses  int     `json:"witnesses"`
	Ceiling    int     `json:"ceiling"` // requests of a host in an interval; 0: without bound
	Latency    string  `json:"latency"`

	Channels   []Channel   `json:"channels"`
	Publishers []Publisher `json:"publishers,omitempty"`

	Storm  Seconds `json:"storm"` // how long the first phase lasts
	Calm   Seconds `json:"calm"`  // how long origins change in the second phase
	Faults []Fault `json:"faults"`

	// Cut lists what was drawn larger, and would have run too long.
	Cut []string `json:"cut,omitempty"`

	// MaxEvents ends the run without a verdict on the rest.
	MaxEvents uint64 `json:"max_events"`
}

// Channel is a feed with its readers.
type Channel struct {
	Host    int     `json:"host"`    // the number of its origin
	Readers int     `json:"readers"` // nodes that follow it: see World.readers
	Every   Seconds `json:"every"`   // the mean time between two changes
}

// Seconds is a length of time that is written as people do.
type Seconds time.Duration

// D returns it as a duration.
func (s Seconds) D() time.Duration { return time.Duration(s) }

// MarshalText writes "1m30s".
func (s Seconds) MarshalText() ([]byte, error) { return []byte(s.D().String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Seconds) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no length of time", text)
	}
	*s = Seconds(d)
	return nil
}

// Bounds of a world.
const (
	MinNodes, MaxNodes = 8, 5000 // eight are the least in which witnesses are asked: docs/network.md
	maxChannels        = 1000
	maxPublishers      = 16
	maxFaults          = 10_000
	maxPhase           = 6 * time.Hour
	maxScene           = 1 << 20 // bytes of its text
	minInterval        = time.Minute
)

// Latencies are the names of how long messages can be under way.
const (
	constant  = "constant"
	uniform   = "uniform"
	planetlab = "planetlab"
)

// Validate returns what is wrong with w.
func (w *World) Validate() error {
	router, err := network.ParseRouter(w.Router)
	if err != nil {
		return err
	}
	if _, err := honeycomb.ParsePolicy(w.Policy); err != nil {
		return err
	}
	switch {
	case router == network.Direct && w.DirectUpTo != 0:
		return errors.New("direct_up_to without a router")
	case w.Nodes < MinNodes || w.Nodes > MaxNodes:
		return fmt.Errorf("a world has %d to %d nodes, not %d", MinNodes, MaxNodes, w.Nodes)
	case w.Zoned < 0 || w.Zoned == 0 && router == network.NewsWire && w.Nodes > mostInZone:
		return fmt.Errorf("%d nodes are more than a zone has: zoned says into how large ones they are divided", w.Nodes)
	case w.Late < 0 || w.Late > w.Nodes-MinNodes/2:
		return fmt.Errorf("%d of %d nodes cannot join late", w.Late, w.Nodes)
	case len(w.Channels) == 0 || len(w.Channels) > maxChannels:
		return fmt.Errorf("a world has 1 to %d channels, not %d", maxChannels, len(w.Channels))
	case len(w.Publishers) > maxPublishers:
		return fmt.Errorf("a world has at most %d publishers, not %d", maxPublishers, len(w.Publishers))
	case len(w.Faults) > maxFaults:
		return fmt.Errorf("a world has at most %d faults, not %d", maxFaults, len(w.Faults))
	case w.Interval.D() < minInterval || w.Interval.D() > maxPhase:
		return fmt.Errorf("an interval lies between %v and %v, which %v does not", minInterval, maxPhase,
			w.Interval.D())
	case w.Storm < 0 || w.Storm.D() > maxPhase || w.Calm < 0 || w.Calm.D() > maxPhase:
		return fmt.Errorf("a phase lasts %v at most", maxPhase)
	case w.Upkeep < 1 || w.Upkeep > 8:
		return fmt.Errorf("an upkeep lies between 1 and 8, which %d does not", w.Upkeep)
	case w.Witnesses < 0 || w.Witnesses > 8 || w.Ceiling < 0:
		return errors.New("too few or too many witnesses, or a ceiling below zero")
	case w.Latency != constant && w.Latency != uniform && w.Latency != planetlab:
		return fmt.Errorf("there is no latency %q: write %s, %s or %s", w.Latency, constant, uniform, planetlab)
	}
	for i, c := range w.Channels {
		if c.Readers < 1 || c.Readers > w.Nodes || c.Every.D() < time.Second || c.Host < 0 {
			return fmt.Errorf("channel %d: it has %d readers and changes every %v", i, c.Readers, c.Every.D())
		}
	}
	liars := w.liars()
	for i, p := range w.Publishers {
		if p.Node < 0 || p.Node >= w.Nodes-w.Late || p.Readers < 1 || p.Readers >= w.Nodes ||
			p.Every.D() < time.Second || liars[sim.Node(p.Node)] {
			return fmt.Errorf("publisher %d: at node %d, with %d readers, every %v", i, p.Node, p.Readers, p.Every.D())
		}
	}
	for _, f := range w.Faults {
		if err := f.validate(w); err != nil {
			return fmt.Errorf("fault %v: %w", f, err)
		}
	}
	return nil
}

// Scene writes the world as text that Parse reads: JSON, with a line for each fault.
func (w *World) Scene() []byte {
	text, err := json.MarshalIndent(w, "", "  ")
	if err != nil {
		panic(err) // all of it can be written
	}
	return append(text, '\n')
}

// Parse reads a world.
func Parse(text []byte) (*World, error) {
	if len(text) > maxScene {
		return nil, fmt.Errorf("a scene of %d bytes, at most %d", len(text), maxScene)
	}
	w := new(World)
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("reading a scene: %w", err)
	}
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("reading a scene: %w", err)
	}
	return w, nil
}

// clone returns a copy that shares nothing.
func (w *World) clone() *World {
	c := *w
	c.Channels = append([]Channel(nil), w.Channels...)
	c.Publishers = append([]Publisher(nil), w.Publishers...)
	c.Faults = append([]Fault(nil), w.Faults...)
	return &c
}

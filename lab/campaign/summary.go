package campaign

import (
	"cmp"
	"maps"
	"slices"
)

// Summary says what a campaign was.
type Summary struct {
	Worlds   int            `json:"worlds"`
	Failed   int            `json:"failed"`
	Bounded  int            `json:"bounded"`
	CPU      float64        `json:"cpu_seconds"`
	Events   uint64         `json:"events"`
	Quiet    int            `json:"quiet"` // worlds at rest a minute after healing
	Routers  []Counted      `json:"routers"`
	Sizes    []Counted      `json:"sizes"`
	Kinds    []Counted      `json:"kinds"`
	Oracles  map[string]int `json:"oracles"` // worlds in which each failed
	Failures []Entry        `json:"failures"`
}

// Counted counts worlds.
type Counted struct {
	Name   string `json:"name"`
	Worlds int    `json:"worlds"`
	Faults int    `json:"faults,omitempty"` // of a kind
	Failed int    `json:"failed"`
}

// sizeNames are the classes of sizes, by the most nodes.
var sizeNames = []struct {
	most int
	name string
}{{15, "8-15"}, {39, "16-39"}, {99, "40-99"}, {399, "100-399"}, {999, "400-999"}, {MaxNodes, "1000-5000"}}

// Summarize counts what is in a log.
func Summarize(entries []Entry) Summary {
	s := Summary{Oracles: make(map[string]int)}
	routers, sizes, kinds := make(map[string]*Counted), make(map[string]*Counted), make(map[string]*Counted)
	for _, e := range entries {
		failed := 0
		switch e.Result {
		case Failed:
			failed = 1
			s.Failures = append(s.Failures, e)
			for _, f := range e.Failures {
				s.Oracles[f.Oracle]++
			}
		case Bounded:
			s.Bounded++
		}
		s.Worlds++
		if e.Quiet.D() == quietAfter {
			s.Quiet++
		}
		s.Failed += failed
		s.CPU += e.CPU
		s.Events += e.Events
		count(routers, e.Drawn.Router, 0, failed)
		i := slices.IndexFunc(sizeNames, func(c struct {
			most int
			name string
		}) bool {
			return e.Drawn.Nodes <= c.most
		})
		count(sizes, sizeNames[max(i, 0)].name, 0, failed)
		for k, faults := range e.Drawn.Faults {
			count(kinds, string(k), faults, failed)
		}
		if len(e.Drawn.Faults) == 0 {
			count(kinds, "none", 0, failed)
		}
		if e.Drawn.Private {
			count(kinds, "private nodes", 0, failed)
		}
	}
	s.Routers, s.Kinds = sorted(routers), sorted(kinds)
	for _, c := range sizeNames {
		if n := sizes[c.name]; n != nil {
			s.Sizes = append(s.Sizes, *n)
		}
	}
	return s
}

func count(in map[string]*Counted, name string, faults, failed int) {
	c := in[name]
	if c == nil {
		c = &Counted{Name: name}
		in[name] = c
	}
	c.Worlds++
	c.Faults += faults
	c.Failed += failed
}

func sorted(in map[string]*Counted) (all []Counted) {
	for _, name := range slices.SortedFunc(maps.Keys(in), cmp.Compare[string]) {
		all = append(all, *in[name])
	}
	return all
}

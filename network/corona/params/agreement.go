package params

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// Agreement is the settings that must be the same at all nodes of a network for their plans to fit. The fields are
// those of corona.Config.
type Agreement struct {
	Policy                honeycomb.Policy
	Interval, Maintenance time.Duration
	HostCeiling           int
	Volunteers            bool
	Router                network.RouterName
}

// sum orders agreements that were set at the same time.
func (a Agreement) sum() engine.ID { return engine.IDOf(fmt.Append(nil, a)) }

// answer is the answer of one node.
type answer struct {
	by      engine.ID
	uses    Agreement
	since   uint64 // when that was set, in milliseconds since 1970, by the setter's calendar
	settled bool
}

// group is the settled nodes with the same settings.
type group struct {
	uses  Agreement
	since []uint64 // of each, sorted; never empty
}

// age returns when the agreement was set, by the median of its nodes.
func (g *group) age() uint64 { return g.since[len(g.since)/2] }

// order compares two groups without a majority: below zero, g holds.
func (g *group) order(h *group) int {
	return cmp.Or(cmp.Compare(g.age(), h.age()), g.uses.sum().Compare(h.uses.sum()))
}

// holding returns the group that holds: a majority of the settled nodes, or the older one of the two largest groups. It
// returns nil if no node is settled.
func holding(answers []answer) *group {
	var groups []group
	total := 0
	for _, a := range answers {
		if !a.settled {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.uses == a.uses })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{uses: a.uses})
		}
		groups[i].since = append(groups[i].since, a.since)
		total++
	}
	if len(groups) == 0 {
		return nil
	}
	for i := range groups {
		slices.Sort(groups[i].since)
	}
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(len(b.since), len(a.since)),
			a.order(&b))
	})
	if len(groups) > 1 && 2*len(groups[0].since) <= total && groups[1].order(&groups[0]) < 0 {
		return &groups[1]
	}
	return &groups[0]
}

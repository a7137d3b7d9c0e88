package corona

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/stats"
	"tidings/network/corona"
	"tidings/network/corona/budget"
	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/engine"
	"tidings/network/honeycomb"
	"tidings/network/sim"
)

// A host has a few readers. Attackers have made ten nodes: nine beside the host's key, which is not worth anything, and
// one beside its channel's ID, which is the primary of that.
const (
	groundNodes   = 60 // of all, the liars included
	groundOwners  = 9
	groundReaders = 6
	groundSettle  = 2 * time.Hour
	groundFor     = 2 * time.Hour // of lying, that is measured
	groundPause   = time.Second   // before each interval, for orders to come
)

// measureGround returns how many requests the host receives while all nodes are ordered to poll it, for each that its
// readers would send.
func measureGround(run *lab.Run) float64 {
	config := corona.Default()
	s := sizes{
		Nodes: groundNodes - groundOwners - 1, Channels: 1, Subscriptions: groundReaders, Homes: groundReaders,
		Upkeep: 1, Hosts: 1, Probes: 1,
		Settle: groundSettle, For: groundSettle + groundFor,
	}
	w := newRow(run, newWorkload(run.Seed(), s), s, config, honeycomb.Policy{})
	w.signs = true
	c := w.work.channels[0]
	var owners []sim.Node
	for i := range byte(groundOwners) {
		owners = append(owners, w.AddNode(beside(budget.HostKey(c.URL), 1+i)))
	}
	primary := w.AddNode(beside(c.ID, 1))
	w.first = append(w.first, append(slices.Clone(owners), primary)...)
	honest := w.Start
	w.Start = func(n sim.Node, env engine.Env) engine.Protocol {
		if n == primary {
			env = unsummed{env}
		}
		return honest(n, env)
	}
	w.subscribe()
	for at := groundSettle; at < s.For; at += config.Interval {
		w.After(at-groundPause, func() { w.orderAll(c, primary) })
	}
	w.live()
	return stats.Share(w.perChannel(), groundReaders)
}

// unsummed is the Env of a node that does not list which of its assignments hold, so that its made-up ones are not
// undone.
type unsummed struct{ engine.Env }

func (u unsummed) Send(to engine.Peer, m engine.Message) {
	if _, sums := m.(*plan.MaintenanceDigest); !sums {
		u.Env.Send(to, m)
	}
}

// beside returns an ID that hardly any other is closer to.
func beside(key engine.ID, by byte) engine.ID {
	key[len(key)-1] ^= by
	return key
}

// orderAll makes a channel's primary order all of the ring to poll it, each node at its own moment of an interval.
func (r *row) orderAll(c corona.Channel, primary sim.Node) {
	a := plan.Assignment{Channel: c.ID, URL: c.URL, Term: uint32(r.Wall(primary).Unix()), Width: 1000}
	r.Do(primary, func(p engine.Protocol) {
		for to := range r.sizes.Nodes {
			a.Start = machine.InMillis(groundPause + r.config.Interval*time.Duration(to)/time.Duration(r.sizes.Nodes))
			p.(*node).env.Send(r.Peer(sim.Node(to)), &plan.Maintenance{Assignments: []plan.Assignment{a}})
		}
	})
}

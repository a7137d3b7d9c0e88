package trees

import (
	"slices"
	"time"

	"tidings/network/sim"
)

// atRest is what was measured of trees in a network without faults.
type atRest struct {
	fromRoot, fromPublisher penalty

	entries []float64 // by node: children in all groups
	tables  []float64 // by node: groups in which it has children
	widest  float64   // most children that a node has in one group, without those that it is handing down
	groups  float64   // in which a node is, on average

	delivery outcome
	sent     load // of the events
	direct   load // if publishers sent them to each member
}

// trees grows groups and has an event published in each, once its publisher knows the roots.
func (g *scribeWorld) trees(s scribeSizes, atPublishers bool) *atRest {
	w := new(atRest)
	g.GrowBy(g.AddNodes(s.Nodes), s.Settle, 0.6)
	g.form(s.Groups, s.Least, atPublishers)
	g.Run.Stage("groups", 0.2)
	g.Run.Advance(g.World, treesTake)
	g.measureState(w)
	g.Run.Stage("events", 0.2)
	var measured []*published
	for i := range g.groups {
		first := g.notes.publish(i, atPublishers)
		g.After(time.Minute, func() { measured = append(measured, g.notes.repeat(first)) })
	}
	g.Run.AdvancePart(g.World, 59*time.Second, 0, 2)
	g.notes.count()
	g.Run.AdvancePart(g.World, 2*time.Minute, 1, 2)
	for _, p := range measured {
		w.fromRoot.add(g, p, p.root, p.begun)
		w.fromPublisher.add(g, p, p.by, 0)
	}
	w.delivery = g.notes.outcome(measured)
	for _, list := range [][]float64{w.fromRoot.rad, w.fromRoot.rmd, w.entries} {
		slices.Sort(list)
	}
	w.sent, w.direct = g.loadOf(g.notes.copies), g.direct(measured)
	g.Run.Ran(g.World)
	return w
}

// treesTake is how long trees grow before events are published.
const treesTake = time.Minute

// repeat has the publisher of an event publish another one, and watches when the root has it.
func (s *notes) repeat(first *published) *published {
	g := s.world
	p := &published{
		group: first.group, by: first.by, root: g.rootOf(first.group), at: g.Now(), due: first.due,
		came: make(map[sim.Node]time.Duration),
	}
	s.watched[g.names[first.group]] = p
	s.send(p)
	return p
}

// penalty is by group the mean and the greatest delay of an event, as multiples of those of direct sends. These are the
// paper's RAD and RMD, but with direct sends instead of multicast by routers, from which they differ in load and not in
// delay.
type penalty struct{ rad, rmd []float64 }

// add adds an event's, from a node that had it after a time.
func (d *penalty) add(g *scribeWorld, p *published, from sim.Node, begun time.Duration) {
	var sum, direct, most, mostDirect time.Duration
	for _, to := range p.due {
		if to.node == p.by || to.node == from {
			continue
		}
		straight := g.latency.Between(nil, from, to.node)
		sum += p.came[to.node] - begun
		direct += straight
		most, mostDirect = max(most, p.came[to.node]-begun), max(mostDirect, straight)
	}
	if direct > 0 {
		d.rad = append(d.rad, float64(sum)/float64(direct))
		d.rmd = append(d.rmd, float64(most)/float64(mostDirect))
	}
}

func (g *scribeWorld) measureState(w *atRest) {
	for _, n := range slices.Sorted(slices.Values(g.Live)) {
		entries, tables, groups := 0, 0, 0
		for _, name := range g.names {
			p, in := g.at(n).scribe.Place(name)
			if !in {
				continue
			}
			groups++
			if entries += len(p.Children); len(p.Children) > 0 {
				tables++
			}
			w.widest = max(w.widest, float64(len(p.Children)-p.Leaving))
		}
		w.entries, w.tables = append(w.entries, float64(entries)), append(w.tables, float64(tables))
		w.groups += float64(groups) / float64(len(g.Live))
	}
}

// load is how copies of events are spread over nodes and over pairs of sites.
type load struct {
	copies  int
	node    int     // at the node that sends most
	pair    int     // over the pair of sites over which most go
	perPair float64 // over the pairs that are used, on average
}

// direct returns how the same events would be spread if publishers sent them to each member.
func (g *scribeWorld) direct(events []*published) load {
	copies := make(map[hop]int)
	for _, p := range events {
		for _, d := range p.due {
			if d.node != p.by {
				copies[hop{p.by, d.node}]++
			}
		}
	}
	return g.loadOf(copies)
}

func (g *scribeWorld) loadOf(copies map[hop]int) (l load) {
	nodes, pairs := make(map[sim.Node]int), make(map[[2]int]int)
	for h, n := range copies {
		l.copies += n
		nodes[h.from] += n
		pairs[[2]int{g.latency.Site(h.from), g.latency.Site(h.to)}] += n
	}
	for _, n := range nodes {
		l.node = max(l.node, n)
	}
	for _, n := range pairs {
		l.pair = max(l.pair, n)
	}
	l.perPair = float64(l.copies) / float64(max(len(pairs), 1))
	return l
}

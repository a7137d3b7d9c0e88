package trees

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/latency"
)

// contest is how one feed's readers have an update by Rappel and by Scribe, on the same latencies (figure 10a).
type contest struct {
	nodes     int
	ours      delivery
	scribes   []float64 // seconds, ascending
	outsiders int       // that Scribe sends the update to
}

// run measures both in worlds of so many nodes: the first is the publisher and the next are the readers.
func (c *contest) run(part *lab.Run, there testnet.Sites, nodes, among int, length time.Duration) {
	part.Stage("beside Scribe", 1)
	c.nodes = nodes
	subscriptions := append(slices.Repeat([][]int{{0}}, among), make([][]int, nodes-1-among)...)
	w := newFeedsWorld(part, feedsSetting{Sites: there, config: rappel.Default(), subscriptions: subscriptions,
		feeds: 1})
	w.open(w.all(), length/6)
	part.AdvancePart(w.World, length, 0, 2)
	w.publish(0)
	part.Pass(w.World, lateAtMostPull+time.Second)
	c.ours = w.total()
	part.Ran(w.World)
	g := newScribeWorld(part, there.Latency.(*latency.Matrix), scribe.Default())
	g.GrowBy(g.AddNodes(nodes), time.Minute, 0.4)
	members := make([]sim.Node, among+1)
	for i := range members {
		members[i] = sim.Node(i)
	}
	g.add(members, true)
	p := g.published()
	c.scribes = g.notes.outcome(p).delays
	c.outsiders = len(g.outsiders(p))
	part.Ran(g.World)
}

// published publishes an event at the first member of each group when trees have grown, and returns the events when
// they have come.
func (g *scribeWorld) published() (all []*published) {
	g.Run.Pass(g.World, 2*treesTake)
	g.notes.count()
	for i := range g.groups {
		all = append(all, g.notes.publish(i, true))
	}
	g.Run.Pass(g.World, 2*time.Minute)
	return all
}

// outsiders returns the nodes that were sent events and are no members of any group.
func (g *scribeWorld) outsiders(all []*published) map[sim.Node]bool {
	in := make(map[sim.Node]bool)
	for _, p := range all {
		for _, d := range p.due {
			in[d.node] = true
		}
	}
	out := make(map[sim.Node]bool)
	for h := range g.notes.copies {
		if !in[h.to] {
			out[h.to] = true
		}
	}
	return out
}

// imbalance is what nodes have to do in Scribe for one update of each feed (figure 10b).
type imbalance struct {
	wanted, data []float64 // by reader: feeds, and messages with updates
	noisy        float64   // share of the nodes that are sent some of other feeds
	idle         float64   // share of the readers that send none
}

func (b *imbalance) run(part *lab.Run, there testnet.Sites, subscriptions [][]int, feeds int) {
	part.Stage("Scribe's load", 1)
	g := newScribeWorld(part, there.Latency.(*latency.Matrix), scribe.Default())
	g.GrowBy(g.AddNodes(feeds+len(subscriptions)), time.Minute, 0.6)
	for feed, readers := range testnet.ReadersOf(subscriptions, feeds) {
		members := []sim.Node{sim.Node(feed)}
		for _, r := range readers {
			members = append(members, sim.Node(feeds+r))
		}
		g.add(members, true)
	}
	data, sent, noisy := make([]float64, g.Len()), make([]bool, g.Len()), make(map[sim.Node]bool)
	g.Tap(func(p sim.Delivery) {
		carrier, is := p.Message.(engine.Carrier)
		if !is || p.Fate > sim.Received {
			return
		}
		event, is := carrier.Carried().(*testnet.Note)
		if !is {
			return
		}
		n := p.From
		if p.Fate == sim.Received {
			if n = p.To; !slices.Contains(g.joined[n], g.notes.all[event.Number-1].group) {
				noisy[n] = true
			}
		} else {
			sent[n] = true
		}
		data[n]++
	})
	g.published()
	for r, wants := range subscriptions {
		b.wanted, b.data = append(b.wanted, float64(len(wants))), append(b.data, data[feeds+r])
		if !sent[feeds+r] {
			b.idle += 1 / float64(len(subscriptions))
		}
	}
	b.noisy = float64(len(noisy)) / float64(g.Len())
	part.Ran(g.World)
}

package experiments

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/network/engine"
	"tidings/network/rappel"
	"tidings/network/scribe"
	"tidings/network/sim"
)

// contest is how one feed's readers have an update by Rappel and by Scribe, on the same latencies (figure 10a).
type contest struct {
	nodes          int
	ours, scribes  []float64 // seconds, ascending
	outsiders      int       // that Scribe sends the update to
	noise, ourLost int
}

// run measures both in worlds of so many nodes, of which the first is the publisher and the next are the readers.
func (c *contest) run(part *lab.Run, there places, nodes, among int, length time.Duration) error {
	part.Stage("beside Scribe", 1)
	c.nodes = nodes
	subscriptions := make1(among)
	for len(subscriptions) < nodes-1 {
		subscriptions = append(subscriptions, nil)
	}
	w := newFeedsWorld(part, feedsSetting{places: there, config: rappel.Default(), subscriptions: subscriptions, feeds: 1})
	w.open(w.all(), length/6)
	if err := part.AdvancePart(w.World, length, 0, 2); err != nil {
		return err
	}
	d := []*feedNote{w.publish(0)}
	if err := part.Pass(w.World, lateAtMostPull+time.Second); err != nil {
		return err
	}
	out := w.outcome(d, nil)
	c.ours, c.noise, c.ourLost = out.seconds, w.noises(), out.lost
	if err := w.over(nil); err != nil {
		return err
	}
	g := newGroves(part, there.sited.(*sim.Matrix), scribe.Default())
	if err := g.grow(g.place(nodes), time.Minute, 0.4); err != nil {
		return err
	}
	members := make([]sim.Node, among+1)
	for i := range members {
		members[i] = sim.Node(i)
	}
	g.formed([][]sim.Node{members})
	p, err := g.published()
	if err != nil {
		return err
	}
	c.scribes = g.notes.outcome(p).delays
	c.outsiders = len(g.outsiders(p))
	return g.ran(nil)
}

// formed gives groups these members, each rooted at the first.
func (g *groves) formed(groups [][]sim.Node) {
	for i, members := range groups {
		name := scribe.Group{Topic: topicOf(i), Key: g.world.Peer(members[0]).ID}
		g.groups, g.names = append(g.groups, members), append(g.names, name)
		for _, n := range members {
			g.joined[n] = append(g.joined[n], i)
			g.world.Do(n, func(engine.Protocol) { g.at(n).join(name) })
		}
	}
}

// published has the first member of each group publish an event when trees have grown, and returns them when they have come.
func (g *groves) published() (all []*published, err error) {
	if err := g.run.Pass(g.world, 2*treesTake); err != nil {
		return nil, err
	}
	g.notes.count()
	for i := range g.groups {
		all = append(all, g.notes.publish(i, true))
	}
	return all, g.run.Pass(g.world, 2*time.Minute)
}

// outsiders returns the nodes that were sent events and are no members of any group.
func (g *groves) outsiders(all []*published) map[sim.Node]bool {
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

func (b *imbalance) run(part *lab.Run, there places, subscriptions [][]int, feeds int) error {
	part.Stage("Scribe's load", 1)
	g := newGroves(part, there.sited.(*sim.Matrix), scribe.Default())
	if err := g.grow(g.place(feeds+len(subscriptions)), time.Minute, 0.6); err != nil {
		return err
	}
	groups := make([][]sim.Node, feeds)
	for i := range groups {
		groups[i] = append(groups[i], sim.Node(i))
	}
	for r, wants := range subscriptions {
		for _, feed := range wants {
			groups[feed] = append(groups[feed], sim.Node(feeds+r))
		}
	}
	g.formed(groups)
	data, sent, noisy := make([]float64, g.world.Len()), make([]bool, g.world.Len()), make(map[sim.Node]bool)
	g.world.Tap(func(p sim.Delivery) {
		carrier, is := p.Message.(engine.Carrier)
		if !is || p.Fate > sim.Received {
			return
		}
		event, is := carrier.Carried().(*note)
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
	if _, err := g.published(); err != nil {
		return err
	}
	for r, wants := range subscriptions {
		b.wanted, b.data = append(b.wanted, float64(len(wants))), append(b.data, data[feeds+r])
		if !sent[feeds+r] {
			b.idle += 1 / float64(len(subscriptions))
		}
	}
	b.noisy = float64(len(noisy)) / float64(g.world.Len())
	return g.ran(nil)
}

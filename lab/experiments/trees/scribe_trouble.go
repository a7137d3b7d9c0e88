package trees

import (
	"time"

	"tidings/lab/experiments/testnet"
	"tidings/network/sim"
	"tidings/network/sim/churn"
)

// Trouble is nodes that crash, come and go, or forward nothing, in a world of trees that have grown, with an event a
// second in some group.

type scribeTrouble struct {
	name    string
	words   string
	loss    float64 // of messages
	crash   float64 // share of the nodes that crashes at the beginning
	churn   float64 // share of the nodes that is replaced an hour
	swallow float64 // share of the nodes that hands no event on
}

var scribeTroubles = []scribeTrouble{
	{name: "crash", words: "20 % crash at once, 5 % loss", loss: 0.05, crash: 0.2},
	{name: "churn", words: "25 % replaced an hour, 5 % loss", loss: 0.05, churn: testnet.ReplacedHourly},
	{name: "all", words: "20 % crash, 25 % replaced an hour, 5 % loss", loss: 0.05, crash: 0.2,
		churn: testnet.ReplacedHourly},
	{name: "swallow", words: "10 % hand no event on", swallow: 0.1},
}

// repairs reports whether it makes sense to ask when the trees are whole again.
func (t scribeTrouble) repairs() bool { return t.crash > 0 && t.churn == 0 }

type troubled struct {
	scribeTrouble
	events   []*published
	outcome  outcome
	of       func(events []*published) outcome // of a part of them
	repaired []float64                         // by group: seconds from a crash until its tree is whole; 0: never
	sent     float64                           // copies of events for each that was due
}

// inTrouble has trouble befall a world, and publishes an event a second.
func (g *scribeWorld) inTrouble(t scribeTrouble, s scribeSizes) *troubled {
	e := &troubled{scribeTrouble: t}
	nodes := g.AddNodes(s.TroubleNodes)
	g.GrowBy(nodes, 2*g.Config.KeepAlive, 0.3)
	g.form(s.TroubleGroups, s.Least, false)
	g.Run.Stage("groups", 0.1)
	g.Run.Advance(g.World, treesTake)
	g.begin(t, nodes, s)
	g.Run.Stage("events", 0.6)
	e.repaired = make([]float64, len(g.groups))
	seconds := int((s.TroubleFor + lateAtMost) / time.Second)
	g.notes.count()
	for second := range seconds {
		if time.Duration(second)*time.Second < s.TroubleFor {
			if p := g.notes.publish(g.Chance.IntN(len(g.groups)), false); p != nil {
				e.events = append(e.events, p)
			}
		}
		g.Run.Pass(g.World, time.Second)
		if t.repairs() {
			g.watchRepair(e.repaired, second+1)
		}
		g.Run.Part(second+1, seconds)
	}
	e.of, e.outcome = g.notes.outcome, g.notes.outcome(e.events)
	e.sent = float64(g.loadOf(g.notes.copies).copies) / float64(max(e.outcome.due, 1))
	g.Run.Ran(g.World)
	return e
}

// lateAtMost is how long after its publication an event may come. Members compare with a root each Config.Compare, and
// may have to a few times.
const lateAtMost = 5 * time.Minute

func (g *scribeWorld) begin(t scribeTrouble, nodes []sim.Node, s scribeSizes) {
	g.SetFaults(sim.Faults{Loss: t.loss})
	for range int(t.swallow * float64(len(nodes))) {
		for {
			if n := nodes[g.Chance.IntN(len(nodes))]; !g.swallow[n] {
				g.swallow[n] = true
				break
			}
		}
	}
	g.CrashSome(int(t.crash * float64(len(nodes))))
	if t.churn > 0 {
		last := s.TroubleFor + lateAtMost
		newcomers := g.AddNodes(testnet.Newcomers(len(nodes), last))
		g.enlist(newcomers, len(nodes))
		churn.Replacement{Hourly: t.churn, For: last, Leaving: churn.Leaving{Gone: g.gone}}.Drive(g.World,
			append(nodes, newcomers...))
	}
}

// enlist has nodes that are down join as many groups, when they start, as those that are up.
func (g *scribeWorld) enlist(newcomers []sim.Node, among int) {
	for i, members := range g.groups {
		share := float64(len(members)) / float64(among)
		for _, n := range newcomers {
			if g.Chance.Float64() < share {
				g.joined[n] = append(g.joined[n], i)
				g.groups[i] = append(g.groups[i], n)
			}
		}
	}
}

// watchRepair notes which trees are whole for the first time, so many seconds after the trouble began.
func (g *scribeWorld) watchRepair(repaired []float64, second int) {
	for i := range g.groups {
		if repaired[i] == 0 && g.whole(i) {
			repaired[i] = float64(second)
		}
	}
}

// whole reports whether the ways up from all live members of a group lead to its root.
func (g *scribeWorld) whole(group int) bool {
	root := g.rootOf(group)
	for _, n := range g.groups[group] {
		if g.Up(n) && !g.climbs(n, root, group) {
			return false
		}
	}
	return true
}

// climbs reports whether the way up from a node leads to the root.
func (g *scribeWorld) climbs(n, root sim.Node, group int) bool {
	for range maxClimb {
		p, in := g.at(n).scribe.Place(g.names[group])
		if !in || p.Root {
			return in && n == root
		}
		up, ok := g.NodeAt(p.Parent)
		if p.Parent.IsZero() || !ok || !g.Up(up) {
			return false
		}
		n = up
	}
	return false
}

// maxClimb is more than trees are deep.
const maxClimb = 64

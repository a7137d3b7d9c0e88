package spidercast

import (
	"math/rand/v2"
	"time"

	"tidings/lab"
	"tidings/lab/stats"
	"tidings/network/engine"
	"tidings/network/routers/spidercast/graph"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/sim"
)

// spiderCrash is what became of an overlay of which a fifth crashed at once.
type spiderCrash struct {
	partitioned float64 // topics, before anything is repaired: the mean over some ways to crash
	cut         float64 // followers that are not with most others of their topic then
	later       int     // topics partitioned after spiderRepair
}

const (
	spiderCrashed = 0.2
	spiderRepair  = time.Minute
	crashesDrawn  = 10
)

// measureCrash builds an overlay, and has nodes crash.
func measureCrash(run *lab.Run, s spiderSetting) (c spiderCrash) {
	w := newSpiderWorld(run, s)
	w.build()
	chance := rand.New(rand.NewPCG(run.Seed(), 0xc4a))
	g := w.graph(0)
	var gone []bool
	for range crashesDrawn {
		gone = make([]bool, s.Nodes)
		for _, n := range chance.Perm(s.Nodes)[:int(spiderCrashed*float64(s.Nodes))] {
			gone[n] = true
		}
		shapes := g.Without(gone).Shapes(false)
		c.partitioned += float64(graph.Partitioned(shapes)) / crashesDrawn
		for _, shape := range shapes {
			c.cut += float64(shape.Outside) / crashesDrawn
		}
	}
	for n, is := range gone {
		if is {
			w.end(int32(n), false)
		}
	}
	run.Pass(w.World, spiderRepair)
	c.later = graph.Partitioned(w.graph(0).Shapes(false))
	run.Ran(w.World)
	return c
}

// spiderJoins is what it costs that nodes join, one after the other, and leave in good order.
type spiderJoins struct{ join, leave float64 } // control messages of all nodes, without heartbeats

const (
	spiderJoiners = 50
	spiderBetween = 10 * time.Second // two that join or leave
)

// measureJoins measures the cost of joins and leaves: the messages beyond those of the same network without them. Links
// are swapped in both.
func measureJoins(run *lab.Run, s spiderSetting) spiderJoins {
	busy, quiet := joinsSent(run, s, true), joinsSent(run, s, false)
	return spiderJoins{join: (busy.join - quiet.join) / spiderJoiners,
		leave: (busy.leave - quiet.leave) / spiderJoiners}
}

// joinsSent builds an overlay and returns what is sent while nodes join one by one, and then while they leave. If not
// busy, none join or leave.
func joinsSent(run *lab.Run, s spiderSetting, busy bool) (sent spiderJoins) {
	nodes := s.Nodes
	s.Nodes += spiderJoiners
	w := newSpiderWorld(run, s)
	for n := range int32(nodes) {
		w.boot(n)
	}
	w.settle(spiderLongest)
	each := func(do func(n int32)) float64 {
		before := w.control()
		for n := range int32(spiderJoiners) {
			if busy {
				do(int32(nodes) + n)
			}
			run.Pass(w.World, spiderBetween)
		}
		return w.control() - before
	}
	sent.join = each(w.boot)
	sent.leave = each(func(n int32) { w.end(n, true) })
	run.Ran(w.World)
	return sent
}

// control returns how many messages were sent that make and end links.
func (w *spiderWorld) control() (sent float64) {
	for _, m := range []engine.Message{
		new(overlay.Connect), new(overlay.ConnectOK), new(overlay.Redirect), new(overlay.Disconnect),
		new(overlay.DisconnectOK), new(overlay.Leave),
	} {
		if c := w.Counters().Kinds[m.Kind()]; c != nil {
			sent += float64(c.Sent)
		}
	}
	return sent
}

// spiderChurn is what snapshots show of an overlay with nodes that come and go (section 3.8).
type spiderChurn struct {
	partitioned int // topics, in all snapshots together
	degree      float64
	operations  float64 // control messages for each join or leave
}

// Section 3.8: nodes are down for a quarter of the time that they are up. Those that have come in the last two seconds
// do not count.
const (
	churnSnapshots = 5
	churnSettling  = 2 * time.Second

	// churnInterval is how long a task rests between two steps; the paper does not state its own. With the default, a
	// second, a node needs some six seconds to find its neighbours. The paper's settings then have 150 of 500 topics
	// partitioned in the snapshots at a mean life of 100 s and 1,000 nodes. With half a second there are 29, and with
	// this none.
	churnInterval = 200 * time.Millisecond
)

// measureChurn has nodes come and go for some time, up for life on average. As many as s says are up.
func measureChurn(run *lab.Run, s spiderSetting, life, lasts time.Duration) (c spiderChurn) {
	up := s.Nodes
	s.Nodes = s.Nodes * 5 / 4
	s.config.Interval = churnInterval
	w := newSpiderWorld(run, s)
	operations := w.churn(up, life, nil)
	for range churnSnapshots {
		run.Pass(w.World, lasts/churnSnapshots)
		g := w.graph(churnSettling)
		c.partitioned += graph.Partitioned(g.Shapes(false))
		c.degree += stats.Mean(g.Degrees()) / churnSnapshots
	}
	c.operations = stats.Share(w.control(), float64(*operations))
	run.Ran(w.World)
	return c
}

// churn boots some nodes, and makes all come and go for as long as the world runs. A node that returns has other
// interests. It counts joins and leaves. gone, if not nil, is called for each node that goes.
func (w *spiderWorld) churn(up int, life time.Duration, gone func(n int32)) (operations *int) {
	operations = new(int)
	chance := rand.New(rand.NewPCG(w.run.Seed(), uint64(life)))
	for n := range int32(w.Nodes) {
		var turn func()
		wait := func() {
			mean := life
			if !w.Up(sim.Node(n)) {
				mean = life / 4
			}
			w.After(time.Duration(chance.ExpFloat64()*float64(mean)), turn)
		}
		turn = func() {
			*operations++
			if w.Up(sim.Node(n)) {
				w.end(n, true)
				if gone != nil {
					gone(n)
				}
			} else {
				w.work.Follows[n] = w.draw(chance)
				w.boot(n)
			}
			wait()
		}
		if int(n) < up {
			w.boot(n)
		}
		wait()
	}
	return operations
}

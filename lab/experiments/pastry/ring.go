package pastry

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/plot"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/sim/churn"
)

// ring is a world of Pastry nodes that look keys up.
type ring struct {
	*testnet.Ring
	lookups *check.Lookups
	sought  uint64 // lookups so far
	hops    []int  // by number of hops: first deliveries
}

// member is one node: Pastry, and what it delivers lookups to.
type member struct {
	*pastry.Node
	ring  *ring
	node  sim.Node
	front engine.Protocol // what the world calls
}

func (m *member) Receive(from engine.Peer, msg engine.Message) { m.front.Receive(from, msg) }
func (m *member) PeerDown(p engine.Peer)                       { m.front.PeerDown(p) }
func (m *member) Stop()                                        { m.front.Stop() }

// inRing returns a part of a run that measures a ring of its own.
func inRing(measure func(r *ring)) func(*lab.Run) {
	return func(part *lab.Run) {
		c := sim.Default(engine.NewCodec(pastry.Vocabulary, lookupVocabulary))
		c.Latency = testnet.Spread
		r := newRing(part, c)
		r.Start = func(n sim.Node, env engine.Env) engine.Protocol {
			node := pastry.New(env, r.Config)
			m := &member{node, r, n, node}
			m.Handle(engine.Experiment, m)
			r.Enter(n, m.Node)
			return m
		}
		measure(r)
		part.Ran(r.World)
	}
}

// newRing returns a ring without nodes. The caller sets its Start.
func newRing(part *lab.Run, c sim.Config) *ring {
	r := &ring{Ring: testnet.NewRing(part, c, 1)}
	r.expectLookups()
	return r
}

func (r *ring) at(n sim.Node) *pastry.Node { return r.Protocol(n).(*member).Node }

func (r *ring) grow(nodes []sim.Node) { r.GrowBy(nodes, 2*r.Config.KeepAlive, 0.6) }

// wrongLeafSets returns how many live nodes have a leaf set other than the ring's order says.
func (r *ring) wrongLeafSets() int {
	c := check.Ring{Half: r.Config.LeafSet / 2, Leaves: func(n sim.Node) []engine.Peer {
		below, above := r.at(n).LeafSet()
		return append(below, above...)
	}}
	return c.Wrong(r.World)
}

// sent returns how many messages were sent so far, those of lookups left out.
func (r *ring) sent() (n float64) {
	carriers := map[engine.Kind]bool{new(pastry.Routed).Kind(): true, new(pastry.Ack).Kind(): true}
	for kind, c := range r.Counters().Kinds {
		if !carriers[kind] {
			n += float64(c.Sent)
		}
	}
	return n
}

type lookup struct {
	Number uint64 `cbor:"1,keyasint"`
}

func (*lookup) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 3) }

var lookupVocabulary = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "experiment",
	Messages: []engine.MessageType{{Message: new(lookup), Class: engine.Update}},
}

// maxLookup is how long a right lookup lasts at most.
const maxLookup = time.Minute

// expectLookups begins to judge lookups anew.
func (r *ring) expectLookups() {
	r.lookups = check.NewLookups(r.World)
	r.lookups.Within, r.lookups.AtLeast, r.lookups.MayRepeat = maxLookup, 0.5, true
	r.lookups.Member = func(n sim.Node) bool { return r.at(n).Active() }
	r.hops = nil
}

// Forward lets every lookup go on.
func (m *member) Forward(engine.ID, engine.Message, engine.Peer) bool { return true }

// Deliver ends a lookup.
func (m *member) Deliver(key engine.ID, _ engine.Peer, payload engine.Message, hops int) {
	r := m.ring
	before := r.lookups.Figures().Duplicate
	r.lookups.Observe(r.Now(), m.node, check.Found{Key: key, Number: payload.(*lookup).Number})
	if r.lookups.Figures().Duplicate > before {
		return
	}
	for len(r.hops) <= hops {
		r.hops = append(r.hops, 0)
	}
	r.hops[hops]++
}

// lookUp has a node that is part of the ring look a random key up.
func (r *ring) lookUp() {
	key, from := engine.DrawID(r.Chance), r.Someone()
	r.sought++
	r.lookups.Observe(r.Now(), from, check.Sought{Key: key, Number: r.sought})
	r.at(from).Route(key, &lookup{r.sought})
}

// lookUpDuring makes n lookups, evenly over a time, as the present stage. It returns how many nodes were up on average.
func (r *ring) lookUpDuring(n int, d time.Duration) (up float64) {
	began := r.Now()
	for i := range n {
		r.lookUp()
		up += float64(len(r.Live)) / float64(n)
		until := began + time.Duration(float64(d)*float64(i+1)/float64(n))
		r.Run.Pass(r.World, until-r.Now())
		r.Run.Part(i+1, n)
	}
	return up
}

// judged waits until the last lookups are due and returns how all went.
func (r *ring) judged() check.Figures {
	for range maxLookup / time.Second {
		r.Run.Pass(r.World, time.Second)
	}
	r.lookups.Finish(r.World)
	return r.lookups.Figures()
}

func (r *ring) wrong() int {
	f := r.judged()
	return int(f.Wrong + f.Lost)
}

// atRest is what was measured of a ring in which nothing fails.
type atRest struct {
	hops  []int
	mean  float64
	known float64
	wrong int // lookups
}

func (r *ring) rest(n, lookups int) (m atRest) {
	r.grow(r.AddNodes(n))
	r.Run.Stage("looking up", 0.4)
	r.lookUpDuring(lookups, time.Minute)
	m.wrong, m.hops = r.wrong(), r.hops
	m.mean = meanOf(r.hops)
	for _, node := range r.Live {
		m.known += float64(len(r.at(node).Known())) / float64(n)
	}
	return m
}

// meanOf returns the mean number of hops of deliveries.
func meanOf(hops []int) (mean float64) {
	total := 0
	for h, times := range hops {
		total += times
		mean += float64(h * times)
	}
	return mean / float64(max(total, 1))
}

type repair struct {
	wrongLeaves []plot.Point // by second: share of the nodes
	seconds     int          // until no leaf set was wrong
	wrong       int          // lookups of the last two periods
}

// crashAndRepair crashes 30 % of the nodes in one second, while messages are lost, and watches for four keep-alive
// periods. In the last two of them it looks keys up.
func (r *ring) crashAndRepair(n int) (m repair) {
	r.grow(r.AddNodes(n))
	r.Run.Stage("repairing", 0.4)
	r.SetFaults(sim.Faults{Loss: 0.05})
	for range n * 3 / 10 {
		r.After(time.Duration(r.Chance.Int64N(int64(time.Second))), func() { r.CrashSome(1) })
	}
	r.expectLookups()
	watch := int(4 * r.Config.KeepAlive / time.Second)
	m.seconds = watch + 1
	for second := 1; second <= watch; second++ {
		r.Run.Pass(r.World, time.Second)
		r.Run.Part(second, watch)
		share := float64(r.wrongLeafSets()) / float64(len(r.Live))
		m.wrongLeaves = append(m.wrongLeaves, plot.Point{X: float64(second), Y: share})
		if share == 0 {
			m.seconds = min(m.seconds, second)
		}
		if time.Duration(second)*time.Second >= 2*r.Config.KeepAlive {
			for range 50 {
				r.lookUp()
			}
		}
	}
	m.wrong = r.wrong()
	return m
}

// replace has a quarter of the nodes replaced an hour: each crashes and a new one joins.
func (r *ring) replace(s sizes) churned {
	nodes := r.AddNodes(s.ChurnNodes)
	r.grow(nodes)
	nodes = append(nodes, r.AddNodes(testnet.Newcomers(s.ChurnNodes, s.ChurnFor))...)
	model := churn.Replacement{Hourly: testnet.ReplacedHourly, For: s.ChurnFor, Leaving: churn.Leaving{Gone: r.Gone}}
	return r.underChurn(model, nodes, s.ChurnFor, s.ChurnLookups)
}

// follow has nodes come and go as Tor's relays did.
func (r *ring) follow(trace churn.Trace, s sizes) churned {
	trace.Leaving = churn.Leaving{Gone: r.Gone}
	nodes := r.AddNodes(s.TraceNodes)
	r.grow(trace.Up(nodes))
	return r.underChurn(trace, nodes, trace.Length, s.ChurnLookups)
}

// churned is what was measured while nodes came and went.
type churned struct {
	lookups check.Figures
	work    float64 // messages by node and second, those of lookups left out
	left    float64 // nodes that went in an hour, as a share of those that were up
}

// underChurn looks keys up while nodes come and go.
func (r *ring) underChurn(driver churn.Model, nodes []sim.Node, d time.Duration, lookups int) (c churned) {
	r.Run.Stage("churn", 0.4)
	sent, left := r.sent(), r.Departures
	driver.Drive(r.World, nodes)
	mean := r.lookUpDuring(lookups, d)
	c.work = (r.sent() - sent) / mean / d.Seconds()
	c.left = float64(r.Departures-left) / mean / d.Hours()
	c.lookups = r.judged()
	return c
}

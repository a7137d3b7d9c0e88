package corona

import (
	"math"
	"time"

	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// planning is what the primary's decisions need from one time to the next.
type planning struct {
	plan    *honeycomb.Plan
	next    alarm
	wait    time.Duration // between two plans
	made    time.Duration // when the latest was; 0: none
	steer   float64       // see steer.go
	steered time.Duration // when it was learnt last
	gain    float64       // of steering
	missed  float64       // the error then
	counts  [honeycomb.MaxLevels]uint32
	nodes   int              // that average was made for
	average honeycomb.Wedges // what wedges are like on average: it takes a while to say
}

// The first plan is made soon after the start, on little knowledge, the others after twice the
// time each until it is Config.Maintenance. A new channel does not wait for the next one, unless
// there was a plan just before.
const (
	firstPlan = 32 // part of Config.Maintenance
	soonAgain = 8  // part of Config.Maintenance
)

func (n *Node) startPlan() {
	n.planning.plan = honeycomb.NewPlan(n.config.model())
	n.planning.wait = max(1, n.config.Maintenance/firstPlan)
	n.planning.next.set(n.env, n.env.Now()+n.jitter(n.planning.wait), n.maintain)
	n.onChange(n.ownedChanged)
}

// planSoon has the next plan made early.
func (n *Node) planSoon() {
	first, again := n.config.Maintenance/firstPlan, n.config.Maintenance/soonAgain
	n.planning.next.set(n.env, max(n.env.Now()+n.jitter(first), n.planning.made+again), n.maintain)
}

// maintain is the maintenance phase (section 3.3): levels are chosen anew and what stands is
// confirmed.
func (n *Node) maintain() {
	n.planning.wait = min(2*n.planning.wait, n.config.Maintenance)
	n.planning.next.set(n.env, n.env.Now()+n.jitter(n.planning.wait), n.maintain)
	if !n.ring.Active() {
		return
	}
	n.lookForContacts()
	n.sumUpOwn()
	n.decide()
	n.layOutAgain()
	n.maintainOrders()
}

// choice is a channel that a level is to be chosen for.
type choice struct {
	owned   *owned
	cluster honeycomb.Cluster
	wedges  honeycomb.Wedges
	index   int // in the solution
}

// decide chooses the levels of the channels that this node is primary of.
func (n *Node) decide() {
	p := n.planning.plan
	p.Reset()
	own := n.primaries()
	choices := make([]choice, 0, len(own))
	for _, o := range own {
		if f := n.factors(o); n.leads(o.channel.ID) && f.Subscribers > 0 {
			c := choice{owned: o, cluster: n.cluster(f, 1), wedges: n.wedgesOf(o)}
			c.index = p.Cluster(c.cluster, &c.wedges, n.leastLevel(o, &c.wedges), c.wedges.Levels()-1)
			choices = append(choices, c)
		}
	}
	n.planForOthers(p)
	s := p.Solve()
	n.planning.made = n.env.Now()
	for i := range choices {
		c := &choices[i]
		n.setLevel(c.owned, n.levelBits(n.keepOr(c, s.Level(c.index), s.Lambda), &c.wedges))
	}
	n.sumUpOwn()
}

// steady is by how much a level must be better than the one that a channel has, to be worth the
// change, where it takes more of what the policy limits. One that takes less is taken at once:
// so the limit holds. A level is the best of a channel's for prices that differ fourfold; this
// keeps one for prices that are 6 % beyond.
const steady = 0.02

// keepOr returns the level that a channel has, or the one found if that is enough better.
func (n *Node) keepOr(c *choice, found int, price float64) int {
	now := n.level(c.owned.bits, &c.wedges)
	if now == found || now < n.leastLevel(c.owned, &c.wedges) {
		return found
	}
	f, g := n.costAndLoad(c, found)
	had, took := n.costAndLoad(c, now)
	if g > took && had+price*took <= (f+price*g)*(1+steady) {
		return now
	}
	return found
}

// costAndLoad returns what honeycomb takes for f and g of a channel.
func (n *Node) costAndLoad(c *choice, level int) (f, g float64) {
	f = math.Ldexp(float64(c.cluster.Weight), -fixedBits) * c.wedges.Delay(level)
	g = float64(c.cluster.Size) * c.wedges.Pollers(level)
	if n.config.Policy.Goal == honeycomb.Fast {
		return g, f * n.single().Seconds()
	}
	return f, g
}

// planForOthers adds the channels of all other nodes, in clusters, and what steer has learnt.
func (n *Node) planForOthers(p *honeycomb.Plan) {
	var others honeycomb.Aggregate
	for _, c := range n.census.contacts {
		others.Merge(&c.clusters)
	}
	p.Aggregate(&others, n.averageWedges())
	total := others.Total()
	total.Add(n.census.own.Total())
	p.Slack(n.steer(total))
}

// factors returns what the plan is to know of a channel.
func (n *Node) factors(o *owned) honeycomb.Factors {
	return honeycomb.Factors{
		Subscribers: uint32(min(o.readers.total, math.MaxUint32)), Size: o.size,
		Update: o.estimate.interval(n.env.Now(), n.config.Interval),
	}
}

// wedgesOf returns the wedges that a channel can have: those that its primary is in. The last level
// is that of the primary alone.
func (n *Node) wedgesOf(o *owned) honeycomb.Wedges {
	counts := n.planning.counts[:0]
	shared := n.env.Self().ID.CommonBits(o.channel.ID)
	all := n.size(0)
	for l := range honeycomb.MaxLevels - 1 {
		bits := l * n.config.WedgeBits
		size := n.size(min(bits, engine.Bits))
		if n.config.Sizes == Expected {
			size = all >> bits
		}
		if bits > shared || size <= 1 {
			break
		}
		counts = append(counts, size)
	}
	return n.config.model().Counted(append(counts, 1))
}

// levelBits returns the bits that the pollers of a level share with the channel.
func (n *Node) levelBits(level int, w *honeycomb.Wedges) int {
	if level == w.Levels()-1 {
		return alone
	}
	return level * n.config.WedgeBits
}

// level is the inverse of levelBits.
func (n *Node) level(bits int, w *honeycomb.Wedges) int {
	return min(bits/n.config.WedgeBits, w.Levels()-1)
}

// leastLevel returns the least level at which all pollers together keep the interval that the
// origin asks for.
func (n *Node) leastLevel(o *owned, w *honeycomb.Wedges) int {
	level := 0
	for level < w.Levels()-1 && w.Pollers(level)*float64(o.limit.interval) > float64(n.config.Interval) {
		level++
	}
	return level
}

// averageWedges returns what wedges are like on average over all channels.
func (n *Node) averageWedges() *honeycomb.Wedges {
	p := &n.planning
	nodes := int(min(n.size(0), 1<<30))
	if nodes != p.nodes {
		model := n.config.model()
		p.nodes, p.average = nodes, model.Expected(nodes, model.Levels(nodes))
		if n.config.Sizes == Expected {
			p.average = model.Nominal(nodes, model.Levels(nodes))
		}
	}
	return &p.average
}

// loadUnit is what honeycomb counts a poll as, where polls are counted: so fine that parts of
// one can be told.
const loadUnit = 1 << 10

// cluster returns the cluster of one channel that so many nodes poll.
func (n *Node) cluster(f honeycomb.Factors, pollers float64) honeycomb.Cluster {
	c := n.config.model().Cluster(f, uint32(pollers))
	if n.config.LoadInPolls {
		c.Size, c.Due, c.Load = c.Size*loadUnit, c.Due*loadUnit, c.Load*loadUnit
	}
	return c
}

// addTo adds a channel to the clusters that others are told of. They will take its wedge for the
// average one. So a channel whose wedge is r times as large is told with 1/r^2 of its weight: with
// that the average wedge changes its level at the same price.
func (n *Node) addTo(a *honeycomb.Aggregate, o *owned, average *honeycomb.Wedges) {
	f := n.factors(o)
	if f.Subscribers == 0 {
		return
	}
	w := n.wedgesOf(o)
	level := n.level(o.bits, &w)
	c := n.cluster(f, w.Pollers(level))
	if n.leastLevel(o, &w) == w.Levels()-1 {
		a.AddSlack(c)
		return
	}
	if level == w.Levels()-1 && n.planning.made == 0 {
		level = n.guess(f, &w)
	}
	at := min(level, average.Levels()-1)
	if level == w.Levels()-1 {
		at = average.Levels() - 1
	}
	c.Weight = uint64(float64(c.Weight) * w.Delay(level) / average.Delay(at) * average.Pollers(at) / w.Pollers(level))
	a.Add(at, c)
}

// guess returns the level at which a channel has as many pollers as its subscribers pay for.
func (n *Node) guess(f honeycomb.Factors, w *honeycomb.Wedges) int {
	level := 0
	for level < w.Levels()-1 && w.Pollers(level) > float64(f.Subscribers) {
		level++
	}
	return level
}

// primaries returns the channels that this node is primary of.
func (n *Node) primaries() (list []*owned) {
	for _, o := range n.owned.list {
		if o.primary {
			list = append(list, o)
		}
	}
	return list
}

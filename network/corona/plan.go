package corona

import (
	"math"
	"time"

	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// planning is what the primary's decisions need from one time to the next.
type planning struct {
	next    engine.Alarm
	wait    time.Duration    // between two plans
	made    time.Duration    // when the latest was; 0: none
	steer   float64          // see steer.go
	steered time.Duration    // when it was learnt last
	gain    float64          // of steering
	missed  float64          // the error then
	free    bool             // the latest plan was not held back by the limit
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

func (n *planner) startPlan() {
	n.planning.wait = max(1, n.config.Maintenance/firstPlan)
	n.planning.next.Soon(n.Env, n.Env.Now()+n.Jitter(n.planning.wait), n.maintain)
	n.node.roster.OnChange(n.ownedChanged)
}

// planSoon has the next plan made early, and the one after it.
func (n *planner) planSoon() {
	first, again := n.config.Maintenance/firstPlan, n.config.Maintenance/soonAgain
	n.planning.wait = min(n.planning.wait, again)
	n.planning.next.Soon(n.Env, max(n.Env.Now()+n.Jitter(first), n.planning.made+again), n.maintain)
}

// maintain is the maintenance phase (section 3.3): levels are chosen anew and the assignments in force
// are confirmed.
func (n *planner) maintain() {
	n.planning.wait = min(2*n.planning.wait, n.config.Maintenance)
	n.planning.next.Soon(n.Env, n.Env.Now()+n.Jitter(n.planning.wait), n.maintain)
	if !n.Ring.Active() {
		return
	}
	n.poller.count()
	n.lookForContacts()
	n.sumUpOwn()
	n.decide()
	n.layOutAgain()
	n.confirmAssignments()
	n.node.budget.ClaimAll()
}

// choice is a channel that a level is to be chosen for.
type choice struct {
	owned   *owned
	cluster honeycomb.Cluster
	wedges  *honeycomb.Wedges
	index   int // in the solution
}

// decide chooses the levels of the channels that this node is primary of.
func (n *planner) decide() {
	own := n.primaries()
	n.demand(own)
	choices, s := n.solvePlan(own, n.boundLevel)
	n.planning.made, n.planning.free = n.Env.Now(), s.Lambda == 0
	for i := range choices {
		if c := &choices[i]; n.Leads(c.owned.channel.ID) {
			bits := n.LevelBits(n.keepOr(c, s.Level(c.index), s.Lambda), c.wedges)
			n.demandLevel(c.owned, bits)
			n.SetLevel(c.owned, max(bits, n.node.budget.LeastBits(c.owned)))
		}
	}
	n.sumUpOwn()
}

// solvePlan finds the best levels of channels that this node is primary of, none below that which least
// returns.
func (n *planner) solvePlan(own []*owned, least func(*owned, *honeycomb.Wedges) int) ([]choice, honeycomb.Solution) {
	p := honeycomb.NewPlan(n.config.model()) // it takes more memory than all else: not kept
	choices := make([]choice, 0, len(own))
	others := n.others()
	p.Grow(len(own)+others.Parts(), n.averageWedges().Levels())
	for _, o := range own {
		if f := n.factors(o); (o.permit != nil || n.Leads(o.channel.ID)) && f.Subscribers > 0 {
			c := choice{owned: o, cluster: n.cluster(f, 1), wedges: n.WedgesOf(o)}
			c.index = p.Cluster(c.cluster, c.wedges, least(o, c.wedges), c.wedges.Levels()-1)
			choices = append(choices, c)
		}
	}
	p.Slack(n.poller.cluster())
	n.planForOthers(p, others)
	return choices, p.Solve()
}

// steady is by how much a level must be better than the one that a channel has, to be worth the
// change, where it takes more of what the policy limits. One that takes less is taken at once:
// so the limit holds. A level is the best of a channel's for prices that differ fourfold; this
// keeps one for prices that are 6 % beyond.
const steady = 0.02

// keepOr returns the level that a channel has, or the one found if that is enough better.
func (n *planner) keepOr(c *choice, found int, price float64) int {
	now := n.Level(c.owned.bits, c.wedges)
	if now == found || now < n.LeastLevel(c.owned, c.wedges) {
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
func (n *planner) costAndLoad(c *choice, level int) (f, g float64) {
	f = math.Ldexp(float64(c.cluster.Weight), -fixedBits) * c.wedges.Delay(level)
	g = float64(c.cluster.Size) * c.wedges.Pollers(level)
	if n.config.Policy.Goal == honeycomb.Fast {
		return g, f * n.single().Seconds()
	}
	return f, g
}

// primaries returns the channels that this node is primary of.
func (n *planner) primaries() (list []*owned) {
	for _, o := range n.node.roster.owned.list {
		if o.primary {
			list = append(list, o)
		}
	}
	return list
}

package plan

import (
	"math"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
	"tidings/network/table"
)

// Config holds the constants of a plan, and its bounds. All nodes of a network have the same, except for MaxPolled.
type Config struct {
	Interval        time.Duration // the polling interval: how often each poller of a channel polls it
	Maintenance     time.Duration // how often sizes are chosen anew, and assignments confirmed
	AssignmentsLast int           // maintenance intervals for which a poller continues without a confirmation
	AggregateEvery  time.Duration // how often each contact is asked for its Aggregate
	Policy          honeycomb.Policy
	LoadInPolls     bool // the load that Policy bounds is counted in polls, not bytes
	Digit           int  // bits that a row of the ring's routing table covers
	MaxPolled       int  // channels that are polled here
	// Optimizer returns what chooses sizes, for experiments; nil: the optimum by curves.
	Optimizer func(*Plan) Optimizer
}

// Plan is one node's part in assigning polls.
type Plan struct {
	machine.Base
	config    Config
	host      Host
	view      *view
	duties    *duties
	optimizer Optimizer
	counting  counting
	verifies  outOfTurn

	channels  table.Index[*channel] // that are owned here
	primaries []*channel            // of them, those that this node is primary of, by ID

	next engine.Alarm  // the next maintenance
	wait time.Duration // from there to the one after it
	made moment        // when sizes were last chosen; 0: never
}

// New returns a plan that begins at once. c must be valid.
func New(base machine.Base, host Host, poller Poller, c Config) *Plan {
	p := &Plan{Base: base, config: c, host: host}
	p.view = &view{base: &p.Base, digit: c.Digit}
	p.duties = &duties{
		Base: &p.Base, config: &p.config, host: host, poller: poller, view: p.view,
		limits: make(map[engine.ID]Limits), asked: make(map[engine.ID]Asked), soonest: make(map[uint64]moment),
		versions: make(map[engine.ID]uint64), pending: make(map[engine.ID]pending),
		parents: []parent{{peer: base.Env.Self()}},
	}
	p.duties.table.seed, p.channels.Seed = base.Seed, base.Seed
	p.optimizer = &optimum{p: p}
	if c.Optimizer != nil {
		p.optimizer = c.Optimizer(p)
	}
	p.verifies.p = p
	p.startCounting()
	p.replan()
	return p
}

// Receive handles a message from a peer.
func (p *Plan) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *AggregateRequest:
		p.answerAggregateRequest(from, m)
	case *Aggregate:
		p.receiveAggregate(from, m)
	case *Maintenance:
		p.checkAsked(m.Assignments, func() { p.duties.receiveMaintenance(from, m) })
	case *Unknown:
		p.duties.explain(from, m)
	case *MaintenanceDigest:
		p.duties.receiveDigest(from, m)
	case *MaintenancePull:
		p.duties.answerPull(from, m)
	}
}

// PeerDown replaces a contact that is down.
func (p *Plan) PeerDown(down engine.Peer) {
	if p.view.contact(down.ID) != nil {
		p.look()
	}
}

// NeighboursChanged must be called when the leaf set has changed.
func (p *Plan) NeighboursChanged() {
	switch {
	case p.Ring.Active():
		p.look()
	case p.counting.steady >= quickRounds: // it is about to be, and then has contacts to ask
		p.counting.steady = 0
		p.startCounting()
	}
}

// look updates the contacts from the ring.
func (p *Plan) look() {
	r, changed := p.view.refresh()
	if !changed {
		return
	}
	for _, c := range r.lost {
		p.duties.each(c, func(d *duty, _ machine.Arc) { p.duties.pass(d, moved) })
	}
	for _, c := range r.fresh {
		p.request(c)
		p.duties.greet(c)
		p.duties.redivide = true
	}
	count := &p.counting
	count.turn = min(count.turn, len(p.view.order))
	count.news, count.hasty = true, 0
	count.turnover += len(r.fresh) + len(r.lost)
	if count.steady >= quickRounds && count.turnover*upheaval >= len(p.view.contacts) {
		count.steady = 0
		p.startCounting()
	}
	count.invalidate(len(count.aggregates))
}

// The first plan is made soon after the start, on little knowledge. Each next one follows after twice the time, up to
// Config.Maintenance. A new channel does not wait for the next one, unless there was a plan just before.
const (
	firstPlan = 32 // fraction of Config.Maintenance
	soonAgain = 8  // fraction of Config.Maintenance
)

// replan schedules a choice of sizes soon, as at the start.
func (p *Plan) replan() {
	p.wait = max(1, p.config.Maintenance/firstPlan)
	p.next.Set(p.Env, p.Env.Now()+p.Jitter(p.wait), p.maintain)
}

// planSoon makes the next plan early, and the one after it.
func (p *Plan) planSoon() {
	first, again := p.config.Maintenance/firstPlan, p.config.Maintenance/soonAgain
	p.wait = min(p.wait, again)
	p.next.Soon(p.Env, max(p.Env.Now()+p.Jitter(first), p.made+again), p.maintain)
}

// maintain is the maintenance phase (section 3.3): it chooses sizes anew and confirms the assignments in force.
func (p *Plan) maintain() {
	p.wait = min(2*p.wait, p.config.Maintenance)
	p.next.Soon(p.Env, p.Env.Now()+p.Jitter(p.wait), p.maintain)
	if !p.Ring.Active() {
		return
	}
	p.verifies.count()
	p.look()
	p.sumUpOwn()
	p.optimizer.Choose(&p.counting.own, summaries(p.view.contacts))
	p.made = p.Env.Now()
	p.sumUpOwn()
	p.duties.divideAgain()
	p.duties.forgetVersions()
	p.duties.confirm()
	p.host.Planned()
}

// Model returns the policy's model of channels.
func (c *Config) Model() honeycomb.Model {
	return honeycomb.Model{Policy: c.Policy, Interval: c.Interval, Polls: c.LoadInPolls}
}

// Known returns what an experiment's Optimizer needs.
func (p *Plan) Known() Known {
	k := Known{Config: p.config, Nodes: p.view.nodes(0)}
	for _, c := range p.primaries {
		k.Primaries = append(k.Primaries, Primary{c.channel.ID, c.Size, p.host.Factors(c.channel.ID), p.most(c)})
	}
	return k
}

// Leads reports whether this node sends the assignments for a channel.
func (p *Plan) Leads(channel engine.ID) bool {
	d := p.duties.find(channel)
	return d != nil && d.parent == byself
}

// Polled returns the channel with an ID if it is polled here, or passed on to pollers.
func (p *Plan) Polled(id engine.ID) (c machine.Channel, polled bool) {
	d := p.duties.find(id)
	if d == nil {
		return machine.Channel{}, false
	}
	return d.channel, d.polls()
}

// Below returns the nodes to which this one passes on a channel's versions and assignments.
func (p *Plan) Below(channel engine.ID) (peers []engine.Peer) {
	if d := p.duties.find(channel); d != nil {
		p.duties.below(d, func(c *contact, _ machine.Arc) { peers = append(peers, c.peer) })
	}
	return peers
}

// Above returns the node that has assigned a channel; false if it is this node itself, or none.
func (p *Plan) Above(channel engine.ID) (engine.Peer, bool) {
	if d := p.duties.find(channel); d != nil && d.parent != byself {
		return p.duties.parents[d.parent].peer, true
	}
	return engine.Peer{}, false
}

// Passed returns the latest version of a channel that went down its set from here. If hushed, the message said that
// changes need not be reported for a while. If in, the channel is polled or passed on here; else nothing goes down.
func (p *Plan) Passed(channel engine.ID) (version uint64, hushed, in bool) {
	d := p.duties.find(channel)
	if d == nil {
		return 0, false, false
	}
	return d.passed, d.hushed, true
}

// Pass notes that a version goes down, and returns the nodes to send it to.
func (p *Plan) Pass(channel engine.ID, version uint64, hushed bool) []engine.Peer {
	if d := p.duties.find(channel); d != nil {
		d.passed, d.hushed = version, hushed
	}
	return p.Below(channel)
}

// Rest reports polls of a channel out of turn, for all its pollers. As many turns are skipped.
func (p *Plan) Rest(channel engine.ID, polls int) {
	if d := p.duties.find(channel); d != nil {
		p.duties.rest(d, polls)
	}
	if c := p.channels.Get(channel); c != nil {
		c.checks.add(polls, p.Env.Now(), p.config.Interval)
	}
}

// Limits returns what the origin of a channel that is polled here asks for.
func (p *Plan) Limits(channel engine.ID) Limits { return p.duties.limits[channel] }

// Reconfigure applies another configuration. Slots keep their position in the interval. No node is late by the new
// times for what it did by the old ones.
func (p *Plan) Reconfigure(c Config) {
	before := p.config
	p.config = c
	p.replan()
	if before.Interval != c.Interval {
		p.restretch(before.Interval)
	}
	if before.Maintenance != c.Maintenance || before.AggregateEvery != c.AggregateEvery {
		p.startCounting()
		for i := range p.duties.parents {
			p.duties.parents[i].confirmedAt = p.Env.Now()
		}
	}
}

// restretch scales slots to the present interval.
func (p *Plan) restretch(before time.Duration) {
	now, ratio := p.Env.Now(), float64(p.config.Interval)/float64(before)
	for _, c := range p.primaries {
		if c.Slot != 0 {
			c.Slot = now + time.Duration(float64(nextTime(c.Slot, before, now)-now)*ratio)
		}
	}
	stretch := func(t slotTime) slotTime { return slotTime(math.Floor(float64(t) * ratio)) }
	for i := range p.duties.table.length {
		d := p.duties.table.at(i)
		if p.duties.limits[d.channel.ID].Interval == 0 {
			d.slot = slot{stretch(d.start), stretch(d.width)}
		}
		p.duties.poll(d)
		p.duties.pass(d, moved)
	}
	for _, c := range p.primaries {
		if p.Leads(c.channel.ID) {
			p.lead(c)
		}
	}
}

// outOfTurn counts the polls that reports of changes cause. They are load, and much of it if channels change often. As
// nobody chooses it, it counts as fixed.
type outOfTurn struct {
	p     *Plan
	made  int     // since then
	since moment  // the last count
	rate  float64 // polls in a polling interval, lately
}

// Verifies reports that this node polls a channel out of turn.
func (p *Plan) Verifies() { p.verifies.made++ }

// seldom is a rate that counts as none. The plan of a small network may reach exactly the limit. Otherwise one poll
// would keep the network from that plan while anything is left of its rate.
const seldom = 0.25

// count updates the rate, at most once an interval. Half of the old rate remains.
func (o *outOfTurn) count() {
	now, interval := o.p.Env.Now(), o.p.config.Interval
	if now-o.since < interval {
		return
	}
	o.rate = (o.rate + float64(o.made)*float64(interval)/float64(now-o.since)) / 2
	if o.rate < seldom {
		o.rate = 0
	}
	o.made, o.since = 0, now
}

// load returns the cost of these polls in an interval. Sizes are often known only after the first poll, so each poll
// counts as one of a channel of mean size.
func (o *outOfTurn) load() float64 {
	if o.rate == 0 || len(o.p.primaries) == 0 {
		return 0
	}
	sum, model := 0., o.p.config.Model()
	for _, c := range o.p.primaries {
		sum += model.Cost(o.p.host.Factors(c.channel.ID))
	}
	return o.rate * sum / float64(len(o.p.primaries))
}

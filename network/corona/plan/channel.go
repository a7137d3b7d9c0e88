package plan

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// channel is what an owner knows of how a channel is polled. The primary decides; the others know what it has told, so that each of them can go on from there.
type channel struct {
	channel machine.Channel
	Set
	until   int64 // of the permit that pollers have been told
	primary bool  // it stands in Plan.primaries
	checks  checks
}

// checks are polls of a channel out of turn, of late.
type checks struct {
	at    time.Duration // by Env.Now
	polls float64       // in an interval up to at: those before it count for less
}

// add counts polls at a time.
func (c *checks) add(polls int, now, interval time.Duration) {
	*c = checks{now, c.rate(now, interval) + float64(polls)}
}

// rate returns how many polls out of turn there are in an interval, about.
func (c *checks) rate(now, interval time.Duration) float64 {
	return c.polls * math.Exp(-float64(now-c.at)/float64(interval))
}

// Set is what owners tell each other of a channel's polling set.
type Set struct {
	Size machine.Size  // if its host does not let it have less: what is claimed
	Slot time.Duration // some moment at which the first slot begins, by Env.Now; 0: none was drawn
	// Term rises with each decision of a primary: the time of it, in seconds since 1970, or one more than the term before. Assignments of a lower one are out of
	// date: a node that is in no set may go on passing them on for a while after the primary has died.
	Term uint32
}

// ID returns the channel's.
func (c *channel) ID() engine.ID { return c.channel.ID }

// Standing is what this node is to a channel that it owns, or has owned.
type Standing struct {
	Primary  bool        // it is the primary, and the channel has readers
	Informed bool        // it knows what the other owners know
	Ended    bool        // nobody subscribes any more, or nothing is held of it here
	Next     engine.Peer // the primary, where this node is not; zero: not known
}

// Changed follows what this node is to a channel.
func (p *Plan) Changed(of machine.Channel, s Standing) {
	c, leads := p.channels.Get(of.ID), p.Leads(of.ID)
	if s.Primary && c == nil {
		c = p.own(of)
	}
	if c != nil {
		p.count(c, s.Primary)
	}
	switch {
	case s.Primary && (leads || s.Informed):
		p.begin(c)
	case s.Primary:
	case leads && s.Ended:
		p.duties.disband(of.ID)
	case leads:
		p.duties.handOver(of.ID, s.Next)
	}
	if c != nil && s.Ended && !s.Primary {
		p.channels.Remove(of.ID)
	}
}

// own returns what is known of a channel, from now on if it was not.
func (p *Plan) own(of machine.Channel) *channel {
	c := p.channels.Get(of.ID)
	if c == nil {
		c = &channel{channel: of, Set: Set{Size: machine.Alone}}
		p.channels.Set(of.ID, c)
	}
	return c
}

// count has a channel among those that this node is primary of, or not.
func (p *Plan) count(c *channel, primary bool) {
	if c.primary == primary {
		return
	}
	c.primary = primary
	at, _ := slices.BinarySearchFunc(p.primaries, c.channel.ID, func(c *channel, id engine.ID) int { return c.channel.ID.Compare(id) })
	if primary {
		p.primaries = slices.Insert(p.primaries, at, c)
	} else {
		p.primaries = slices.Delete(p.primaries, at, at+1)
	}
}

// begin has this node send the assignments for a channel, if it does not yet. It goes on with the set and the slot that the primary before had, if there was one.
func (p *Plan) begin(c *channel) {
	if c.Slot == 0 {
		p.planSoon()
		c.Slot = p.Env.Now() + p.Chance(p.config.Interval)
	}
	if !p.Leads(c.channel.ID) {
		c.Term = p.term(c)
	}
	p.lead(c)
}

// lead has this node, as primary, send the assignments for a channel: it is new here, or its size or limits have changed. Where the load of hosts is bounded
// it waits for a permit.
func (p *Plan) lead(c *channel) {
	permit, ok := p.host.Permit(c.channel.ID)
	if !ok {
		return
	}
	size, limits := smaller(c.Size, permit.Size), p.host.Limits(c.channel.ID)
	limits.Interval = max(limits.Interval, permit.Every)
	period := p.duties.period(limits)
	next := duty{channel: c.channel, parent: byself, size: size, term: c.Term, member: true}
	if d := p.duties.find(c.channel.ID); d != nil && d.parent == byself && d.size != size {
		c.Slot += p.duties.delay(d, &next, period)
		p.host.Moved(c.channel.ID)
	}
	start := c.Slot
	if permit.Every > p.config.Interval { // channels of a host that are polled less often than each interval are not all polled in the first
		drawn := engine.Mix(binary.BigEndian.Uint64(c.channel.ID[:])) % uint64(permit.Every/p.config.Interval)
		start += time.Duration(drawn) * p.config.Interval
	}
	next.slot = newSlot(start, period, period)
	d := p.duties.put(next, limits, p.asked(c, limits))
	if permit.Until != c.until {
		c.until = permit.Until
		p.duties.pass(d, certified)
	}
}

// term returns that of a decision now.
func (p *Plan) term(c *channel) uint32 { return max(c.Term+1, uint32(max(0, p.Env.Wall().Unix()))) }

func smaller(a, b machine.Size) machine.Size {
	if a.Within(b) {
		return a
	}
	return b
}

// choose gives a channel that this node is primary of the size that is best for it.
func (p *Plan) choose(c *channel, size machine.Size) {
	if size != c.Size {
		c.Size = size
		c.Term = p.term(c)
		p.host.Moved(c.channel.ID)
	}
	if p.Leads(c.channel.ID) {
		p.lead(c)
	}
}

// polite returns how many nodes can poll a channel at most, so that together they keep the interval that its origin asks for.
func (p *Plan) polite(c *channel) float64 {
	limits := p.host.Limits(c.channel.ID)
	if limits.Interval <= 0 {
		return math.Inf(1)
	}
	return math.Floor(max(1, float64(p.config.Interval)/float64(limits.Interval)))
}

// most returns how many nodes can poll a channel at most; less than one where the primary polls alone, and not each interval.
func (p *Plan) most(c *channel) float64 {
	most := min(float64(p.view.nodes(0)), max(1, p.polite(c)))
	switch permit, ok := p.host.Permit(c.channel.ID); {
	case !ok:
		return 1
	case permit.Every > p.config.Interval:
		return float64(p.config.Interval) / float64(permit.Every)
	case !c.Size.Within(permit.Size): // it lets the channel have less than it would
		return min(most, p.view.pollers(c.channel.ID, permit.Size))
	}
	return most
}

// polling returns how many nodes poll a channel that this node is primary of, on average over intervals.
func (p *Plan) polling(c *channel) float64 {
	permit, ok := p.host.Permit(c.channel.ID)
	switch {
	case !ok:
		return 0
	case permit.Every > p.config.Interval:
		return float64(p.config.Interval) / float64(permit.Every)
	}
	return p.view.pollers(c.channel.ID, smaller(c.Size, permit.Size))
}

// Renew has the polling of a channel that this node leads follow what its limits and its permit are now. With a permit, a channel that had none is led from now on.
func (p *Plan) Renew(id engine.ID, permitted bool) {
	c := p.channels.Get(id)
	if c == nil || !c.primary || !permitted && !p.Leads(id) {
		return
	}
	if most := p.polite(c); p.view.pollers(id, c.Size) > most {
		p.choose(c, p.view.nearest(id, most, most, c.Size))
		return
	}
	p.lead(c)
}

// Set returns what this node, an owner, knows of a channel's polling set.
func (p *Plan) Set(id engine.ID) Set {
	if c := p.channels.Get(id); c != nil {
		return c.Set
	}
	return Set{Size: machine.Alone}
}

// Adopt takes it over from another owner.
func (p *Plan) Adopt(of machine.Channel, s Set) {
	if s.Size.Valid() {
		c := p.own(of)
		s.Term = max(s.Term, c.Term)
		c.Set = s
	}
}

// Wanted returns the size that a channel would have if its host did not bound it, and how many nodes would poll it with a set of that size, and of each that is a
// step smaller: of so many sizes at most, as long as there is anybody but this node.
func (p *Plan) Wanted(id engine.ID, sizes int) (size machine.Size, pollers []uint32) {
	size = p.Set(id).Size
	first := sort.Search(machine.Steps*machine.MaxSizeBits, func(k int) bool { return machine.Fine(k).Share() <= size.Share() })
	for k := first; len(pollers) < sizes; k++ {
		count := uint32(math.Ceil(p.view.pollers(id, machine.Fine(k)))) // what is not known exactly counts as more
		if count <= 1 {
			break
		}
		pollers = append(pollers, count)
	}
	return size, pollers
}

// Counted returns how many nodes poll a channel by a set of that size, this one included.
func (p *Plan) Counted(id engine.ID, size machine.Size) float64 { return p.view.pollers(id, size) }

// Expected returns the mean time until a poll sees a change of a channel that this node leads, if its origin asks for no longer
// interval. Of the set's turns those are left out that are skipped for polls out of turn.
func (p *Plan) Expected(id engine.ID) time.Duration {
	pollers, _ := p.Pollers(id)
	turns := float64(pollers)
	if c := p.channels.Get(id); c != nil {
		turns -= min(mostRest*turns, c.checks.rate(p.Env.Now(), p.config.Interval))
	}
	return p.model().Detection(turns)
}

// Pollers returns how many nodes poll a channel that this node leads, as far as they have been counted.
func (p *Plan) Pollers(id engine.ID) (pollers uint32, size machine.Size) {
	if d := p.duties.find(id); d != nil {
		return uint32(math.Round(p.view.pollers(id, d.size))), d.size
	}
	return 0, machine.Alone
}

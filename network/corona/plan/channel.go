package plan

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// channel is an owner's record of how a channel is polled. The primary decides. The others keep its decisions, so that
// each of them can continue.
type channel struct {
	channel machine.Channel
	Set
	primary bool // it is in Plan.primaries
	checks  checks
	// pollers that its host permitted when its size was last chosen; 0: it was not, or there is no bound
	most float64
}

// checks are recent polls of a channel out of turn.
type checks struct {
	at    time.Duration // by Env.Now
	polls float64       // in an interval up to at; earlier ones count less
}

// add counts polls.
func (c *checks) add(polls int, now, interval time.Duration) {
	*c = checks{now, c.rate(now, interval) + float64(polls)}
}

// rate returns about how many polls out of turn there are in an interval.
func (c *checks) rate(now, interval time.Duration) float64 {
	return c.polls * math.Exp(-float64(now-c.at)/float64(interval))
}

// Set is the owners' common knowledge of a channel's polling set.
type Set struct {
	Size machine.Size
	Slot time.Duration // some moment at which the first slot begins, by Env.Now; 0: none was drawn
	// Term rises with each decision of a primary: its time, in seconds since 1970, or the term before plus one.
	// Assignments of a lower term are outdated: a node in no set may pass them on for a while after the primary has
	// died.
	Term uint32
}

// ID returns the channel's ID.
func (c *channel) ID() engine.ID { return c.channel.ID }

// Standing is this node's role for a channel that it owns, or has owned.
type Standing struct {
	Primary  bool        // it is the primary, and the channel has readers
	Informed bool        // it knows what the other owners know
	Ended    bool        // the channel has no subscriber, or no record here
	Next     engine.Peer // the primary, unless this node is; zero: unknown
}

// Changed updates this node's role for a channel.
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

// own returns the record of a channel, which it makes if there is none.
func (p *Plan) own(of machine.Channel) *channel {
	c := p.channels.Get(of.ID)
	if c == nil {
		c = &channel{channel: of, Set: Set{Size: machine.Alone}}
		p.channels.Set(of.ID, c)
	}
	return c
}

// count adds a channel to those that this node is primary of, or removes it.
func (p *Plan) count(c *channel, primary bool) {
	if c.primary == primary {
		return
	}
	c.primary = primary
	at, _ := slices.BinarySearchFunc(p.primaries, c.channel.ID,
		func(c *channel, id engine.ID) int { return c.channel.ID.Compare(id) })
	if primary {
		p.primaries = slices.Insert(p.primaries, at, c)
	} else {
		p.primaries = slices.Delete(p.primaries, at, at+1)
	}
}

// notablyMore is by how much the permitted pollers of a channel have to grow for its size to be chosen soon.
const notablyMore = 1 + 1./8

// begin starts sending the assignments for a channel. It continues with the previous primary's set and slot, if there
// was one.
func (p *Plan) begin(c *channel) {
	if c.Slot == 0 {
		p.planSoon()
		c.Slot = p.Env.Now() + p.Chance(p.config.Interval)
	}
	if permitted, _ := p.host.Most(c.channel.ID); c.most > 0 && permitted > c.most*notablyMore {
		p.planSoon()
	}
	if !p.Leads(c.channel.ID) {
		c.Term = c.nextTerm(p.Env.Wall())
	}
	p.lead(c)
}

// lead sends, as primary, the assignments for a channel that is new here, or whose size or limits have changed.
func (p *Plan) lead(c *channel) {
	limits := p.host.Limits(c.channel.ID)
	period := p.duties.period(limits)
	next := duty{channel: c.channel, parent: byself, size: c.Size, term: c.Term, member: true}
	if d := p.duties.find(c.channel.ID); d != nil && d.parent == byself && d.size != c.Size {
		c.Slot += p.duties.delay(d, &next, period)
		p.host.Moved(c.channel.ID)
	}
	start := c.Slot
	// not all channels of a host that are polled less often than each interval are polled in the first
	if rounds := uint64(period / p.config.Interval); rounds > 1 {
		drawn := engine.Mix(binary.BigEndian.Uint64(c.channel.ID[:])) % rounds
		start += time.Duration(drawn) * p.config.Interval
	}
	next.slot = newSlot(start, period, period)
	p.duties.put(next, limits, p.asked(c, limits))
}

// nextTerm returns the term of a decision now.
func (c *channel) nextTerm(now time.Time) uint32 { return max(c.Term+1, uint32(max(0, now.Unix()))) }

// Choose sets the best size of a channel that this node is primary of.
func (p *Plan) Choose(channel engine.ID, size machine.Size) {
	c := p.channels.Get(channel)
	c.most, _ = p.host.Most(c.channel.ID)
	if size != c.Size {
		c.Size = size
		c.Term = c.nextTerm(p.Env.Wall())
		p.host.Moved(c.channel.ID)
	}
	if p.Leads(c.channel.ID) {
		p.lead(c)
	}
}

// most returns how many nodes can poll a channel: no more than its host permits, and so few that together they keep the
// interval that its origin asks for. It is at least 1.
func (p *Plan) most(c *channel) float64 {
	most := float64(p.view.nodes(0))
	if permitted, bounded := p.host.Most(c.channel.ID); bounded {
		most = min(most, permitted)
	}
	if limits := p.host.Limits(c.channel.ID); limits.Interval > 0 {
		most = min(most, math.Floor(float64(p.config.Interval)/float64(limits.Interval)))
	}
	return max(1, most)
}

// polling returns the mean number of nodes that poll a channel in an interval. This node is its primary.
func (p *Plan) polling(c *channel) float64 {
	if limits := p.host.Limits(c.channel.ID); limits.Interval > p.config.Interval {
		return float64(p.config.Interval) / float64(limits.Interval)
	}
	return p.view.pollers(c.channel.ID, c.Size)
}

// Renew applies the present limits to a channel that this node leads.
func (p *Plan) Renew(id engine.ID) {
	c := p.channels.Get(id)
	if c == nil || !p.Leads(id) {
		return
	}
	if most := p.most(c); p.view.pollers(id, c.Size) > most {
		p.Choose(id, p.view.nearest(id, most, most, c.Size, false))
		return
	}
	p.lead(c)
}

// Set returns this owner's knowledge of a channel's polling set.
func (p *Plan) Set(id engine.ID) Set {
	if c := p.channels.Get(id); c != nil {
		return c.Set
	}
	return Set{Size: machine.Alone}
}

// Adopt adopts another owner's.
func (p *Plan) Adopt(of machine.Channel, s Set) {
	if s.Size.Valid() {
		c := p.own(of)
		s.Term = max(s.Term, c.Term)
		c.Set = s
	}
}

// Counted returns how many nodes poll a channel by a set of that size, this one included.
func (p *Plan) Counted(id engine.ID, size machine.Size) float64 { return p.view.pollers(id, size) }

// Expected returns the mean time until a poll sees a change of a channel that this node leads. Its origin must ask for
// no longer interval. Turns that are skipped for polls out of turn do not count.
func (p *Plan) Expected(id engine.ID) time.Duration {
	pollers, _ := p.Pollers(id)
	turns := float64(pollers)
	if c := p.channels.Get(id); c != nil {
		turns -= min(mostRest*turns, c.checks.rate(p.Env.Now(), p.config.Interval))
	}
	return p.config.Model().Detection(turns)
}

// Pollers returns how many nodes poll a channel that this node leads, as far as counted.
func (p *Plan) Pollers(id engine.ID) (pollers uint32, size machine.Size) {
	if d := p.duties.find(id); d != nil {
		return uint32(math.Round(p.view.pollers(id, d.size))), d.size
	}
	return 0, machine.Alone
}

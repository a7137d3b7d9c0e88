package plan

import (
	"encoding/binary"
	"maps"
	"math"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// duties are the channels that a node polls, or passes assignments on for, with their parents and what contacts have
// received.
type duties struct {
	*machine.Base
	config *Config
	host   Host
	poller Poller
	view   *view

	table  dutyTable
	limits map[engine.ID]Limits // of the channels with wishes of their origins
	asked  map[engine.ID]Asked  // the same, by their primaries, to be passed on
	// soonest is the earliest next turn of channels after a slot has moved, or ended: two turns are at least
	// half a period apart. So however often a parent moves a slot, an origin gets at most twice as many requests. Its
	// keys are the hashes in the table: there may be as many as duties, and IDs would need twice the memory.
	soonest map[uint64]moment
	// versions are the latest known versions of channels in the table, if newer than the held ones. See latest.
	versions map[engine.ID]uint64

	parents []parent // the first is this node itself, for the channels that it leads
	last    uint16   // the index of the last sender of assignments: they come many at a time

	// pending are assignments of channels whose readers are not proved so far, at most maxPending. They are followed
	// when the proof has come.
	pending map[engine.ID]pending

	changed   []engine.ID // channels of which assignments have to be passed on
	stops     []stop
	dismissed []engine.Peer // former contacts
	flushing  bool          // a flush is due
	redivide  bool          // contacts have come since slots were divided
	sweeping  bool          // soonest is about to be swept
	digesting bool          // the sending of digests is due
}

// moment is a time by Env.Now; 0: none.
type moment = time.Duration

// duty is a channel that is polled here, or that this node only passes assignments on for. A contact answers for a part
// of the ring, and may be outside of a polling set that reaches into it. Nodes hold up to a million duties; see
// dutyTable.
type duty struct {
	channel machine.Channel
	slot
	passed uint64 // see Passed
	term   uint32 // see Set
	size   machine.Size
	parent uint16 // in parents
	scope  uint8  // this node answers for the nodes that share so many first bits with it
	round  uint8  // the parent's when it was last assigned
	member bool   // this node is in the set, or is the primary: it polls
	waits  bool   // but not now: see Host.MayJoin
	handed bool   // this node was the primary, and its successor has not assigned it so far
	hushed bool   // see Passed
	news   news
}

// polls reports whether this node polls it.
func (d *duty) polls() bool { return d.member && !d.waits }

// news is what contacts below have not received yet.
type news uint8

const (
	moved    news = 1 << iota // when they poll
	assigned                  // that they poll, perhaps
)

// stop is a Stop to be sent.
type stop struct {
	to      *contact
	channel engine.ID
}

// assignmentSum is what one assignment adds to a digest's sum.
func assignmentSum(channel engine.ID, s machine.Size) uint64 {
	return Fold(uint64(s.Bits)<<8|uint64(s.Run)+1, binary.LittleEndian.Uint64(channel[:]),
		binary.LittleEndian.Uint64(channel[12:]))
}

// find returns the duty for a channel, or nil. It is valid until the next channel is dropped.
func (s *duties) find(channel engine.ID) *duty { return s.table.find(channel) }

// below calls f with the contacts below this node that answer for nodes of a channel's set.
func (s *duties) below(d *duty, f func(c *contact, arc machine.Arc)) {
	arc := machine.ArcOf(d.channel.ID, d.size)
	for _, c := range s.view.within(d.scope) {
		if arc.Overlap(c.peer.ID, c.bits) > 0 {
			f(c, arc)
		}
	}
}

// put adds a channel, or updates it.
func (s *duties) put(d duty, l Limits, a Asked) *duty {
	old := s.find(d.channel.ID)
	if old == nil {
		s.account(&d, 1)
		s.setLimits(d.channel.ID, l, a)
		s.poll(&d)
		added := s.table.add(d)
		s.pass(added, assigned)
		return added
	}
	was, limited := *old, s.limits[d.channel.ID] != l
	if old.size != d.size && old.parent == d.parent {
		s.stopBelow(old, &d)
	}
	if old.size != d.size || old.scope != d.scope || old.parent != d.parent { // else it is part of the same sums
		s.account(old, -1)
		s.account(&d, 1)
	}
	if was.polls() && (d.start != was.start || !d.polls()) {
		s.keepApart(&was)
	}
	s.setLimits(d.channel.ID, l, a)
	d.news, d.passed, d.hushed = was.news, was.passed, was.hushed
	*old = d
	switch {
	case was.polls() && !d.polls():
		s.poller.Stop(d.channel.ID)
	case d.start != was.start, d.polls() != was.polls(), limited:
		s.poll(old)
	}
	switch {
	case d.size != was.size || d.scope != was.scope || d.term != was.term:
		s.pass(old, assigned)
	case d.slot != was.slot || limited:
		s.pass(old, moved)
	}
	return old
}

// learnVersion notes a version that another node has named.
func (s *duties) learnVersion(channel engine.ID, version uint64) {
	if version > s.host.Held(channel) {
		s.versions[channel] = max(version, s.versions[channel])
	}
}

// latest returns the latest known version of a channel. So even a parent that has just started can send its children
// the current version. Their first poll is not reported as a change.
func (s *duties) latest(channel engine.ID) uint64 {
	return max(s.host.Held(channel), s.versions[channel])
}

// forgetVersions drops versions that this node now has: there may be as many as duties.
func (s *duties) forgetVersions() {
	maps.DeleteFunc(s.versions, func(channel engine.ID, version uint64) bool { return version <= s.host.Held(channel) })
}

// drop removes a channel.
func (s *duties) drop(channel engine.ID) {
	d := s.find(channel)
	if d == nil {
		return
	}
	s.account(d, -1)
	s.below(d, func(c *contact, _ machine.Arc) {
		if c.digestDue == 0 || c.digestsSent > 0 {
			s.queueDigest(c)
		}
	})
	polls := d.polls()
	if polls {
		s.keepApart(d)
	}
	s.table.remove(channel)
	s.setLimits(channel, Limits{}, Asked{})
	delete(s.versions, channel)
	if polls {
		s.poller.Stop(channel)
	}
	if _, waits := s.pending[channel]; !waits {
		s.host.Ended(channel)
	}
}

// disband ends the polling of a channel without subscribers.
func (s *duties) disband(channel engine.ID) {
	if d := s.find(channel); d != nil && d.parent == byself {
		s.stopBelow(d, nil)
		s.drop(channel)
	}
}

// handingOver is how long a former primary outside the set continues to poll, when no node is going to send it
// assignments.
const handingOver = 30 * time.Second

// handOver ends the leading of a channel when another node has become primary. This node polls on as if that one had
// assigned it, and so do those below, until its assignments arrive.
func (s *duties) handOver(channel engine.ID, next engine.Peer) {
	d := s.find(channel)
	if d == nil || d.parent != byself {
		return
	}
	position, ok := uint16(0), false
	if !next.IsZero() {
		position, ok = s.parentOf(next)
	}
	if !ok {
		s.drop(channel)
		return
	}
	s.account(d, -1)
	d.parent, d.round, d.handed = position, s.parents[position].round, true
	s.account(d, 1)
	if machine.ArcOf(channel, d.size).Contains(s.Env.Self().ID) {
		return
	}
	s.Env.After(handingOver, func() {
		if d := s.find(channel); d != nil && d.handed {
			s.drop(channel)
		}
	})
}

func (s *duties) setLimits(channel engine.ID, l Limits, a Asked) {
	if l == (Limits{}) {
		delete(s.limits, channel)
	} else {
		s.limits[channel] = l
		if l.NotBefore > s.Env.Now() {
			s.host.Waits(channel, l.NotBefore)
		}
	}
	if a.Interval == 0 && a.Until == 0 {
		delete(s.asked, channel)
	} else {
		s.asked[channel] = a
	}
}

// keepApart delays the next turn of a channel until half a period after the last one, when its slot is about to
// change.
func (s *duties) keepApart(d *duty) {
	channel, period := s.table.hash(d.channel.ID), s.period(s.limits[d.channel.ID])
	last := nextTime(d.start.time(), period, s.Env.Now()) - period
	if last < s.soonest[channel] { // there was no turn since
		return
	}
	s.soonest[channel] = last + period/2
	s.sweepLater()
}

// sweepLater clears entries of soonest that have no effect any more, after an interval. All channels share a timer:
// when a node's contacts change, the slots of most move.
func (s *duties) sweepLater() {
	if s.sweeping {
		return
	}
	s.sweeping = true
	s.Env.After(s.config.Interval, func() {
		s.sweeping = false
		longest := s.config.Interval
		for _, l := range s.limits {
			longest = max(longest, l.Interval)
		}
		for channel, until := range s.soonest {
			if s.Env.Now() >= until+longest {
				delete(s.soonest, channel)
			}
		}
		if len(s.soonest) > 0 {
			s.sweepLater()
		}
	})
}

// account adds a channel to the sums that it is part of, or removes it.
func (s *duties) account(d *duty, times int) {
	sum := assignmentSum(d.channel.ID, d.size) * uint64(times)
	by := &s.parents[d.parent]
	by.sum += sum
	by.count += times
	s.below(d, func(c *contact, _ machine.Arc) { c.sums += sum })
}

// each calls f with all channels that concern a contact.
func (s *duties) each(c *contact, f func(d *duty, arc machine.Arc)) {
	shared := uint8(s.Env.Self().ID.CommonBits(c.peer.ID))
	for i := range s.table.length {
		d := s.table.at(i)
		if d.scope > shared {
			continue
		}
		if arc := machine.ArcOf(d.channel.ID, d.size); arc.Overlap(c.peer.ID, c.bits) > 0 {
			f(d, arc)
		}
	}
}

// poll schedules a channel's polls.
func (s *duties) poll(d *duty) {
	if !d.polls() {
		return
	}
	l := s.limits[d.channel.ID]
	period := s.period(l)
	first := nextTime(d.start.time(), period, max(s.Env.Now(), s.soonest[s.table.hash(d.channel.ID)]))
	s.poller.Poll(d.channel, Task{First: first, Interval: period, NotBefore: l.NotBefore})
}

// mostRest is the largest fraction of an interval's turns that may be skipped, however often the channel is polled out
// of turn. So the next change is found soon too.
const mostRest = 0.5

// rest skips this node's next turn at a channel that others have just polled out of turn. As many turns are skipped as
// there were polls, spread evenly over the next interval, and at most half of the turns. So the origin gets few more
// requests than the set makes, and no long gap results. A node that polls alone skips none: there would be no poll for
// two intervals.
func (s *duties) rest(d *duty, polls int) {
	pollers := s.view.pollers(d.channel.ID, d.size)
	if !d.polls() || pollers < 2 {
		return
	}
	l, now := s.limits[d.channel.ID], s.Env.Now()
	period := s.period(l)
	next := nextTime(d.start.time(), period, now)
	wall := time.Duration(s.Env.Wall().UnixNano()) - now // nodes do not share Env.Now
	if rests(wall+next, wall+now, period, polls, pollers) {
		s.poller.Poll(d.channel, Task{First: next + period, Interval: period, NotBefore: l.NotBefore})
	}
}

// rests reports whether a turn is skipped after polls out of turn at a time before it. An interval is divided into
// parts: the power of two below the number of pollers. Only turns in every other part may be skipped, and in the next
// interval those in the others. So many changes together skip no more than half. Nodes count pollers differently, but
// seldom get another power. One with a count that alternates between two skips at most three quarters.
func rests(turn, now, period time.Duration, polls int, pollers float64) bool {
	_, bits := math.Frexp(max(1, pollers))
	round, part := int64(turn/period), int64(math.Ldexp(float64(turn%period)/float64(period), bits-1))
	if (round+part)%2 != 0 {
		return false
	}
	share := float64(polls) / max(1, pollers) / mostRest // of the turns that may be skipped
	_, place := math.Modf(float64(polls) * float64(turn-now) / float64(period))
	return place < share
}

// period returns how often a node polls to keep the limits by itself.
func (s *duties) period(l Limits) time.Duration { return max(s.config.Interval, l.Interval) }

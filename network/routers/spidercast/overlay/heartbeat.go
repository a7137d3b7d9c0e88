package overlay

import (
	"slices"

	"tidings/network/engine"
)

// beat sends a heartbeat to all neighbours and parts with those that are silent.
func (o *Overlay) beat() {
	now := o.env.Now()
	o.markIdle()
	for _, l := range slices.Clone(o.links.list) {
		if l.heard+o.config.Silence <= now {
			o.lose(l, Silent)
			continue
		}
		o.env.Send(l.peer, &Heartbeat{
			Tasks: l.tasks(), Known: l.known(o.profile.Version), Greedy: o.tasks[Greedy].standing(),
			Random: o.tasks[Random].standing(), Idle: l.spare(),
		})
	}
	o.beatDue = now + o.config.Heartbeat
}

// onHeartbeat notes a neighbour's degrees, and mends what the two ends see differently.
func (o *Overlay) onHeartbeat(from engine.Peer, m *Heartbeat) {
	l := o.links.byID[from.ID]
	if l == nil {
		o.env.Send(from, &Leave{m.Tasks})
		return
	}
	l.idle = m.Idle
	for i, s := range [tasks]Standing{m.Greedy, m.Random} {
		if t := Task(i); m.Tasks&t.bit() != 0 && l.sets[t].in {
			l.sets[t].degree, l.sets[t].target = int(s.Degree), int(s.Target)
		} else if m.Tasks&t.bit() != 0 {
			o.env.Send(from, &Leave{t.bit()})
		}
	}
	o.compare(l, m.Tasks)
	if o.links.byID[from.ID] == l && m.Known != o.profile.Version {
		o.sendProfile(l)
	}
}

// compare removes a neighbour from the sets that it does not know to be in. A set that it is new to it may know nothing
// of yet.
func (o *Overlay) compare(l *link, theirs uint8) {
	for i := range o.tasks {
		t := &o.tasks[i]
		if m := l.sets[i]; m.in && theirs&t.kind.bit() == 0 && m.joined+o.config.Heartbeat <= o.env.Now() {
			o.removeNeighbor(t, l, Left)
		}
	}
}

// sendProfile sends a neighbour what this node follows now.
func (o *Overlay) sendProfile(l *link) {
	o.env.Send(l.peer, &ProfileChanged{o.profile})
	o.sendTopics(l)
}

// sendTopics sends a neighbour which topics this node really follows, if its profile does not say so.
func (o *Overlay) sendTopics(l *link) {
	if l == nil || o.profile.Follows.Exact() {
		return
	}
	names, complete := o.topics.followed(maxTopicsNames, l.profile.Follows, l.profile.Publishes)
	if !complete {
		o.env.Trace(LimitHit{"maxTopicsNames", maxTopicsNames})
	}
	o.env.Send(l.peer, &Topics{o.profile.Version, l.profile.Version, names})
}

// maxTopicsNames is how many topics one Topics names at most.
const maxTopicsNames = 4096

// onProfileChanged adopts what a neighbour follows now (section 2.4).
func (o *Overlay) onProfileChanged(from engine.Peer, m *ProfileChanged) {
	l := o.links.byID[from.ID]
	if l == nil || !o.sound(from, Greedy, &m.Profile) {
		return
	}
	if l.profile.Version != m.Profile.Version {
		o.learn(l, &m.Profile)
		o.linkChanged(l)
	}
	o.sendTopics(l)
}

// onTopics adopts which of our topics a neighbour follows, if its profile is a filter.
func (o *Overlay) onTopics(from engine.Peer, m *Topics) {
	l := o.links.byID[from.ID]
	switch {
	case l == nil || l.profile.Follows.Exact() || m.Version != l.profile.Version || m.Of != o.profile.Version:
		return // out of date: the next heartbeat asks for another
	case !m.Names.Exact() || m.Names.Validate() != nil:
		o.env.Trace(Refused{from, "malformed"})
		return
	}
	o.uncover(l)
	l.verified, l.exact, l.verifiedOf, l.ourOf = m.Names, true, m.Version, m.Of
	o.cover(l)
	o.linkChanged(l)
}

// learn adopts a neighbour's profile. Of a filter, what was known before stands until Topics says more. If nothing was
// known, the filter's claims count as cover, and nothing is carried.
func (o *Overlay) learn(l *link, p *Profile) {
	o.uncover(l)
	if l.exact {
		l.verified = l.set()
	}
	l.profile, l.broad = *p, o.usual.Exceeded(p.Follows)
	l.exact = l.exact || p.Follows.Exact()
	l.serves = o.topics.anyFollowed(p.Publishes)
	o.cover(l)
}

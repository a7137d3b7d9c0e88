package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// publications are the topics that this node publishes on.
type publications struct {
	index map[Group]*publication
	list  []*publication // that used last at the end
}

// publication is this node's numbering of its events on one topic, and those that the roots have
// not taken yet.
type publication struct {
	Group
	stream  uint64
	number  uint64
	roots   rootsOf
	proved  []engine.ID // roots that have taken the events they were given lately
	untaken []*untaken
	alarm   engine.Alarm
}

// untaken is an event that not all roots are known to have.
type untaken struct {
	event *Event
	name  uint64
	given []engine.ID // roots that were told of it since it was offered last
	taken []engine.ID // roots that have it
	tries int
	due   time.Duration
}

// Publish sends an event to all that have joined a topic. One that is not admitted here is not
// sent.
func (n *Node) Publish(topic engine.ID, event engine.Message) { n.PublishAt(topic, topic, event) }

// PublishAt is Publish for members that have joined by JoinAt.
func (n *Node) PublishAt(topic, key engine.ID, event engine.Message) {
	p := n.publicationOf(NameOf(topic, key))
	e := &Event{Topic: topic, Stream: p.stream, Number: p.number + 1, Payload: event}
	name, size, ok := n.admit(e, n.env.Self())
	if !ok {
		n.env.Trace(Refused{p.Group, n.env.Self()})
		return
	}
	if len(p.untaken) >= n.config.MaxUntaken {
		n.limitHit("MaxUntaken", n.config.MaxUntaken)
		n.env.Trace(Untaken{p.Group, p.untaken[0].event.Number})
		p.untaken = p.untaken[1:]
	}
	p.number++
	n.env.Trace(Published{p.Group, e.Number})
	u := &untaken{event: e, name: name}
	p.untaken = append(p.untaken, u)
	if g := n.find(p.Group); g != nil {
		n.spread(g, e, name, size, n.env.Self())
		n.spare(g, p, u)
	}
	n.offer(p, u)
	n.offerLater(p)
}

// publicationOf returns the publication on a topic. The one that was used least lately is
// forgotten where there would be too many; if it is used again it has a new epoch.
func (n *Node) publicationOf(name Group) *publication {
	all := &n.publications
	p := all.index[name]
	if p == nil {
		if len(all.list) >= n.config.MaxPublications {
			n.limitHit("MaxPublications", n.config.MaxPublications)
			oldest := all.list[0]
			oldest.alarm.Stop()
			delete(all.index, oldest.Group)
			all.list = all.list[1:]
		}
		p = &publication{Group: name, stream: n.env.Rand().Uint64()}
		all.index[name] = p
	} else {
		i := slices.Index(all.list, p)
		all.list = slices.Delete(all.list, i, i+1)
	}
	all.list = append(all.list, p)
	return p
}

// offer gives an event to the roots, for the first time or again: over the ring if nobody knows who
// they are, or if those have not answered.
func (n *Node) offer(p *publication, u *untaken) {
	now := n.env.Now()
	u.due = now + n.jitter(n.config.PublishRetry<<min(u.tries, 10))
	u.given = nil
	if u.tries > 0 {
		p.doubt(u)
	}
	owners, sure := n.ring.Owners(p.rootKey(), n.config.Roots)
	switch {
	case sure && n.ring.Active():
		p.roots.set(owners, now)
	case u.tries > 0 || p.roots.old(now):
		p.roots.list = nil
	}
	u.tries++
	if len(p.roots.list) == 0 {
		n.ring.Route(p.rootKey(), &Publish{Key: p.Key, From: n.env.Self(), Event: *u.event})
		return
	}
	n.give(p, u)
}

// give gives an event to the roots that are not known to have it: to the closest and, until one of them has
// proved to take what it is given, to the next. The others get it down the tree, unless the event
// is offered again.
func (n *Node) give(p *publication, u *untaken) {
	proved := false
	for i, root := range p.roots.list {
		switch {
		case slices.Contains(u.taken, root.ID) || slices.Contains(u.given, root.ID):
		case n.isSelf(root):
			u.taken = append(u.taken, root.ID)
			n.takeAsRoot(p.Group, u.event, root)
		case proved && u.tries == 1:
			n.env.Send(root, &Have{p.Group, u.name})
		default:
			n.env.Send(root, &Publish{Key: p.Key, Event: *u.event})
		}
		u.given = append(u.given, root.ID)
		proved = proved || i == 0 && n.isSelf(root) || slices.Contains(p.proved, root.ID)
	}
	n.settled(p, u)
}

// spare tells the parent that it need not hand an event down to this node, unless it hears of it as a
// root anyway.
func (n *Node) spare(g *group, p *publication, u *untaken) {
	if g.parent != nil && !p.roots.has(g.parent.peer.ID) {
		n.env.Send(g.parent.peer, &Have{p.Group, u.name})
	}
}

// doubt takes note of the roots that have not taken an event.
func (p *publication) doubt(u *untaken) {
	p.proved = slices.DeleteFunc(p.proved, func(id engine.ID) bool { return !slices.Contains(u.taken, id) })
}

// prove takes note of a root that has.
func (p *publication) prove(root engine.ID) {
	if slices.Contains(p.proved, root) {
		return
	}
	if len(p.proved) == 2*maxRoots {
		p.proved = p.proved[1:]
	}
	p.proved = append(p.proved, root)
}

// offerLater offers again what is due.
func (n *Node) offerLater(p *publication) {
	if len(p.untaken) == 0 {
		return
	}
	next := p.untaken[0].due
	for _, u := range p.untaken {
		next = min(next, u.due)
	}
	p.alarm.Soon(n.env, next, func() {
		for _, u := range slices.Clone(p.untaken) {
			if u.due > n.env.Now() {
				continue
			}
			if u.tries >= n.config.PublishTries {
				n.env.Trace(Untaken{p.Group, u.event.Number})
				p.drop(u)
				continue
			}
			n.offer(p, u)
		}
		n.offerLater(p)
	})
}

func (p *publication) drop(u *untaken) {
	p.untaken = slices.DeleteFunc(p.untaken, func(v *untaken) bool { return v == u })
}

// settled forgets an event that all roots have.
func (n *Node) settled(p *publication, u *untaken) {
	if len(p.roots.list) == 0 {
		return // one has it, and who the others are is not known yet
	}
	for _, root := range p.roots.list {
		if !slices.Contains(u.taken, root.ID) {
			return
		}
	}
	p.drop(u)
}

// takePublish takes an event as one of the roots. It came from a peer, or was routed.
func (n *Node) takePublish(from engine.Peer, m *Publish) {
	publisher := from
	if from.IsZero() {
		publisher = m.From
	}
	if publisher.IsZero() || n.isSelf(publisher) {
		return
	}
	name := Group{m.Event.Topic, m.Key}
	owners, _ := n.ring.Owners(name.rootKey(), n.config.Roots)
	if !slices.ContainsFunc(owners, n.isSelf) {
		return // the publisher will find out who is
	}
	event := m.Event
	taken, ok := n.takeAsRoot(name, &event, from)
	if !ok {
		return
	}
	answer := &Taken{Group: name, Name: taken}
	if from.IsZero() || !n.isSelf(owners[0]) {
		answer.Roots = slices.Clone(owners)
	}
	n.env.Send(publisher, answer)
}

// takeAsRoot takes an event that its publisher gives to a root, and returns its name.
func (n *Node) takeAsRoot(in Group, e *Event, from engine.Peer) (name uint64, ok bool) {
	name, size, ok := n.admit(e, from)
	if !ok {
		n.env.Trace(Refused{in, from})
		return 0, false
	}
	g := n.enter(in, n.env.Now())
	if g == nil {
		return 0, false
	}
	n.spread(g, e, name, size, from)
	return name, true
}

// taken notes that a root has an event, and gives it to roots that this node did not know.
func (n *Node) taken(from engine.Peer, m *Taken) {
	p := n.publications.index[m.Group]
	if p == nil {
		return
	}
	u := p.find(m.Name)
	if u == nil {
		return
	}
	p.prove(from.ID)
	if !slices.Contains(u.taken, from.ID) {
		u.taken = append(u.taken, from.ID)
		n.env.Trace(Rested{p.Group, u.event.Payload, from})
	}
	if slices.ContainsFunc(m.Roots, func(r engine.Peer) bool { return r.ID == from.ID }) {
		if _, sure := n.ring.Owners(p.rootKey(), n.config.Roots); !sure {
			p.roots.add(p.rootKey(), m.Roots, n.config.Roots, n.env.Now())
			n.give(p, u)
			return
		}
	}
	n.settled(p, u)
}

// find returns the event of a name that not all roots are known to have; nil if it is none.
func (p *publication) find(name uint64) *untaken {
	i := slices.IndexFunc(p.untaken, func(u *untaken) bool { return u.name == name })
	if i < 0 {
		return nil
	}
	return p.untaken[i]
}

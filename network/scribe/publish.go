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
	epoch   uint64
	number  uint64
	roots   rootsOf
	untaken []*untaken
	alarm   alarm
}

// untaken is an event that not all roots are known to have.
type untaken struct {
	event *Event
	taken []engine.ID // roots that have it
	tries int
	due   time.Duration
}

// Publish sends an event to all that have joined a topic.
func (n *Node) Publish(topic engine.ID, event engine.Message) { n.PublishAt(topic, topic, event) }

// PublishAt is Publish for members that have joined by JoinAt.
func (n *Node) PublishAt(topic, key engine.ID, event engine.Message) {
	p := n.publicationOf(Group{topic, key})
	if len(p.untaken) >= n.config.MaxUntaken {
		n.limitHit("MaxUntaken", n.config.MaxUntaken)
		n.env.Trace(Untaken{p.Group, p.untaken[0].event.Number})
		p.untaken = p.untaken[1:]
	}
	p.number++
	e := &Event{Topic: topic, Source: n.env.Self().ID, Epoch: p.epoch, Number: p.number, Payload: event}
	n.env.Trace(Published{p.Group, e.Number})
	if g := n.find(p.Group); g != nil {
		n.take(g, e, n.env.Self())
	}
	u := &untaken{event: e}
	p.untaken = append(p.untaken, u)
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
			oldest.alarm.stop()
			delete(all.index, oldest.Group)
			all.list = all.list[1:]
		}
		p = &publication{Group: name, epoch: n.env.Rand().Uint64()}
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
	owners, sure := n.ring.Owners(p.Key, n.config.Roots)
	switch {
	case sure && n.ring.Active():
		p.roots.set(owners, now)
	case u.tries > 0 || p.roots.old(now):
		p.roots.list = nil
	}
	u.tries++
	if len(p.roots.list) == 0 {
		n.ring.Route(p.Key, &Publish{Key: p.Key, From: n.env.Self(), Event: *u.event})
		return
	}
	n.give(p, u)
}

// give gives an event to the roots that are not known to have it.
func (n *Node) give(p *publication, u *untaken) {
	m := &Publish{Key: p.Key, From: n.env.Self(), Event: *u.event}
	for _, root := range p.roots.list {
		switch {
		case slices.Contains(u.taken, root.ID):
		case n.isSelf(root):
			u.taken = append(u.taken, root.ID)
			n.takeAsRoot(m)
		default:
			n.env.Send(root, m)
		}
	}
	n.settled(p, u)
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
	p.alarm.set(n.env, next, func() {
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
	for _, root := range p.roots.list {
		if !slices.Contains(u.taken, root.ID) {
			return
		}
	}
	p.drop(u)
}

// takePublish takes an event as one of the roots, or sends it on to who is.
func (n *Node) takePublish(m *Publish) {
	if m.Event.Payload == nil || n.isSelf(m.From) {
		return
	}
	owners, _ := n.ring.Owners(m.Key, n.config.Roots)
	if !slices.ContainsFunc(owners, n.isSelf) {
		return // the publisher will find out who is
	}
	n.takeAsRoot(m)
	n.env.Send(m.From, &Taken{
		Group: Group{m.Event.Topic, m.Key}, Epoch: m.Event.Epoch, Number: m.Event.Number, Roots: slices.Clone(owners),
	})
}

func (n *Node) takeAsRoot(m *Publish) {
	g := n.enter(Group{m.Event.Topic, m.Key})
	if g == nil {
		return
	}
	e := m.Event
	n.take(g, &e, engine.Peer{}) // the publisher too may have children who lack it
}

// taken notes that a root has an event, and gives it to the others.
func (n *Node) taken(from engine.Peer, m *Taken) {
	p := n.publications.index[m.Group]
	if p == nil || p.epoch != m.Epoch {
		return
	}
	i := slices.IndexFunc(p.untaken, func(u *untaken) bool { return u.event.Number == m.Number })
	if i < 0 {
		return
	}
	u := p.untaken[i]
	if !slices.Contains(u.taken, from.ID) {
		u.taken = append(u.taken, from.ID)
	}
	if len(p.roots.list) == 0 && slices.ContainsFunc(m.Roots, func(r engine.Peer) bool { return r.ID == from.ID }) {
		p.roots.set(m.Roots, n.env.Now())
		n.give(p, u)
		return
	}
	n.settled(p, u)
}

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
		n.env.Trace(RootTimedOut{p.Group, p.untaken[0].event.Number})
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
		if all.list[len(all.list)-1] == p {
			return p
		}
		i := slices.Index(all.list, p)
		all.list = slices.Delete(all.list, i, i+1)
	}
	all.list = append(all.list, p)
	return p
}

// find returns the event of a name that not all roots are known to have; nil if it is none.
func (p *publication) find(name uint64) *untaken {
	i := slices.IndexFunc(p.untaken, func(u *untaken) bool { return u.name == name })
	if i < 0 {
		return nil
	}
	return p.untaken[i]
}

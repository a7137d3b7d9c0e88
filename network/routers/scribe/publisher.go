package scribe

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// publisher offers the events of this node to the roots, until all of them are known to have them, or
// Config.PublishTries times. It numbers the events of each topic from 1. It keeps at most Config.MaxPublications
// topics, and Config.MaxUntaken events of each.
type publisher struct {
	env    engine.Env
	config Config
	finder finder
	member network.Member
	trees  trees
	// onRootAcked is called with roots that have an event of this node; never nil.
	onRootAcked func(RootAcked)

	index map[Group]*publication
	list  []*publication // that used last at the end
}

// trees is what a publisher needs of the groups that its node is in.
type trees interface {
	// spreadOwn hands an admitted event down the tree, if this node is in it, and returns the parent; zero: none.
	spreadOwn(in Group, e *Event, name uint64, size int) (parent engine.Peer)
	// receiveAsRoot accepts an event that this node publishes, as one of the roots.
	receiveAsRoot(in Group, e *Event, from engine.Peer) (name uint64, ok bool)
	// knownRoots returns the roots as far as a group that this node is in knows them.
	knownRoots(of Group) []engine.Peer
}

func newPublisher(env engine.Env, f finder, member network.Member, t trees, c Config) *publisher {
	return &publisher{
		env: env, config: c, finder: f, member: member, trees: t, onRootAcked: func(RootAcked) {},
		index: make(map[Group]*publication),
	}
}

// publication is this node's numbering of its events on one topic, and those that the roots have
// not accepted yet.
type publication struct {
	Group
	stream  uint64
	number  uint64
	roots   rootsOf
	asking  bool        // a node was asked for the roots, and has not answered
	proved  []engine.ID // roots that have accepted the events they were given lately
	untaken []*untaken
	alarm   engine.Alarm
}

// untaken is an event that not all roots are known to have.
type untaken struct {
	event *Event
	name  uint64
	given []engine.ID // roots that were offered it since it was offered last
	taken []engine.ID // roots that have it
	tries int
	due   time.Duration
}

// publish offers an event to the roots, and hands it down the tree if this node is in it.
func (w *publisher) publish(name Group, payload engine.Message) {
	p := w.publicationOf(name)
	e := &Event{Topic: name.Topic, Stream: p.stream, Number: p.number + 1, Payload: payload}
	digest, size, ok := admit(w.member, e, w.env.Self())
	if !ok {
		w.env.Trace(Refused{p.Group, w.env.Self()})
		return
	}
	if u := p.find(digest); u != nil { // it is published again, as nobody is known to have it
		u.tries = 0
		w.offer(p, u)
		w.offerLater(p)
		return
	}
	if len(p.untaken) >= w.config.MaxUntaken {
		w.env.Trace(LimitHit{"MaxUntaken", w.config.MaxUntaken})
		w.env.Trace(RootTimedOut{p.Group, p.untaken[0].event.Number})
		p.untaken = p.untaken[1:]
	}
	p.number++
	w.env.Trace(Published{p.Group, e.Number})
	u := &untaken{event: e, name: digest}
	p.untaken = append(p.untaken, u)
	parent := w.trees.spreadOwn(p.Group, e, digest, size)
	if !parent.IsZero() && !p.roots.has(parent.ID) { // a root learns of it anyway
		w.env.Send(parent, &IHave{p.Group, digest})
	}
	w.offer(p, u)
	w.offerLater(p)
}

// receiveTaken notes that a root has an event, and offers it to roots that this node did not know.
func (w *publisher) receiveTaken(from engine.Peer, m *Taken) {
	p := w.index[m.Group]
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
		acked := RootAcked{p.Group, u.event.Payload, from}
		w.env.Trace(acked)
		w.onRootAcked(acked)
	}
	if slices.ContainsFunc(m.Roots, func(r engine.Peer) bool { return r.ID == from.ID }) {
		if _, sure := w.finder.owners(p.Group); !sure {
			p.roots.add(p.rootKey(), m.Roots, w.config.Roots, w.env.Now())
			w.offerRound(p, u)
			return
		}
	}
	p.settle(u)
	w.offerLater(p) // another may wait for this one
}

// receiveIWant sends an event to a root that has not got it down the tree.
func (w *publisher) receiveIWant(from engine.Peer, m *IWant) {
	p := w.index[m.Group]
	if p == nil {
		return
	}
	if u := p.find(m.Name); u != nil {
		w.env.Send(from, &Publish{Key: p.Key, Event: *u.event})
	}
}

// knownRoots returns the roots of a group that this node publishes in, as far as it has learned them.
func (w *publisher) knownRoots(of Group) []engine.Peer {
	if p := w.index[of]; p != nil && !p.roots.old(w.env.Now()) {
		return p.roots.list
	}
	return nil
}

// publicationOf returns the publication on a topic. The one that was used least lately is
// forgotten where there would be too many; if it is used again it has a new epoch.
func (w *publisher) publicationOf(name Group) *publication {
	p := w.index[name]
	if p == nil {
		if len(w.list) >= w.config.MaxPublications {
			w.env.Trace(LimitHit{"MaxPublications", w.config.MaxPublications})
			oldest := w.list[0]
			oldest.alarm.Stop()
			delete(w.index, oldest.Group)
			w.list = w.list[1:]
		}
		p = &publication{Group: name, stream: w.env.Rand().Uint64()}
		w.index[name] = p
	} else {
		if w.list[len(w.list)-1] == p {
			return p
		}
		i := slices.Index(w.list, p)
		w.list = slices.Delete(w.list, i, i+1)
	}
	w.list = append(w.list, p)
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

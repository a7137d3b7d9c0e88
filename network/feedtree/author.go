package feedtree

import (
	"errors"
	"fmt"
	"time"

	"tidings/network/engine"
)

// Authoring says for which publisher this node speaks.
type Authoring struct {
	Topic engine.ID
	// Last is the number of the last item that was given, 0 if there was none. The Library lends
	// the items.
	Last uint64
	// Silence is within what time a word of the publisher is promised: after half of it without
	// one, Beat is called. 0: nothing is promised.
	Silence time.Duration
	// Beat returns what to say when there is nothing new: a Heartbeat, or after a rotation, on the
	// old topic, the Rotation, dated anew. nil: nothing now. It must not call back.
	Beat func() engine.Message
}

// Errors of Publish.
var (
	ErrAuthor    = errors.New("this node does not speak for the publisher")
	ErrNumber    = errors.New("a number would be left out")
	ErrOvertaken = errors.New("the network knows of other items with this number")
)

// authored is for whom this node speaks.
type authored struct{ index map[engine.ID]*author }

// author is a publisher on one topic.
type author struct {
	Authoring
	contention
	last      uint64
	latest    engine.Message // *Head or *Heartbeat
	overtaken uint64         // the highest number that only others have given; 0: none
	due       engine.Alarm

	checking   bool
	check      engine.Alarm
	checks     int
	asked      []asked
	awaitUntil time.Duration    // until when ever later items are waited for
	known      bool             // somebody knows the publisher
	queue      []engine.Message // waits for the check
	awaiting   awaiting         // items that no other node is known to have
}

// asked is a node that is asked for what it has beyond the publisher's node; upTo is the highest number that it has given.
type asked struct {
	node engine.ID
	upTo uint64
}

// Author has this node speak for a publisher: publish its items, send heartbeats, and give the
// Library's items to those who lack them. First the network is asked, for Config.Check, whether it knows of
// items beyond Last: this node may have been restored from an old copy. It traces Overtaken then, and what
// is published has to be numbered above.
func (n *Node) Author(w Authoring) error {
	all := &n.authored
	switch {
	case all.index[w.Topic] != nil:
		return fmt.Errorf("publishing on %s: %w", w.Topic.Short(), ErrKnown)
	case len(all.index) >= n.config.MaxAuthored:
		return fmt.Errorf("publishing on %s beside %d others: %w", w.Topic.Short(), len(all.index), ErrFull)
	}
	a := &author{Authoring: w, contention: newContention(n, w.Topic), last: w.Last, checking: true}
	all.index[w.Topic] = a
	n.tree.Join(w.Topic)
	n.checkNumbers(a)
	a.beatLater(n)
	return nil
}

// Unauthor ends what Author began.
func (n *Node) Unauthor(topic engine.ID) {
	a := n.authored.index[topic]
	if a == nil {
		return
	}
	a.due.Stop()
	a.check.Stop()
	a.awaiting.alarm.Stop()
	delete(n.authored.index, topic)
	if n.followings.index[topic] == nil {
		n.tree.Leave(topic)
	}
}

// Publish sends what a publisher has signed to all who follow its topic: an Item, a Heartbeat, a Rotation
// or a Revocation. An Item must be as safe in the Library as it will be. One that was published before can be
// published again: those who have it take no notice.
func (n *Node) Publish(topic engine.ID, event engine.Message) error {
	a := n.authored.index[topic]
	if a == nil {
		return fmt.Errorf("publishing on %s: %w", topic.Short(), ErrAuthor)
	}
	if err := n.mayPublish(a, event); err != nil {
		return fmt.Errorf("publishing on %s: %w", topic.Short(), err)
	}
	if i, ok := event.(*Item); ok {
		a.last = max(a.last, i.Number)
		n.withdrawals.note(n, topic, i) // which may be of what still waits
	}
	if a.checking {
		if len(a.queue) >= n.config.MaxQueued {
			return fmt.Errorf("publishing on %s: %w: %d events wait until the network is known", topic.Short(), ErrFull, len(a.queue))
		}
		a.queue = append(a.queue, event)
		return nil
	}
	n.send(a, event)
	return nil
}

// LeaveOut says that the numbers from one to another are left out by the next item: they were sent before, or
// taken back before they were.
func (n *Node) LeaveOut(topic engine.ID, from, to uint64) {
	if a := n.authored.index[topic]; a != nil && from <= a.last+1 {
		a.last = max(a.last, to)
	}
}

// mayPublish returns what is wrong with an event.
func (n *Node) mayPublish(a *author, event engine.Message) error {
	s, ok := statementOf(a.Topic, event)
	if _, head := event.(*Head); !ok || head {
		return Malformed
	}
	if a.contested && promises(event) {
		return ErrContested
	}
	if why := n.judge(a.Topic, &s, n.env.Self()); why != Genuine {
		return why
	}
	i, ok := event.(*Item)
	if !ok {
		return nil
	}
	known, told := n.heads.get(place{a.Topic, i.Number})
	h := i.Head()
	switch {
	case i.Number > max(a.last, a.overtaken)+1:
		return fmt.Errorf("%d after %d: %w", i.Number, a.last, ErrNumber)
	case told && (known.Hash != h.Hash || known.Time != h.Time):
		return fmt.Errorf("%d: %w", i.Number, ErrOvertaken)
	case !told && i.Number <= a.overtaken && i.Number > a.Last:
		return fmt.Errorf("%d, up to %d: %w", i.Number, a.overtaken, ErrOvertaken)
	}
	return nil
}

func (n *Node) send(a *author, event engine.Message) {
	switch m := event.(type) {
	case *Item:
		a.latest = m.Head()
		a.await(n, m.Number)
	case *Heartbeat:
		a.latest = m
	}
	a.said(event)
	n.tree.Publish(a.Topic, event)
	a.beatLater(n)
}

// beatLater has the publisher say something before its silence is over.
func (a *author) beatLater(n *Node) {
	if a.Silence <= 0 || a.Beat == nil {
		return
	}
	a.due.Set(n.env, n.env.Now()+a.Silence/2, func() {
		a.beatLater(n)
		if word := a.Beat(); word != nil && !a.checking && n.mayPublish(a, word) == nil {
			n.send(a, word)
		}
	})
}

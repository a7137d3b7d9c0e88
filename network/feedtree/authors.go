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
	// Silence is the time within which the publisher promises its next word. After half of it without a word, Beat is
	// called. 0: nothing is promised.
	Silence time.Duration
	// Beat returns what to send when there is nothing new: a Heartbeat. After a rotation it returns, on the old topic,
	// the Rotation with a new date. nil: nothing now. It must not call back.
	Beat func() engine.Message
}

// Errors of Publish.
var (
	ErrAuthor    = errors.New("this node does not speak for the publisher")
	ErrNumber    = errors.New("a number would be left out")
	ErrOvertaken = errors.New("the network knows of other items with this number")
)

// authors are the publishers for which this node speaks, Config.MaxAuthored at most. Before anything is sent, the
// network is asked for Config.Check what it knows of the publisher. Up to Config.MaxQueued events wait for that. Then
// nothing is sent that gives a number twice, or that leaves one out.
type authors struct {
	env      engine.Env
	config   Config
	ring     Ring
	tree     Tree
	library  Library
	archive  Archive // nil: there is none
	listener Listener
	words    words
	index    map[engine.ID]*author // by topic
}

// words is what authors need to know of what was signed.
type words interface {
	// judge returns what is wrong with a statement that a peer has sent.
	judge(topic engine.ID, s *statement, from engine.Peer) Why
	// note stores a statement that is genuine; false: another item has its number.
	note(topic engine.ID, event engine.Message, s *statement) bool
	noteWithdrawn(topic engine.ID, i *Item)
	isWithdrawn(topic engine.ID, event engine.Message) bool
	// headOf returns the item that has a number, and whether one is known.
	headOf(topic engine.ID, number uint64) (Head, bool)
	// advance notes how far a topic has come.
	advance(topic engine.ID, number uint64, at int64)
}

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
	known      bool             // another node knows the publisher
	queue      []engine.Message // waits for the check
	awaiting   awaiting         // items that no other node is known to have
}

// asked is a node that is asked for the items that it has beyond the publisher's node; upTo is the highest number that
// it has given.
type asked struct {
	node engine.ID
	upTo uint64
}

// Author makes this node speak for a publisher: it publishes items, sends heartbeats, and gives the Library's items to
// nodes that lack them. First it asks the network, for Config.Check, whether items beyond Last exist: this node may
// have been restored from an old copy. It traces Overtaken then, and what is published has to be numbered above.
func (n *Node) Author(w Authoring) error { return n.authors.add(w, n.record.timeOf(w.Topic)) }

// Unauthor ends what Author began.
func (n *Node) Unauthor(topic engine.ID) {
	if n.authors.remove(topic) && n.followings.index[topic] == nil {
		n.tree.Leave(topic)
	}
}

// Publish sends an event that a publisher has signed to all nodes that follow its topic: an Item, a Heartbeat, a
// Rotation or a Revocation. An Item must be as safe in the Library as it will be. One that was published before can be
// published again: those that have it ignore it.
func (n *Node) Publish(topic engine.ID, event engine.Message) error {
	if err := n.authors.publish(topic, event); err != nil {
		return fmt.Errorf("publishing on %s: %w", topic.Short(), err)
	}
	return nil
}

// LeaveOut reports that the next item skips the numbers from one to another. They were sent before, or withdrawn before
// they were sent.
func (n *Node) LeaveOut(topic engine.ID, from, to uint64) { n.authors.leaveOut(topic, from, to) }

// add begins to speak for a publisher. What was signed up to a time is from before.
func (w *authors) add(p Authoring, before int64) error {
	switch {
	case w.index[p.Topic] != nil:
		return fmt.Errorf("publishing on %s: %w", p.Topic.Short(), ErrKnown)
	case len(w.index) >= w.config.MaxAuthored:
		return fmt.Errorf("publishing on %s beside %d others: %w", p.Topic.Short(), len(w.index), ErrFull)
	}
	a := &author{Authoring: p, contention: newContention(w.env.Wall(), before), last: p.Last, checking: true}
	w.index[p.Topic] = a
	w.tree.Join(p.Topic)
	w.checkNumbers(a)
	w.beatLater(a)
	return nil
}

// remove ends that, and reports whether it had begun.
func (w *authors) remove(topic engine.ID) bool {
	a := w.index[topic]
	if a == nil {
		return false
	}
	a.due.Stop()
	a.check.Stop()
	a.awaiting.alarm.Stop()
	delete(w.index, topic)
	return true
}

// publish sends an event, or keeps it until the network is known.
func (w *authors) publish(topic engine.ID, event engine.Message) error {
	a := w.index[topic]
	if a == nil {
		return ErrAuthor
	}
	if err := w.mayPublish(a, event); err != nil {
		return err
	}
	if i, ok := event.(*Item); ok {
		a.last = max(a.last, i.Number)
		w.words.noteWithdrawn(topic, i) // which may be of what still waits
	}
	if !a.checking {
		w.send(a, event)
		return nil
	}
	if len(a.queue) >= w.config.MaxQueued {
		return fmt.Errorf("%w: %d events wait until the network is known", ErrFull, len(a.queue))
	}
	a.queue = append(a.queue, event)
	return nil
}

// leaveOut counts numbers as given, if they come next.
func (w *authors) leaveOut(topic engine.ID, from, to uint64) {
	if a := w.index[topic]; a != nil && from <= a.last+1 {
		a.last = max(a.last, to)
	}
}

// has reports whether this node speaks for the publisher of a topic.
func (w *authors) has(topic engine.ID) bool { return w.index[topic] != nil }

// isChecking reports whether the network is being asked what it knows of a publisher.
func (w *authors) isChecking(topic engine.ID) bool {
	a := w.index[topic]
	return a != nil && a.checking
}

// latest returns the highest number published on a topic, and the last word other than a rotation; nil: there was none.
func (w *authors) latest(topic engine.ID) (last uint64, word engine.Message) {
	if a := w.index[topic]; a != nil {
		return a.last, a.latest
	}
	return 0, nil
}

func (w *authors) isSelf(p engine.Peer) bool { return p.ID == w.env.Self().ID }

// mayPublish returns what is wrong with an event.
func (w *authors) mayPublish(a *author, event engine.Message) error {
	s, ok := statementOf(a.Topic, event)
	if _, head := event.(*Head); !ok || head {
		return Malformed
	}
	if a.contested && promises(event) {
		return ErrContested
	}
	if why := w.words.judge(a.Topic, &s, w.env.Self()); why != Genuine {
		return why
	}
	i, ok := event.(*Item)
	if !ok {
		return nil
	}
	known, isKnown := w.words.headOf(a.Topic, i.Number)
	h := i.Head()
	switch {
	case i.Number > max(a.last, a.overtaken)+1:
		return fmt.Errorf("%d after %d: %w", i.Number, a.last, ErrNumber)
	case isKnown && (known.Hash != h.Hash || known.Time != h.Time):
		return fmt.Errorf("%d: %w", i.Number, ErrOvertaken)
	case !isKnown && i.Number <= a.overtaken && i.Number > a.Last:
		return fmt.Errorf("%d, up to %d: %w", i.Number, a.overtaken, ErrOvertaken)
	}
	return nil
}

func (w *authors) send(a *author, event engine.Message) {
	switch m := event.(type) {
	case *Item:
		a.latest = m.Head()
		w.await(a, m.Number)
	case *Heartbeat:
		a.latest = m
	}
	a.said(event)
	w.tree.Publish(a.Topic, event)
	w.beatLater(a)
}

// beatLater has the publisher say something before its silence is over.
func (w *authors) beatLater(a *author) {
	if a.Silence <= 0 || a.Beat == nil {
		return
	}
	a.due.Set(w.env, w.env.Now()+a.Silence/2, func() {
		w.beatLater(a)
		if word := a.Beat(); word != nil && !a.checking && w.mayPublish(a, word) == nil {
			w.send(a, word)
		}
	})
}

package feedtree

import (
	"errors"
	"slices"
	"time"

	"tidings/network/engine"
)

// If two nodes use a key at the same time, each of them notices. Down the topic's tree comes a word that the key has
// signed since this node began, and that this node has not sent. What was signed before may be from an earlier life of
// this node, which was restored from an old copy. Its numbers are above those that this node knows of, and the node
// continues above them.
//
// If the two clocks differ, the node with the slower clock may go unnoticed, but never both: at least one of them
// stops.

// ErrContested is returned by Publish for an Item or a promise on a topic for which another node speaks too.
var ErrContested = errors.New("another node publishes with the same key")

// maxOwn is how many of its latest items a publisher's node knows again, and as many other statements. Of an earlier
// item the Library is asked. Heartbeats are kept apart from items: trees pass one on for backTime, and a node that
// publishes in bursts would mistake its own for another's.
const maxOwn = 256

// contention is what a publisher's node knows of others that speak for the publisher.
type contention struct {
	items     recent[[32]byte, struct{}] // names of the latest items of this node
	others    recent[[32]byte, struct{}] // and of its latest other statements
	since     int64                      // times up to this one are from before
	contested bool
	comparing bool // the Library is asked for an item
}

// newContention returns what is known at first, at a time: nothing that was signed later.
func newContention(now time.Time, before int64) contention {
	return contention{items: newRecent[[32]byte, struct{}](maxOwn), others: newRecent[[32]byte, struct{}](maxOwn),
		since: max(now.UnixMilli(), before)}
}

// isElsewhere reports whether a statement from the tree was made at another node after this one began to speak.
func (a *author) isElsewhere(s *statement) bool {
	if a.checking { // the network is asked what there is from before
		a.since = max(a.since, s.time)
		return false
	}
	return s.time > a.since && !a.isOwn(s)
}

// isOwn reports whether this node has made a statement lately.
func (c *contention) isOwn(s *statement) bool {
	_, own := c.statements(s).get(s.name())
	return own
}

func (c *contention) statements(s *statement) *recent[[32]byte, struct{}] {
	if s.item {
		return &c.items
	}
	return &c.others
}

// elsewhere looks at a statement that isElsewhere. An item with a number that this node has used may be its own. It is
// compared with the Library's item.
func (w *authors) elsewhere(a *author, event engine.Message, s *statement) {
	i, isItem := event.(*Item)
	if !isItem || i.Number > a.last {
		w.contest(a, s.time)
		return
	}
	if a.comparing {
		return
	}
	at := s.time
	a.comparing = true
	w.library.Lend(a.Topic, i.Number, i.Number, 1, func(items []*Item) {
		a.comparing = false
		if len(items) == 1 && slices.Contains(items[0].Withdraws(), i.Number) {
			return // it was withdrawn here, and there is nothing left to compare
		}
		if len(items) == 0 || items[0].Number != i.Number || items[0].Time != i.Time ||
			items[0].Head().Hash != i.Head().Hash {
			w.contest(a, at)
		}
	})
}

// contest has nothing more published on the topic, as another node has published there at a time.
func (w *authors) contest(a *author, at int64) {
	if a.contested || w.index[a.Topic] != a {
		return
	}
	a.contested = true
	w.words.advance(a.Topic, 0, at)
	w.env.Trace(Contested{a.Topic})
	w.listener.Contested(a.Topic)
}

// doubled checks a proof that the publisher used a number twice, for an item that this node has not sent itself. That
// may be from an earlier life of this node.
func (w *authors) doubled(e *Equivocation) {
	a := w.index[e.Topic]
	if a == nil {
		return
	}
	for _, h := range []*Head{&e.First, &e.Second} {
		s := h.statement(a.Topic)
		switch {
		case a.isOwn(&s):
		case a.checking:
			a.since = max(a.since, h.Time)
		case h.Time > a.since:
			w.contest(a, h.Time)
		}
	}
}

// promises reports whether an event lets readers rely on this node.
func promises(event engine.Message) bool {
	switch m := event.(type) {
	case *Item:
		return true
	case *Heartbeat:
		return m.Silence > 0
	}
	return false
}

// said notes that this node says something.
func (a *author) said(event engine.Message) {
	if s, ok := statementOf(a.Topic, event); ok {
		a.statements(&s).put(s.name(), struct{}{})
	}
}

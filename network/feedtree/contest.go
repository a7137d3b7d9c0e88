package feedtree

import (
	"errors"
	"slices"

	"tidings/network/engine"
)

// A key that is used at two nodes at a time shows at each of them: something that the key has signed since this node
// began to speak for it comes down the topic's tree, and this node has not said it. What was signed before may be from an
// earlier life of this node, which was restored from an old copy: its numbers are above those that this node knows of, and
// it goes on above them.
//
// Clocks that differ may hide the one of the two whose clock is behind, never both: at least one of them stops.

// ErrContested is returned by Publish for an Item or a promise on a topic for which another node speaks too.
var ErrContested = errors.New("another node publishes with the same key")

// maxOwn is how many of its latest statements a publisher's node knows again. Of an item before those the Library is asked.
const maxOwn = 256

// contention is what a publisher's node knows of others that speak for the publisher.
type contention struct {
	own       recent[[32]byte, struct{}] // names of the latest statements of this node
	since     int64                      // times up to this one are from before
	contested bool
	comparing bool // the Library is asked for an item
}

func newContention(n *Node, topic engine.ID) contention {
	before, _ := n.marks.get(topic)
	return contention{own: newRecent[[32]byte, struct{}](maxOwn), since: max(n.env.Wall().UnixMilli(), before.time)}
}

// isElsewhere reports whether a statement that came down the tree was made at another node since this one began to speak.
func (a *author) isElsewhere(s *statement) bool {
	if a.checking { // the network is asked what there is from before
		a.since = max(a.since, s.time)
		return false
	}
	_, own := a.own.get(s.name())
	return !own && s.time > a.since
}

// elsewhere looks at a statement that isElsewhere. An item with a number that this node has given may be its own, and is
// compared with what the Library has.
func (a *author) elsewhere(n *Node, event engine.Message, s *statement) {
	i, isItem := event.(*Item)
	if !isItem || i.Number > a.last {
		a.contest(n, s.time)
		return
	}
	if a.comparing {
		return
	}
	at := s.time
	a.comparing = true
	n.library.Lend(a.Topic, i.Number, i.Number, 1, func(items []*Item) {
		a.comparing = false
		if len(items) == 1 && slices.Contains(items[0].Withdraws(), i.Number) {
			return // it was taken back here, and there is nothing left to compare
		}
		if len(items) == 0 || items[0].Number != i.Number || items[0].Time != i.Time || items[0].Head().Hash != i.Head().Hash {
			a.contest(n, at)
		}
	})
}

// contest has nothing more published on the topic, as another node has published there at a time.
func (a *author) contest(n *Node, at int64) {
	if a.contested || n.authored.index[a.Topic] != a {
		return
	}
	a.contested = true
	old, _ := n.marks.get(a.Topic)
	n.marks.put(a.Topic, mark{old.number, max(old.time, at)})
	n.env.Trace(Contested{a.Topic})
	n.listener.Contested(a.Topic)
}

// doubled looks at a proof that a number of the publisher was given twice: at what this node has not said itself. That may be from an
// earlier life of this node.
func (a *author) doubled(n *Node, e *Equivocation) {
	for _, h := range []*Head{&e.First, &e.Second} {
		s := h.statement(a.Topic)
		switch _, own := a.own.get(s.name()); {
		case own:
		case a.checking:
			a.since = max(a.since, h.Time)
		case h.Time > a.since:
			a.contest(n, h.Time)
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
		a.own.put(s.name(), struct{}{})
	}
}

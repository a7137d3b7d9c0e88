package archive

import (
	"errors"
	"slices"
	"time"

	"tidings/network/engine"
)

// Errors of Find.
var (
	// ErrNotFound means that nobody has the item: two others who should have it say so, or the only one.
	ErrNotFound = errors.New("nobody has the item")
	// ErrSilent means that too few of those who should have the item have answered to tell. A node alone cannot tell: it may be cut off.
	ErrSilent = errors.New("those who should have the item do not answer")
	// ErrBusy means that there are Config.MaxFinds lookups already, or that too much else is under way.
	ErrBusy = errors.New("too many lookups")
)

// lookup is a search for one item.
type lookup struct {
	inquiry *inquiry
	found   []func(bytes []byte, err error)
	tried   []engine.ID // those who were asked for the item
	none    int         // of them, those who said that they have none
	busy    int         // and those who had no time
	open    []ask       // those who may answer yet, in the order of asking
	hurried time.Duration
	judging bool
	pausing bool // all who have it are busy
	timer   engine.Alarm
}

// ask is a Fetch under way.
type ask struct {
	peer   engine.Peer
	number uint64
	until  time.Duration
}

// Who is asked has hurry to answer before another is asked too; maxOpen are asked at a time. So liars who
// are silent do not keep a lookup waiting, and yet Patience can be long enough for slow connections.
const (
	hurry   = 2 * time.Second
	maxOpen = 3
)

// Find looks an item up, here and in the network, and gives it to found once, after Find has returned.
// What is found is genuine. The bytes must not be changed.
func (n *Node) Find(name Name, found func(bytes []byte, err error)) {
	if n.has(name) == nil {
		n.findElsewhere(name, found)
		return
	}
	n.store.Get(name, func(bytes []byte) {
		ok := n.examine(name, bytes, func(_ uint64, genuine bool) {
			if !genuine {
				n.damaged(name)
				n.findElsewhere(name, found)
				return
			}
			n.env.Trace(Found{name, n.env.Self()})
			found(bytes, nil)
		})
		if !ok {
			found(nil, ErrBusy)
		}
	})
}

func (n *Node) findElsewhere(name Name, found func(bytes []byte, err error)) {
	if l := n.lookups[name]; l != nil {
		l.found = append(l.found, found)
		return
	}
	if len(n.lookups) >= n.config.MaxFinds {
		n.limitHit("MaxFinds", n.config.MaxFinds)
		n.env.After(0, func() { found(nil, ErrBusy) })
		return
	}
	l := &lookup{found: []func([]byte, error){found}}
	l.inquiry = n.newInquiry(name, false, func() { n.lookOn(l) })
	n.lookups[name] = l
	n.lookLater(l, n.env.Now())
}

// lookLater has the lookup go on at a time, if nothing comes before.
func (n *Node) lookLater(l *lookup, at time.Duration) {
	l.timer.Set(n.env, at, func() {
		l.pausing = false
		l.open = slices.DeleteFunc(l.open, func(a ask) bool { return a.until <= n.env.Now() })
		n.lookOn(l)
	})
}

// lookOn does what comes next.
func (n *Node) lookOn(l *lookup) {
	q, now := l.inquiry, n.env.Now()
	if l.judging || l.pausing || n.lookups[q.name] != l || len(l.open) > 0 && now < l.hurried+hurry {
		return
	}
	if len(l.open) < maxOpen {
		if p, ok := n.nextSource(l); ok {
			n.ask(l, p)
			return
		}
	}
	switch {
	case q.open > 0: // the inquiry goes on by itself
	case len(l.open) == 0 && (n.exhausted(q) || len(q.heard) >= 2 && l.none == len(l.tried)):
		n.env.Trace(Unfound{q.name})
		n.endLookup(l, nil, l.inVain())
	case len(l.open) == 0 && l.busy > 0: // they may have time later
		l.busy, l.tried, l.none, l.pausing = 0, nil, 0, true
		q.ways++
		n.lookLater(l, now+n.jitter(busyWait))
	case len(l.open) < maxOpen && !n.exhausted(q):
		n.inquire(q)
	default:
		n.lookLater(l, max(now+hurry, l.open[0].until))
	}
}

// nextSource returns who is asked next: who says that it has the item, then the owners; those who have
// lied before come last.
func (n *Node) nextSource(l *lookup) (engine.Peer, bool) {
	tried := append(slices.Clone(l.tried), n.env.Self().ID)
	for _, s := range n.penalties.list {
		if n.env.Now() < s.until {
			tried = append(tried, s.id)
		}
	}
	for _, p := range l.inquiry.has {
		if !slices.Contains(tried, p.ID) {
			return p, true
		}
	}
	if p, ok := l.inquiry.next(tried); ok {
		return p, true
	}
	return l.inquiry.next(append(l.tried, n.env.Self().ID))
}

// ask asks somebody for the item.
func (n *Node) ask(l *lookup, p engine.Peer) {
	now := n.env.Now()
	a := ask{p, n.env.Rand().Uint64(), now + n.config.Patience}
	l.open = append(l.open, a)
	l.tried = append(l.tried, p.ID)
	l.hurried = now
	n.env.Send(p, &Fetch{Number: a.number, Names: []Name{l.inquiry.name}})
	n.lookLater(l, now+hurry)
}

// enoughNone is how many have to say that they do not have an item. One may lie, or be new where it stands.
const enoughNone = 2

// inVain returns why nothing was found.
func (l *lookup) inVain() error {
	if l.none >= min(enoughNone, max(1, len(l.tried))) {
		return ErrNotFound
	}
	return ErrSilent
}

// asks reports whether a lookup waits for a peer.
func (l *lookup) asks(id engine.ID) bool {
	return slices.ContainsFunc(l.open, func(a ask) bool { return a.peer.ID == id })
}

// answered takes a peer out of those that a lookup waits for, if the answer is to its question.
func (l *lookup) answered(id engine.ID, number uint64) bool {
	before := len(l.open)
	l.open = slices.DeleteFunc(l.open, func(a ask) bool { return a.peer.ID == id && a.number == number })
	return len(l.open) < before
}

// lookedUp takes an item that a lookup has asked for.
func (n *Node) lookedUp(l *lookup, from engine.Peer, bytes []byte) {
	name := l.inquiry.name
	l.open = slices.DeleteFunc(l.open, func(a ask) bool { return a.peer.ID == from.ID })
	l.judging = true
	ok := n.examine(name, bytes, func(_ uint64, genuine bool) {
		l.judging = false
		if !genuine {
			n.lied(name, from, bytes)
			n.lookOn(l)
			return
		}
		n.env.Trace(Found{name, from})
		n.endLookup(l, bytes, nil)
	})
	if !ok {
		l.judging = false
		l.busy++
		n.lookOn(l)
	}
}

// lookedUpInVain takes the end of an answer for the lookups that it was for.
func (n *Node) lookedUpInVain(from engine.Peer, m *Fetched) {
	for _, name := range m.None {
		if l := n.lookups[name]; l != nil && l.answered(from.ID, m.Number) {
			l.none++
			n.lookOn(l)
		}
	}
	if !m.Busy {
		return
	}
	for _, l := range n.lookups {
		if l.answered(from.ID, m.Number) { // that is one at most
			l.busy++
			n.lookOn(l)
			return
		}
	}
}

func (n *Node) endLookup(l *lookup, bytes []byte, err error) {
	delete(n.lookups, l.inquiry.name)
	n.endInquiry(l.inquiry)
	l.timer.Stop()
	for _, found := range l.found {
		found(bytes, err)
	}
}

// lookupsLost asks others in the place of a peer that is down.
func (n *Node) lookupsLost(p engine.Peer) {
	var lost []*lookup
	for _, l := range n.lookups {
		if l.asks(p.ID) {
			lost = append(lost, l)
		}
	}
	slices.SortFunc(lost, func(a, b *lookup) int { return a.inquiry.key.Compare(b.inquiry.key) })
	for _, l := range lost {
		l.open = slices.DeleteFunc(l.open, func(a ask) bool { return a.peer.ID == p.ID })
		n.lookOn(l)
	}
}

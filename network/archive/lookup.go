package archive

import (
	"errors"
	"slices"
	"time"

	"tidings/network/engine"
)

// Errors of Find.
var (
	// ErrNotFound means that no node has the item. Two other owners report that, or the only one.
	ErrNotFound = errors.New("nobody has the item")
	// ErrSilent means that too few owners of the item have answered to know. A node alone cannot know: it may be cut
	// off.
	ErrSilent = errors.New("those who should have the item do not answer")
	// ErrBusy means that there are Config.MaxFinds lookups already, or that too much else is under way.
	ErrBusy = errors.New("too many lookups")
)

// lookups are the searches for items in the network: at most Config.MaxFinds. Each asks up to maxOpen nodes at a time
// and each node once. It ends when genuine bytes have come, two nodes report that there are none, or all ways of its
// inquiry are used.
type lookups struct {
	env    engine.Env
	config *Config
	node   searching
	open   map[Name]*lookup
}

// searching is what lookups need of their node.
type searching interface {
	inquire(name Name, owners bool, news func()) *inquiry
	// examine has bytes judged. It returns false if there is too much to do.
	examine(name Name, bytes []byte, then func(print uint64, genuine bool)) bool
	// lied notes that a peer has sent what is not genuine.
	lied(name Name, from engine.Peer, bytes []byte)
	// penalized returns the peers from which nothing is fetched if it can be had from others.
	penalized() []engine.ID
}

// lookup is a search for one item.
type lookup struct {
	inquiry *inquiry
	found   []func(bytes []byte, err error)
	tried   []engine.ID // those that were asked for the item
	none    int         // of them, those that said that they have none
	busy    int         // and those that had no time
	open    []ask       // those that may answer yet, in the order of asking
	hurried time.Duration
	judging bool
	pausing bool // all that have it are busy
	timer   engine.Alarm
}

// ask is a Fetch under way.
type ask struct {
	peer   engine.Peer
	number uint64
	until  time.Duration
}

// A node that is asked has hurry to answer before another is asked too; maxOpen are asked at a time. So silent liars do
// not keep a lookup waiting, and yet Patience can be long enough for slow connections.
const (
	hurry   = 2 * time.Second
	maxOpen = 3
)

// Find looks an item up, here and in the network, and gives it to found once, after Find has returned.
// What is found is genuine. The bytes must not be changed.
func (n *Node) Find(name Name, found func(bytes []byte, err error)) {
	if n.stock.has(name) == nil {
		n.lookups.find(name, found)
		return
	}
	n.stock.store.Get(name, func(bytes []byte) {
		ok := n.examine(name, bytes, func(_ uint64, genuine bool) {
			if !genuine {
				n.damaged(name)
				n.lookups.find(name, found)
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

// find looks an item up in the network.
func (s *lookups) find(name Name, found func(bytes []byte, err error)) {
	if l := s.open[name]; l != nil {
		l.found = append(l.found, found)
		return
	}
	if len(s.open) >= s.config.MaxFinds {
		limitHit(s.env, "MaxFinds", s.config.MaxFinds)
		s.env.After(0, func() { found(nil, ErrBusy) })
		return
	}
	l := &lookup{found: []func([]byte, error){found}}
	l.inquiry = s.node.inquire(name, false, func() { s.lookOn(l) })
	s.open[name] = l
	s.lookLater(l, s.env.Now())
}

// lookLater has the lookup go on at a time, if nothing comes before.
func (s *lookups) lookLater(l *lookup, at time.Duration) {
	l.timer.Set(s.env, at, func() {
		l.pausing = false
		l.open = slices.DeleteFunc(l.open, func(a ask) bool { return a.until <= s.env.Now() })
		s.lookOn(l)
	})
}

// lookOn does what comes next.
func (s *lookups) lookOn(l *lookup) {
	q, now := l.inquiry, s.env.Now()
	if l.judging || l.pausing || s.open[q.name] != l || len(l.open) > 0 && now < l.hurried+hurry {
		return
	}
	if len(l.open) < maxOpen {
		if p, ok := s.nextSource(l); ok {
			s.ask(l, p)
			return
		}
	}
	switch {
	case q.open > 0: // the inquiry goes on by itself
	case len(l.open) == 0 && (q.exhausted() || len(q.answered) >= 2 && l.none == len(l.tried)):
		s.env.Trace(Unfound{q.name})
		s.end(l, nil, l.inVain())
	case len(l.open) == 0 && l.busy > 0: // they may have time later
		l.busy, l.tried, l.none, l.pausing = 0, nil, 0, true
		q.ways++
		s.lookLater(l, now+jitter(s.env, busyWait))
	case len(l.open) < maxOpen && !q.exhausted():
		q.ask()
	default:
		s.lookLater(l, max(now+hurry, l.open[0].until))
	}
}

// nextSource returns the node that is asked next: one that claims to have the item, then the owners. Nodes that have
// lied before come last.
func (s *lookups) nextSource(l *lookup) (engine.Peer, bool) {
	tried := slices.Concat(l.tried, []engine.ID{s.env.Self().ID}, s.node.penalized())
	for _, p := range l.inquiry.has {
		if !slices.Contains(tried, p.ID) {
			return p, true
		}
	}
	if p, ok := l.inquiry.next(tried); ok {
		return p, true
	}
	return l.inquiry.next(append(l.tried, s.env.Self().ID))
}

// ask requests the item from a node.
func (s *lookups) ask(l *lookup, p engine.Peer) {
	now := s.env.Now()
	a := ask{p, s.env.Rand().Uint64(), now + s.config.Patience}
	l.open = append(l.open, a)
	l.tried = append(l.tried, p.ID)
	l.hurried = now
	s.env.Send(p, &Fetch{Number: a.number, Names: []Name{l.inquiry.name}})
	s.lookLater(l, now+hurry)
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

// answered drops a peer from those that a lookup waits for, if the answer is to its question.
func (l *lookup) answered(id engine.ID, number uint64) bool {
	before := len(l.open)
	l.open = slices.DeleteFunc(l.open, func(a ask) bool { return a.peer.ID == id && a.number == number })
	return len(l.open) < before
}

// onItem receives an item, if a lookup has asked for it.
func (s *lookups) onItem(from engine.Peer, name Name, bytes []byte) {
	l := s.open[name]
	if l == nil || !l.asks(from.ID) {
		return
	}
	l.open = slices.DeleteFunc(l.open, func(a ask) bool { return a.peer.ID == from.ID })
	l.judging = true
	ok := s.node.examine(name, bytes, func(_ uint64, genuine bool) {
		l.judging = false
		if !genuine {
			s.node.lied(name, from, bytes)
			s.lookOn(l)
			return
		}
		if s.open[name] != l { // another node that was asked was faster
			return
		}
		s.env.Trace(Found{name, from})
		s.end(l, bytes, nil)
	})
	if !ok {
		l.judging = false
		l.busy++
		s.lookOn(l)
	}
}

// onFetched receives the end of an answer for the lookups that it was for.
func (s *lookups) onFetched(from engine.Peer, m *Fetched) {
	for _, name := range m.None {
		if l := s.open[name]; l != nil && l.answered(from.ID, m.Number) {
			l.none++
			s.lookOn(l)
		}
	}
	if !m.Busy {
		return
	}
	for _, l := range s.open {
		if l.answered(from.ID, m.Number) { // that is one at most
			l.busy++
			s.lookOn(l)
			return
		}
	}
}

func (s *lookups) end(l *lookup, bytes []byte, err error) {
	delete(s.open, l.inquiry.name)
	l.inquiry.end()
	l.timer.Stop()
	for _, found := range l.found {
		found(bytes, err)
	}
}

// down asks others in the place of a peer that is down.
func (s *lookups) down(p engine.Peer) {
	var lost []*lookup
	for _, l := range s.open {
		if l.asks(p.ID) {
			lost = append(lost, l)
		}
	}
	slices.SortFunc(lost, func(a, b *lookup) int { return a.inquiry.key.Compare(b.inquiry.key) })
	for _, l := range lost {
		l.open = slices.DeleteFunc(l.open, func(a ask) bool { return a.peer.ID == p.ID })
		s.lookOn(l)
	}
}

package archive

import (
	"errors"
	"slices"

	"tidings/network/engine"
)

// Errors of Find.
var (
	// ErrNotFound means that nobody has the item, as far as can be found out.
	ErrNotFound = errors.New("nobody has the item")
	// ErrBusy means that there are Config.MaxFinds lookups already.
	ErrBusy = errors.New("too many lookups")
)

// lookup is a search for one item.
type lookup struct {
	inquiry *inquiry
	found   []func(bytes []byte, err error)
	asked   []engine.ID // those who were asked for the item
	none    int         // of them, those who said that they have none
	busy    int         // and those who had no time
	current engine.Peer // who is asked now; zero: nobody
	number  uint64      // of the Fetch
	judging bool
	pausing bool // all who have it are busy
	timer   alarm
}

// Find looks an item up, here and in the network, and gives it to found once, after Find has returned. What is found
// is genuine. The bytes must not be changed.
func (n *Node) Find(name Name, found func(bytes []byte, err error)) {
	if n.has(name) == nil {
		n.findElsewhere(name, found)
		return
	}
	n.shelf.Get(name, func(bytes []byte) {
		if bytes == nil {
			n.findElsewhere(name, found)
			return
		}
		n.env.Trace(Found{name, n.env.Self()})
		found(bytes, nil)
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
	l.timer.set(n.env, n.env.Now(), func() { n.lookOn(l) })
}

// lookOn does what comes next.
func (n *Node) lookOn(l *lookup) {
	q := l.inquiry
	if !l.current.IsZero() || l.judging || l.pausing || n.lookups[q.name] != l {
		return
	}
	if p, ok := n.nextSource(l); ok {
		n.ask(l, p)
		return
	}
	switch {
	case q.open > 0:
	case n.exhausted(q), q.ways >= 2 && l.none > 0 && l.none == len(l.asked):
		n.env.Trace(Unfound{q.name})
		n.endLookup(l, nil, ErrNotFound)
	case l.busy > 0: // they may have time now
		l.busy, l.asked, l.none, l.pausing = 0, nil, 0, true
		l.timer.set(n.env, n.env.Now()+n.jitter(busyWait), func() {
			l.pausing = false
			n.inquire(q)
		})
	default:
		n.inquire(q)
	}
}

// nextSource returns who is asked next: who says that it has the item, then the owners; those who have
// lied before come last.
func (n *Node) nextSource(l *lookup) (engine.Peer, bool) {
	var last engine.Peer
	for _, list := range [][]engine.Peer{l.inquiry.has, l.inquiry.known} {
		for _, p := range list {
			switch {
			case n.isSelf(p) || slices.Contains(l.asked, p.ID):
			case n.struck.is(p.ID, n.env.Now()):
				last = p
			default:
				return p, true
			}
		}
	}
	return last, !last.IsZero()
}

func (n *Node) ask(l *lookup, p engine.Peer) {
	l.current, l.number = p, n.env.Rand().Uint64()
	l.asked = append(l.asked, p.ID)
	n.env.Send(p, &Fetch{Number: l.number, Names: []Name{l.inquiry.name}})
	l.timer.set(n.env, n.env.Now()+n.config.Patience, func() { n.askNext(l) })
}

// askNext gives up on who is asked.
func (n *Node) askNext(l *lookup) {
	l.current = engine.Peer{}
	l.timer.stop()
	n.lookOn(l)
}

// lookedUp takes an item that a lookup has asked for.
func (n *Node) lookedUp(l *lookup, from engine.Peer, bytes []byte) {
	name := l.inquiry.name
	l.timer.stop()
	l.current, l.judging = engine.Peer{}, true
	verdict := func(genuine bool) {
		l.judging = false
		if !genuine {
			n.lied(name, from)
			n.lookOn(l)
			return
		}
		n.env.Trace(Found{name, from})
		n.endLookup(l, bytes, nil)
	}
	if !n.examine(name, bytes, func(_ uint64, genuine bool) { verdict(genuine) }) {
		l.judging = false
		l.busy++
		n.lookOn(l)
	}
}

func (n *Node) endLookup(l *lookup, bytes []byte, err error) {
	delete(n.lookups, l.inquiry.name)
	n.endInquiry(l.inquiry)
	l.timer.stop()
	for _, found := range l.found {
		found(bytes, err)
	}
}

// lookupsLost asks others in the place of a peer that is down.
func (n *Node) lookupsLost(p engine.Peer) {
	var lost []*lookup
	for _, l := range n.lookups {
		if l.current.ID == p.ID && !l.current.IsZero() {
			lost = append(lost, l)
		}
	}
	slices.SortFunc(lost, func(a, b *lookup) int { return a.inquiry.key.Compare(b.inquiry.key) })
	for _, l := range lost {
		n.askNext(l)
	}
}

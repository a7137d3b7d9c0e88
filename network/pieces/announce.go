package pieces

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// maxOwners is how many nodes can be the owners of a content, as they are named in a message.
const maxOwners = 8

// KeyOf returns the point of the ring by which the owners of a content are found.
func KeyOf(ref Ref) (key engine.ID) {
	copy(key[:], ref[:])
	return key
}

// lending is what this node lends.
type lending struct {
	list  []*lent // in the order of beginning
	index map[Ref]*lent
	timer engine.Alarm
}

// lent is a content that the owners know of.
type lent struct {
	ref   Ref
	next  time.Duration
	seeks bool        // the ring owes an answer which nodes the owners are
	asked []engine.ID // of the owners those that owe an answer
	tries int         // how often it was announced to them, since all have answered
}

const (
	// tellAtOnce is how many contents are announced to the owners at a time, and tellPause how soon more are.
	tellAtOnce = 8
	tellPause  = 250 * time.Millisecond
)

// Announce announces to the owners of a content, now and from time to time, that this node has some of it. It does
// nothing if they know already.
func (n *Node) Announce(ref Ref) {
	l := &n.lending
	if n.ring == nil || l.index[ref] != nil {
		return
	}
	if len(l.list) >= n.config.MaxLent {
		n.limitHit("MaxLent", n.config.MaxLent)
		return
	}
	one := &lent{ref: ref, next: n.env.Now()}
	l.list, l.index[ref] = append(l.list, one), one
	l.timer.Soon(n.env, one.next, n.announceDue)
}

// Withdraw ends what Announce began. The owners do not learn it: a node that asks this one learns that it has nothing.
func (n *Node) Withdraw(ref Ref) {
	l := &n.lending
	if one := l.index[ref]; one != nil {
		delete(l.index, ref)
		l.list = slices.DeleteFunc(l.list, func(o *lent) bool { return o == one })
	}
}

// Lent returns how many contents this node lends.
func (n *Node) Lent() int { return len(n.lending.list) }

// maybeLend lends a content that is being fetched as soon as there is some of it.
func (n *Node) maybeLend(f *fetch) {
	if !f.ended && f.bits.Count() > 0 {
		n.Announce(f.ref)
	}
}

// announceDue announces to the owners of some contents that these are lent, and comes back for the others.
func (n *Node) announceDue() {
	l, now := &n.lending, n.env.Now()
	if !n.ring.Active() { // none can be reached so far
		l.timer.Set(n.env, now+tick, n.announceDue)
		return
	}
	told := 0
	next := now + n.config.Announce
	for _, one := range l.list {
		if one.next <= now && told < tellAtOnce {
			told++
			n.announce(one)
		}
		next = min(next, one.next)
	}
	if len(l.list) > 0 {
		l.timer.Set(n.env, max(next, now+tellPause), n.announceDue)
	}
}

// announce announces to the owners of a content that it is lent: soon again if not all of them answer, as some may be
// gone, and others have replaced them.
func (n *Node) announce(one *lent) {
	one.next = n.env.Now() + n.jitter(n.config.Seek)
	if one.tries++; one.tries >= seekRounds {
		n.rest(one)
	}
	n.ask(one.ref, one.tries != 1)
}

// rest has a content rest whose owners know that it is lent.
func (n *Node) rest(one *lent) { one.tries, one.next = 0, n.env.Now()+n.jitter(n.config.Announce) }

// ask has the ring find the owners of a content, so that they can learn that this node lends it, or be asked which
// nodes do. By its own leaf set alone it cannot know which they are: that may lack nodes far from itself. With around,
// the question goes over a random node: somebody on the usual way may keep it back.
func (n *Node) ask(ref Ref, around bool) {
	if one := n.lending.index[ref]; one != nil {
		one.seeks = true
	}
	if f := n.find(ref); f != nil {
		f.seeks = true
	}
	seek := &Seek{Ref: ref, Asker: n.env.Self()}
	if known := n.ring.Known(); around && len(known) > 0 {
		seek.Start = true
		n.env.Send(known[n.env.Rand().IntN(len(known))], seek)
		return
	}
	n.ring.Route(KeyOf(ref), seek)
}

// start routes a Seek, as its sender may not trust its own way there.
func (n *Node) start(m *Seek) {
	if n.ring != nil && m.Start {
		n.ring.Route(KeyOf(m.Ref), &Seek{Ref: m.Ref, Asker: m.Asker})
	}
}

// owners learns which nodes own a content, once for each time that it was asked. It is hearsay.
func (n *Node) owners(m *Owners) {
	one, f := n.lending.index[m.Ref], n.find(m.Ref)
	if one != nil && one.seeks || f != nil && f.seeks {
		n.askThem(m.Ref, m.Peers[:min(len(m.Peers), n.config.Owners)])
	}
}

func (n *Node) askThem(ref Ref, owners []engine.Peer) {
	one, f := n.lending.index[ref], n.find(ref)
	if one != nil {
		one.seeks, one.asked = false, nil
	}
	if f != nil {
		f.seeks, f.asked = false, nil
	}
	for _, p := range owners {
		if p.ID == n.env.Self().ID {
			n.request(ref, n.knownOf(ref, p))
			continue
		}
		if f != nil {
			f.asked = append(f.asked, p.ID)
		}
		if one != nil {
			one.asked = append(one.asked, p.ID)
		}
		n.env.Send(p, &Announce{Ref: ref, Lends: one != nil})
	}
	if one != nil && len(one.asked) == 0 { // this node is all there is
		n.rest(one)
	}
}

// lenders learns which nodes lend a content, as an owner that was asked says, once.
func (n *Node) lenders(from engine.Peer, m *Providers) {
	if one := n.lending.index[m.Ref]; one != nil {
		if at := slices.Index(one.asked, from.ID); at >= 0 {
			if one.asked = slices.Delete(one.asked, at, at+1); len(one.asked) == 0 {
				n.rest(one)
			}
		}
	}
	f := n.find(m.Ref)
	if f == nil {
		return
	}
	if at := slices.Index(f.asked, from.ID); at >= 0 {
		f.asked = slices.Delete(f.asked, at, at+1)
		n.request(m.Ref, m.Peers)
	}
}

// request has lenders asked for what this node fetches.
func (n *Node) request(ref Ref, lenders []engine.Peer) {
	f := n.find(ref)
	if f == nil {
		return
	}
	before := len(f.sources)
	n.addSources(f, lenders)
	if len(f.sources) > before {
		f.vain = 0
		f.timer.Soon(n.env, n.env.Now(), func() { n.goOn(f) })
	}
}

const (
	// seekRounds is how often a fetch without sources asks for lenders before it ends.
	seekRounds = 6
	// seekSlowly is how much seldomer a fetch asks that has sources.
	seekSlowly = 8
)

// mayFindMore reports whether the owners of a content may yet name a node that has it.
func (n *Node) mayFindMore(f *fetch) bool { return n.ring != nil && f.vain < seekRounds }

// maybeSeek asks the owners of a content for lenders when it is time to.
func (n *Node) maybeSeek(f *fetch) {
	now := n.env.Now()
	if n.ring == nil || now < f.seekAt || !n.ring.Active() {
		return
	}
	wait := n.config.Seek
	if slices.ContainsFunc(f.sources, func(s *source) bool { return !s.dropped && len(s.bits) > 0 }) {
		wait *= seekSlowly
	} else {
		f.vain++
	}
	f.seekAt = now + n.jitter(wait)
	n.ask(f.ref, f.vain > 1)
}

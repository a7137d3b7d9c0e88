package feedtree

import (
	"time"

	"tidings/network/engine"
)

// receiveWord receives what a publisher has said, which is signed by a key that fits the topic.
func (n *Node) receiveWord(f *following, topic engine.ID, event engine.Message, from engine.Peer, way Way) {
	if f.void {
		return
	}
	s, _ := statementOf(topic, event)
	if !f.trusts(topic, s.key) {
		n.refuse(topic, s.number, from, Unpinned)
		return
	}
	if !f.counts(topic, event, s.number) {
		if s.number > 0 { // not the rotation once more
			n.env.Trace(Superseded{topic, s.number})
		}
		return
	}
	switch m := event.(type) {
	case *Item:
		n.receiveItem(f, &later{number: m.Number, time: m.Time, topic: topic, item: m, from: from, way: way})
	case *Head:
		n.spoke(f, f.voice.listen(m, m.Time, way))
		f.beginAfter(m.Number)
		n.exists(f, m.Number)
		n.searcher.update(&f.search)
	case *Heartbeat:
		n.receiveHeartbeat(f, m, way)
	case *Rotation:
		n.rotate(f, topic, m, way)
	case *Revocation:
		n.revoke(f, topic, m)
	}
}

// trusts reports whether a key is the one that was pinned for a topic of the channel's.
func (f *following) trusts(topic engine.ID, k Key) bool {
	for _, e := range f.eras {
		if e.topic == topic {
			return e.pin == k.Fingerprint()
		}
	}
	return false
}

// counts reports whether a word still counts, by the key that has signed it. After a rotation the old key may be in
// other hands, which could give the next number to an invention. So of the old key only items count, up to the number
// that the new key has named: those were published before.
func (f *following) counts(topic engine.ID, event engine.Message, number uint64) bool {
	if topic == f.present().topic {
		f.vouched = max(f.vouched, number)
		return true
	}
	_, isItem := event.(*Item)
	return isItem && number <= f.vouched
}

// receiveItem receives an item, once.
func (n *Node) receiveItem(f *following, l *later) {
	switch {
	case f.has(l.number):
		n.maybeWentBack(f, l)
		return
	case !f.fits(l.number, l.time):
		n.refuse(l.topic, l.number, l.from, Disordered)
		return
	case n.convictions.on(l.topic).of(l.number) != nil: // two items are known to have it
		n.doubt(f, n.convictions.on(l.topic).of(l.number))
		return
	}
	n.spoke(f, f.voice.listen(l.item.Head(), l.time, l.way))
	if l.way == Pushed { // it was published just now
		f.beginAfter(l.number - 1)
	}
	f.beginAfter(l.number)
	n.exists(f, l.number)
	if n.pending.items >= n.config.MaxPending || n.pending.bytes+len(l.item.Entry) > n.config.MaxPendingBytes {
		n.env.Trace(LimitHit{"MaxPending", n.config.MaxPending})
		n.searcher.update(&f.search)
		return
	}
	l.came = n.env.Now()
	n.pending.add(l)
	f.insert(*l)
	f.skipWithdrawn(n, l.topic, l.item)
	n.settle(f)
	n.searcher.update(&f.search)
}

// beginAfter notes up to which number items are older than this node's knowledge of the publisher. The first word that
// it receives decides.
func (f *following) beginAfter(number uint64) {
	if !f.begun {
		f.begun, f.before = true, number
	}
}

// exists notes that a publisher has given a number. What lies further back than the window is
// given up.
func (n *Node) exists(f *following, number uint64) {
	if number <= f.last {
		return
	}
	f.last = number
	window := uint64(f.Window)
	if f.last-f.have <= window {
		return
	}
	n.giveUp(f, f.last-window)
}

// giveUp counts all numbers up to one as had.
func (n *Node) giveUp(f *following, upTo uint64) {
	for from, to := f.missing(); from > 0 && from <= upTo; from, to = f.missing() {
		to = min(to, upTo)
		n.env.Trace(Skipped{f.present().topic, from, to})
		n.listener.Skipped(f.present().topic, to)
		f.have, f.haveTime, f.givenUp = to, 0, to
		f.absorb()
	}
	if upTo > f.have { // what lies before it is on its way to the Library
		f.have, f.haveTime = upTo, 0
	}
	n.settle(f)
}

// settle gives the Library what can be given now, and counts as had what it has.
func (n *Node) settle(f *following) {
	f.absorb()
	now, next := n.env.Now(), f.have+1
	wake := time.Duration(0) // when the first of those that wait has waited long enough; 0: none does
	for i := range f.later {
		l := &f.later[i]
		if l.number > f.before { // readers get it, even if older items still arrive
			next = max(next, f.before+1)
		}
		if l.state == held {
			if due := l.came + n.config.Hold; l.number > next && now < due {
				if wake == 0 || due < wake {
					wake = due
				}
				if l.number > f.before {
					break
				}
				continue
			}
			if f.keeping >= n.config.MaxKeeping {
				return
			}
			f.keeping++
			l.state = keeping
			n.library.Keep(l.topic, l.item)
		}
		next = max(next, l.number+1)
	}
	if wake == 0 {
		f.hold.Stop()
		return
	}
	f.hold.Set(n.env, wake, func() { n.settle(f) })
}

// Kept says what became of an item that Library.Keep was given. Where the library does not want it, it
// is not asked for again.
func (n *Node) Kept(topic engine.ID, number uint64, ok bool) {
	f := n.followings.index[topic]
	if f == nil {
		return
	}
	at, found := f.find(number)
	if !found || f.later[at].state != keeping {
		return
	}
	l := &f.later[at]
	f.keeping--
	n.pending.remove(l)
	l.state = kept
	if !ok {
		n.env.Trace(Unkept{topic, number})
	} else {
		n.env.Trace(Taken{topic, number, l.time, l.from, l.way})
		if l.way != Pushed {
			n.env.Trace(Recovered{topic, number, l.from, l.way})
		}
	}
	n.settle(f)
}

package rappel

import (
	"time"

	"tidings/network/engine"
)

// feed is what a node knows of a topic's updates.
type feed struct {
	*tree
	window
	cache  cache
	pull   pulling
	pulled int           // updates that were pulled
	void   time.Duration // when a root says the latest number again; elsewhere, until when none is handed on
}

// number gives the next number to an event: at the root alone.
func (f *feed) number(event engine.Message, digest uint64) *Update {
	f.Last++
	f.Missing <<= 1
	u := &Update{Topic: f.topic, Stamp: Stamp{Epoch: f.Epoch, Number: f.Last}, Event: event}
	u.Stamp.Signature = f.sign(updateWords, u.Stamp, digest)
	f.void = f.now() + f.config.Void
	return u
}

// onUpdate takes an update that came, and passes it on.
func (f *feed) onUpdate(from engine.Peer, u *Update) {
	if !f.mayCome(from) {
		f.env.Trace(Refused{f.topic, from, "unasked"})
		if from.ID != f.former.peer.ID {
			f.env.Send(from, &Leave{Topic: f.topic, Forgot: len(f.children.list) == 0})
		}
		return
	}
	digest, _, ok := f.seams.Member.Admit(f.topic, u.Event, from)
	if !ok || !f.genuine(updateWords, u.Stamp, digest) {
		f.env.Trace(Refused{f.topic, from, "event"})
		return
	}
	first := f.cache.first(digest)
	switch f.note(u.Stamp.Epoch, u.Stamp.Number) {
	case fresh:
	default:
		if f.compare(from, u.Stamp, false); !first { // else it was given up, or comes late of an epoch that is over
			f.env.Trace(Repeated{f.topic, u.Stamp.Epoch, u.Stamp.Number, from})
			return
		}
	}
	f.compare(from, u.Stamp, true)
	pulled := f.pull.asked(from, f.now())
	if pulled {
		f.pulled++
	}
	f.env.Trace(Came{f.topic, u.Stamp.Epoch, u.Stamp.Number, from, pulled})
	f.cache.add(u, digest, f.now(), f.config.Cache)
	f.spread(u, from)
	if first {
		f.deliver(u, from)
	}
	f.checkGap(from)
}

// spread hands an update to the children.
func (f *feed) spread(u engine.Message, from engine.Peer) {
	for i := range f.children.list {
		if k := &f.children.list[i]; k.peer.ID != from.ID && !k.awaited {
			f.env.Send(k.peer, u)
		}
	}
}

func (f *feed) deliver(u *Update, from engine.Peer) {
	if f.joined {
		f.env.Trace(Delivered{f.topic, u.Stamp.Epoch, u.Stamp.Number, u.Event})
		f.seams.Member.Deliver(f.topic, u.Event, from)
	}
}

// mayCome reports whether a node may send updates: a parent, the one before, one that was asked for updates or for a
// place.
func (f *feed) mayCome(from engine.Peer) bool {
	switch {
	case f.isParent(from.ID):
		return true
	case from.ID == f.former.peer.ID:
		return f.now() < f.former.until
	case from.ID == f.seeking.target.ID:
		return f.seeking.until > 0
	}
	return f.pull.asked(from, f.now())
}

// publish numbers an event that was given to the root, and spreads it.
func (f *feed) publish(event engine.Message, digest uint64, from engine.Peer) {
	if f.cache.numbered(f.Epoch, digest) {
		return // it was given before
	}
	first := f.cache.first(digest)
	u := f.number(event, digest)
	f.cache.add(u, digest, f.now(), f.config.Cache)
	f.spread(u, engine.Peer{}) // a publisher has children too, and wants the number
	if first {
		f.deliver(u, from)
	}
}

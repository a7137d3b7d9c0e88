package rappel

import (
	"encoding/binary"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel/window"
)

// feed is what a node knows of a topic's updates.
type feed struct {
	*tree
	window.Have
	cache      cache
	pull       pulling
	inspection inspection
	void       time.Duration // when a root says the latest number again; elsewhere, until when none is handed on
}

// publish numbers an event that was given to the root, and spreads it.
func (f *feed) publish(event engine.Message, digest uint64, from engine.Peer) {
	if f.cache.numbered(f.Epoch, digest) {
		return // it was given before
	}
	u := &Update{Topic: f.topic, Stamp: f.Next(), Event: event}
	u.Stamp.Signature = f.sign(updateWords, u.Stamp, digest)
	f.void = f.now() + f.config.Void
	f.cache.add(u, digest, f.now(), f.config.Cache)
	f.spread(u, engine.Peer{}) // a publisher has children too, and wants the number
	if f.cache.first(digest) {
		f.deliver(u, from)
	}
}

// onUpdate receives an update, and passes it on.
func (f *feed) onUpdate(from engine.Peer, u *Update) {
	if !f.mayCome(from) {
		f.env.Trace(Refused{f.topic, from, "unasked"})
		if from.ID != f.former.peer.ID {
			f.env.Send(from, &Leave{Topic: f.topic, Forgot: len(f.children.list) == 0})
		}
		return
	}
	digest, _, ok := f.seams.Member.Admit(f.topic, u.Event, from)
	if !ok && digest != 0 && f.genuine(updateWords, u.Stamp, digest) {
		f.Note(u.Stamp) // it is genuine and too old: nobody is to be asked for it
	}
	if !ok || !f.genuine(updateWords, u.Stamp, digest) {
		f.env.Trace(Refused{f.topic, from, "event"})
		return
	}
	first := f.cache.first(digest)
	// one that was given up, or comes late of an epoch that is over, is new all the same
	fresh := f.Note(u.Stamp) || first
	f.compare(from, u.Stamp, fresh)
	if !fresh {
		f.env.Trace(Repeated{f.topic, u.Stamp.Epoch, u.Stamp.Number, from})
		return
	}
	f.env.Trace(Came{f.topic, u.Stamp.Epoch, u.Stamp.Number, from, f.pull.asked(from, f.now())})
	f.cache.add(u, digest, f.now(), f.config.Cache)
	f.spread(u, from)
	if first {
		f.deliver(u, from)
	}
	f.checkGap(from)
}

// mayCome reports whether a node may send updates: a parent, the one before, one that was asked for updates or for a
// place.
func (f *feed) mayCome(from engine.Peer) bool {
	return f.isParent(from.ID) || f.pull.asked(from, f.now()) ||
		from.ID == f.former.peer.ID && f.now() < f.former.until ||
		from.ID == f.seeking.target.ID && f.seeking.until > 0
}

// spread hands an update to the children.
func (f *feed) spread(u engine.Message, from engine.Peer) {
	for _, k := range f.children.list {
		if k.peer.ID != from.ID && k.status != awaited {
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

// runVoid makes a root send the latest number if it has published nothing for a long time (section 4.1). It returns
// when that will be.
func (f *feed) runVoid(now time.Duration) time.Duration {
	if !f.top || len(f.children.list) == 0 {
		return never
	}
	if f.void == 0 {
		f.void = now + f.config.Void
	}
	if now >= f.void {
		f.void = now + f.config.Void
		m := &Void{Topic: f.topic, Stamp: window.Stamp{Epoch: f.Epoch, Number: f.Last}}
		m.Stamp.Signature = f.sign(voidWords, m.Stamp, 0)
		f.spread(m, engine.Peer{})
	}
	return f.void
}

// onVoid receives the latest number, and forwards it: once a period at most, so that it goes round in no circle.
func (f *feed) onVoid(from engine.Peer, m *Void) {
	if !f.isParent(from.ID) || f.now() < f.void {
		return
	}
	if !f.genuine(voidWords, m.Stamp, 0) {
		f.env.Trace(Refused{f.topic, from, "void"})
		return
	}
	f.void = f.now() + f.config.Void/2
	f.noteNumber(from, m.Stamp.Epoch, m.Stamp.Number)
	f.spread(m, from)
}

// What signatures begin with, so that one is worth nothing for another purpose.
const (
	updateWords = "tidings rappel update\n"
	voidWords   = "tidings rappel void update\n"
)

// signed returns the bytes that the root signs: that an event has a number, or, of a void update, that there is none
// above it.
func signed(words string, topic engine.ID, s window.Stamp, digest uint64) []byte {
	data := append([]byte(words), topic[:]...)
	data = binary.BigEndian.AppendUint64(data, s.Epoch)
	data = binary.BigEndian.AppendUint64(data, s.Number)
	return binary.BigEndian.AppendUint64(data, digest)
}

func (f *feed) sign(words string, s window.Stamp, digest uint64) []byte {
	if f.seams.Keys == nil {
		return nil
	}
	return f.seams.Keys.Sign(signed(words, f.topic, s, digest))
}

// genuine reports whether the signature is the root's, or that of the root before. Updates of the root before may still
// be on their way.
func (f *feed) genuine(words string, s window.Stamp, digest uint64) bool {
	if s.Epoch == 0 || s.Number == 0 && words == updateWords {
		return false
	}
	if f.seams.Keys == nil {
		return true
	}
	data := signed(words, f.topic, s, digest)
	if root := f.root(); !root.IsZero() && f.seams.Keys.Signed(root, data, s.Signature) {
		return true
	}
	return f.now() < f.oldRoot.until && f.seams.Keys.Signed(f.oldRoot.peer, data, s.Signature)
}

package source

import (
	"encoding/binary"
	"time"

	"tidings"
	"tidings/source/fetch"
)

// Slot says when a channel is polled that other nodes poll too. The zero Slot says nothing:
// the channel is polled as this node thinks fit.
type Slot struct {
	First    time.Time     // of one poll; all others are whole numbers of intervals from it
	Interval time.Duration // above zero
	// From is the earliest turn that is made, or zero. Polls out of turn stand for the turns before.
	From time.Time
	// NotBefore is until when the origin is to be left alone, as another node has learnt.
	NotBefore time.Time
	// Regular is what such a poll is called, in plain words.
	Regular string
}

// IsZero reports whether s says nothing.
func (s Slot) IsZero() bool { return s.Interval <= 0 }

// After returns the first time of the slot that is neither before t nor before From or NotBefore.
func (s Slot) After(t time.Time) time.Time {
	for _, least := range []time.Time{s.From, s.NotBefore} {
		if t.Before(least) {
			t = least
		}
	}
	wait := s.First.Sub(t) % s.Interval
	if wait < 0 {
		wait += s.Interval
	}
	return t.Add(wait)
}

// phase is the slot's place in the interval, in the form of fetch.Memory.Phase.
func (s Slot) phase() uint32 {
	at := s.First.UnixNano() % int64(s.Interval)
	return uint32(float64(at) / float64(s.Interval) * (1 << 32))
}

// Follow makes a slot the time of a channel's polls from now on. A poll made just before is not repeated for it. A
// first poll that is due sooner is made all the same.
func (w *Job) Follow(s Slot, now time.Time) {
	w.Slot = s
	if w.Ended {
		return
	}
	if w.Hold.After(now) {
		now = w.Hold
	}
	if rested := w.Last.At.Add(s.Interval / 2); rested.After(now) {
		now = rested
	}
	w.plan(s.After(now), s.Regular)
}

// FirstBy has a channel at which no poll has ended so far polled by some time, whatever its slot says.
func (w *Job) FirstBy(at time.Time) {
	if !w.Last.At.IsZero() || w.Ended {
		return
	}
	if at.Before(w.Hold) {
		at = w.Hold
	}
	w.plan(at, "its first check")
}

// Adopt has a channel polled at once that was polled for others alone so far, as somebody here follows it from now on.
// The whole document is asked for: what is noted of it for followers, as its publisher's key is, was not noted before.
func (w *Job) Adopt(now time.Time) {
	if w.Ended {
		return
	}
	if now.Before(w.Hold) {
		now = w.Hold
	}
	w.Whole = true
	w.plan(now, "its first check for a reader here")
}

// plan says when the next poll is, and why. A first poll, or one of the whole document, that is due before stays.
func (w *Job) plan(next time.Time, why string) {
	if first := w.Last.At.IsZero() || w.Whole; first && !w.Next.IsZero() && w.Next.Before(next) {
		return
	}
	w.Next, w.Last.Next, w.Last.NextWhy = next, next, why
}

// Leave has a channel polled as this node thinks fit from now on, and next within an interval; a first poll as Follow
// has it.
func (w *Job) Leave(now time.Time, interval time.Duration) {
	w.Slot = Slot{}
	if w.Ended {
		return
	}
	next := fetch.Resume(now, now, interval, w.ID())
	if next.Before(w.Hold) {
		next = w.Hold
	}
	w.plan(next, "its regular check")
}

// keepSlot has the plan of a poll keep to the channel's slot.
func (k *poll) keepSlot() {
	id := k.ID()
	k.mem.origin.Phase = binary.BigEndian.Uint32(id[:4])
	if k.Slot.IsZero() {
		return
	}
	k.mem.origin.Phase = k.Slot.phase()
	k.Plan.Interval, k.Plan.Regular = k.Slot.Interval, k.Slot.Regular
}

// Accept returns memory as it is when content has come from elsewhere than a poll: what the next poll finds is compared
// with that. It asks for the whole document: that nothing has changed since this node's last poll would not say that
// the origin has that content.
func Accept(encoded []byte, id tidings.ChannelID, f *tidings.Change) []byte {
	m := remembered(encoded, id)
	switch {
	case f.Kind == tidings.KindFeed:
		m.accept(printOf(f.Items))
	case m.unordered:
		m.accept(linesPrint(sorted(f.Lines)))
	default:
		m.accept(linesPrint(f.Lines))
	}
	m.found = f.Found
	m.forgetDocument()
	return m.encode()
}

// Took continues a watched channel from content that came from elsewhere than a poll.
func (w *Job) Took(f *tidings.Change) {
	w.Memory = Accept(w.Memory, w.ID(), f)
	w.Version++ // that there is one is all that polls need to know
	w.Kind = f.Kind
	if f.Title != "" {
		w.Title = f.Title
	}
}

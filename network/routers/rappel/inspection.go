package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel/window"
)

// inspection is how a member finds out that its parent swallows updates. At intervals it asks another ancestor, by a
// Pull, whether it lacks any.
type inspection struct {
	next   time.Duration // when the next one begins; 0: not known yet
	of     engine.Peer   // the one that is asked and has not answered; zero: none
	mute   int           // how many have not, one after the other
	doubts []doubt       // the oldest first; at most maxDoubts
}

// doubt is an update that came from another and that the parent should have.
type doubt struct {
	stamp window.Stamp
	until time.Duration
}

const (
	maxDoubts = 4
	maxMute   = 2
)

// answered ends an inspection, or all, as there is another parent.
func (i *inspection) answered() { i.of, i.mute = engine.Peer{}, 0 }

// runInspection does what is due, and returns when something will be.
func (f *feed) runInspection(now time.Duration) time.Duration {
	i := &f.inspection
	if len(i.doubts) > 0 && now >= i.doubts[0].until {
		i.doubts = nil
		f.blame("updates")
	}
	if f.parent.IsZero() || !f.joined {
		i.next = 0
		return never
	}
	if due := i.next; now >= due {
		if i.next = now + f.around(f.config.Inspect); due > 0 {
			f.inspect()
		}
	}
	if len(i.doubts) > 0 {
		return min(i.next, i.doubts[0].until)
	}
	return i.next
}

// inspect asks another ancestor than the parent, those near more often than those far up.
func (f *feed) inspect() {
	i := &f.inspection
	if !i.of.IsZero() {
		i.of = engine.Peer{}
		if i.mute++; i.mute >= maxMute { // ancestors that the parent invented, or does not know to be dead
			i.mute = 0
			f.blame("chain")
		}
	}
	if a := f.someAncestor(); !a.IsZero() && f.pull.due == 0 {
		i.of = a
		f.pullFrom(a)
	}
}

// compare notes where an update came from. One that came by an inspection should come from the parent soon, too.
func (f *feed) compare(from engine.Peer, s window.Stamp, fresh bool) {
	i := &f.inspection
	if f.isParent(from.ID) {
		i.doubts = slices.DeleteFunc(i.doubts, func(d doubt) bool { return d.stamp.Compare(s) == 0 })
	} else if fresh && from.ID == i.of.ID && len(i.doubts) < maxDoubts {
		until := f.now() + f.config.PingTimeout
		i.doubts = append(i.doubts, doubt{s, until})
		f.wake(until)
	}
}

// blame leaves a parent that lies, for another place that is not below it. The parent is avoided from now on.
func (t *tree) blame(what string) {
	t.env.Trace(Blamed{t.topic, t.parent, what})
	t.seeking.avoid(t.parent.ID)
	t.seeking.seek(blames)
}

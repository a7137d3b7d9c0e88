package feedtree

import (
	"time"

	"tidings/network/engine"
)

// clockSkew is by how much the clocks of a publisher and a reader may differ where one asks how old the
// other's word is.
const clockSkew = 5 * time.Minute

// takeBeat takes note that a publisher lives, and how far it has come.
func (n *Node) takeBeat(f *following, h *Heartbeat, way Way) {
	if h.Time > f.lastTime && h.Number < f.last {
		n.env.Trace(WentBack{f.present().topic, h.Number, f.last})
	}
	if h.Time > f.promised { // though an item that was sent after it may have come before it
		f.promised = h.Time
		n.promise(f, h.Silence)
		if age := n.age(f.lastTime); h.Time < f.lastTime && !f.ended && !f.heard && age <= f.silence {
			n.hear(f, age)
		}
	}
	n.listen(f, h, h.Time, way)
	f.beginAfter(h.Number)
	n.exists(f, h.Number)
	n.lacking(f)
}

// listen takes note of when a publisher has spoken.
func (n *Node) listen(f *following, word engine.Message, at int64, way Way) {
	if at <= f.lastTime {
		return
	}
	f.lastTime, f.latest = at, word
	if h, ok := word.(*Heartbeat); ok && h.Silence == 0 && !f.ended {
		return // nothing was promised, and nothing is: nobody can rely on that
	}
	age := n.age(at)
	switch {
	case way == Pushed && age <= f.silence+clockSkew:
		n.hear(f, 0)
	case way != Pushed && age <= f.silence: // somebody else has heard it then
		n.hear(f, age)
	}
}

// age returns how long ago something was said, as far as calendars can be believed.
func (n *Node) age(at int64) time.Duration {
	now := n.env.Wall()
	if now.Unix() < clockUnset {
		return 0
	}
	return max(0, now.Sub(time.UnixMilli(at)))
}

// promise takes what a heartbeat says of the next one. A promise that was withdrawn can be made again: then the next
// word in time tells so.
func (n *Node) promise(f *following, silence uint32) {
	switch {
	case silence > 0 && f.ended:
		f.ended, f.heard = false, false
	case silence == 0 && f.silence > 0:
		f.ended = true
		n.env.Trace(Ended{f.present().topic})
		n.listener.Ended(f.present().topic)
	}
	f.silence = time.Duration(silence) * time.Second
}

// hear notes that the publisher has spoken in time, a while ago. One that promises nothing any more is not relied on,
// whatever it says.
func (n *Node) hear(f *following, ago time.Duration) {
	if !f.ended && (f.overdue || !f.heard) {
		n.env.Trace(Heard{f.present().topic})
		n.listener.Heard(f.present().topic)
	}
	f.heard, f.overdue, f.search.fresh = true, false, false
	n.expect(f, ago)
}

// expect waits for the publisher's next word, after one a while ago.
func (n *Node) expect(f *following, ago time.Duration) {
	if f.silence <= 0 {
		f.due.Stop()
		return
	}
	f.due.Set(n.env, n.env.Now()+f.silence-ago+n.config.Lag, func() {
		if !f.overdue {
			f.overdue = true
			n.env.Trace(Overdue{f.present().topic})
			n.listener.Overdue(f.present().topic)
		}
		n.searchIn(f, 0)
	})
}

// lacking looks for what is missing, or stops doing so.
func (n *Node) lacking(f *following) {
	from, to := f.missing()
	if from == 0 {
		f.search.told = 0
		n.maybeEndSearch(f)
		return
	}
	if to > f.search.told {
		f.search.told = to
		n.env.Trace(Gap{f.present().topic, from, to})
		n.searchAnew(f)
	}
}

package corona

import "time"

// doubt is an earlier content that is found again. Either a mirror lags behind, which must make no version, however often
// it is seen; or the origin has gone back to that content, which must make one. The primary assumes the latter if the
// content is still found after some time, and by each of several polls of its own.
type doubt struct {
	hash     Hash          // zero: there is none
	since    time.Duration // when it was found first
	verifies int           // of the primary in a row that have found it
	busy     bool          // it is verifying

	turns  uint8         // how often the channel went back, or seemed about to, lately
	turned time.Duration // when it did last
}

const (
	verifyPause = time.Minute // between two polls
	enough      = 6           // polls in a row
	maxTurns    = 5           // each doubles the patience
	turnsLast   = 24 * time.Hour
)

// end ends a doubt, but remembers that there were some.
func (d *doubt) end() { d.hash, d.verifies, d.busy = Hash{}, 0, false }

// turn notes that the channel went back, or seemed about to.
func (d *doubt) turn(now time.Duration) {
	if d.turns > 0 && now-d.turned > turnsLast {
		d.turns = 0
	}
	d.turned = now
	d.turns = min(d.turns+1, maxTurns)
}

// considerOld deals with a content that an earlier version had.
func (n *versioner) considerOld(o *owned, f report) {
	d, now := &o.contents.doubt, n.Env.Now()
	patience := n.config.Interval << d.turns
	switch {
	case d.hash != f.update.Hash, now-d.since > 4*patience: // it was not found for long
		d.end()
		d.hash, d.since = f.update.Hash, now
	case !o.Primary(): // who stands in for the primary does not know what that one sees
	case !d.busy && now-d.since >= patience && o.contents.now == nil:
		d.busy = n.verify(o)
	}
	n.dismissReport(o, f, Old)
}

// verifiedAgain takes what the primary sees of a content that it doubts. It returns false if it
// did not poll for that.
func (n *versioner) verifiedAgain(o *owned, r *PollResult) bool {
	d := &o.contents.doubt
	if !d.busy {
		return false
	}
	if r.Hash != d.hash || r.Update == nil {
		d.end()
		d.turn(n.Env.Now())
		return true
	}
	if d.verifies++; d.verifies < enough {
		n.verifyOnceMore(o)
		return true
	}
	d.turn(n.Env.Now())
	d.end()
	c := &candidate{report: report{update: *r.Update, finder: n.Env.Self(), heard: n.Env.Now()}, checks: enough}
	c.update.URL = ""
	o.contents.now = c
	n.keep(o, c)
	return true
}

// verifyOnceMore has the primary poll again, soon, or when it may.
func (n *versioner) verifyOnceMore(o *owned) {
	n.Env.After(n.Jitter(verifyPause), func() {
		if d := &o.contents.doubt; d.busy && n.judges(o) && !n.verify(o) {
			n.verifyOnceMore(o)
		}
	})
}

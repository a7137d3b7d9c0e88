package version

import "time"

// doubt is an earlier content that is found again. Either a mirror lags behind, which must make no version, however often it is seen; or the origin has gone
// back to that content, which must make one. The primary assumes the latter if the content is still found after some time, and by each of several polls of
// its own.
type doubt struct {
	hash     Hash          // zero: there is none
	since    time.Duration // when it was found first
	found    time.Duration // when it was found last
	verifies int           // polls of the primary in a row that have found it, after some time; below enough
	busy     bool          // it is verifying

	turns  uint8         // how often the channel went back, or seemed about to, lately; at most maxTurns
	turned time.Duration // when it did last
}

const (
	verifyPause = time.Minute // between two polls
	enough      = 10          // polls in a row: where half of an origin's mirrors lag, one row in a thousand is theirs alone
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
func (n *judge) considerOld(o *record, f report) {
	d, now := &o.contents.doubt, n.Env.Now()
	patience := n.config.Interval << d.turns
	switch {
	case d.hash != f.update.Hash, now-d.found > 4*patience: // it was not found for long
		d.end()
		d.hash, d.since = f.update.Hash, now
	case !o.Primary(): // who stands in for the primary does not know what that one sees
	case now-d.since < patience, o.contents.now != nil:
	default:
		if n.IsSelf(f.finder) { // a poll in its turn shows as much as one for this
			d.verifies++
		}
		if d.verifies >= enough {
			n.goBack(o, &f.update)
			return
		}
		if !d.busy {
			d.busy = n.origins.verify(o)
		}
	}
	d.found = now
	n.dismiss(o, f, Old)
}

// sees notes what this node's poll in its turn shows: anything else ends a row of polls that have shown a content that is doubted.
func (n *judge) sees(o *record, h Hash) {
	if o.contents == nil {
		return
	}
	if d := &o.contents.doubt; d.verifies > 0 && h != (Hash{}) && h != d.hash {
		d.end()
		d.turn(n.Env.Now())
	}
}

// verifiedAgain takes what the primary sees of a content that it doubts. It returns false if it did not poll for that.
func (n *judge) verifiedAgain(o *record, r *PollResult) bool {
	d := &o.contents.doubt
	switch {
	case !d.busy:
		return false
	case r.Hash != d.hash:
		d.end()
		d.turn(n.Env.Now())
		return true
	}
	d.found = n.Env.Now()
	if d.verifies++; d.verifies < enough {
		n.verifyOnceMore(o)
		return true
	}
	n.goBack(o, r.Update)
	return true
}

// goBack gives the content that was doubted the next number. u is nil if the library here has it.
func (n *judge) goBack(o *record, u *Update) {
	d := &o.contents.doubt
	h := d.hash
	d.turn(n.Env.Now())
	d.end()
	if _, held := n.Library.Held(o.ID()); u == nil || held == h {
		n.giver.giveAgain(o, h) // it has a lower number here
		return
	}
	o.contents.now = &candidate{report: n.reportOf(u), checks: enough}
	n.giver.keep(o, o.contents.now)
}

// doubtAtOnce has the primary poll as often as it takes to believe an earlier content, which it has seen once, without waiting for an interval.
func (n *judge) doubtAtOnce(o *record, h Hash) {
	if d := &o.contents.doubt; !d.busy {
		d.hash, d.since, d.found, d.verifies, d.busy = h, n.Env.Now(), n.Env.Now(), 1, true
		n.verifyOnceMore(o)
	}
}

// verifyOnceMore has the primary poll again, soon, or when it may.
func (n *judge) verifyOnceMore(o *record) {
	n.Env.After(n.Jitter(verifyPause), func() {
		if d := &o.contents.doubt; d.busy && n.duties.judges(o) && !n.origins.verify(o) {
			n.verifyOnceMore(o)
		}
	})
}

package version

import "time"

// doubt is an earlier content that is found again. Either a mirror lags behind, and no version must be made, however
// often the content is seen. Or the origin has gone back to it, and a version must be made. The primary assumes the
// latter if the content is still found after an interval, and by each of several polls of its own.
type doubt struct {
	hash     Hash          // zero: none
	since    time.Duration // when it was first found
	found    time.Duration // when it was last found
	verifies int           // polls of the primary in a row that have found it, after the patience; below enough
	busy     bool          // a poll to verify is under way

	turns  uint8         // how often the channel lately went back, or seemed about to; at most maxTurns
	turned time.Duration // when it last did
}

const (
	verifyPause = time.Minute // between two polls
	// polls in a row: if half of an origin's mirrors lag, one row in a thousand shows the laggards alone
	enough    = 10
	maxTurns  = 5 // each doubles the patience
	turnsLast = 24 * time.Hour
)

// end ends a doubt, but keeps its turns.
func (d *doubt) end() { d.hash, d.verifies, d.busy = Hash{}, 0, false }

// turn counts that the channel went back, or seemed about to.
func (d *doubt) turn(now time.Duration) {
	if d.turns > 0 && now-d.turned > turnsLast {
		d.turns = 0
	}
	d.turned = now
	d.turns = min(d.turns+1, maxTurns)
}

// considerOld handles a report of an earlier version's content.
func (n *verifier) considerOld(o *record, f report) {
	d, now := &o.contents.doubt, n.Env.Now()
	patience := n.config.Interval << d.turns
	switch {
	case d.hash != f.update.Hash, now-d.found > 4*patience: // not found lately
		d.end()
		d.hash, d.since = f.update.Hash, now
	case !o.Primary(): // a node that acts for the primary does not know what the primary sees
	case now-d.since < patience, o.contents.now != nil:
	default:
		if n.IsSelf(f.finder) { // a poll in its turn shows as much as a verifying one
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

// sees handles the content of this node's poll in its turn. Any other content ends a row of polls that showed the
// doubted one.
func (n *verifier) sees(o *record, h Hash) {
	if o.contents == nil {
		return
	}
	if d := &o.contents.doubt; d.verifies > 0 && h != (Hash{}) && h != d.hash {
		d.end()
		d.turn(n.Env.Now())
	}
}

// verifiedAgain handles the primary's poll of a content that it doubts. It returns false if the poll was not for that.
func (n *verifier) verifiedAgain(o *record, r *PollResult) bool {
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

// goBack assigns the doubted content the next number. u is nil if the library here has it.
func (n *verifier) goBack(o *record, u *Update) {
	d := &o.contents.doubt
	h := d.hash
	d.turn(n.Env.Now())
	d.end()
	if _, held := n.Library.Held(o.ID()); u == nil || held == h {
		n.numbering.reissue(o, h) // it has a lower number here
		return
	}
	o.contents.now = &candidate{report: n.reportOf(u), checks: enough}
	n.numbering.keep(o, o.contents.now)
}

// doubtAtOnce polls as often as a return to an earlier content needs, without waiting for an interval. The primary has
// seen that content once.
func (n *verifier) doubtAtOnce(o *record, h Hash) {
	if d := &o.contents.doubt; !d.busy {
		d.hash, d.since, d.found, d.verifies, d.busy = h, n.Env.Now(), n.Env.Now(), 1, true
		n.verifyOnceMore(o)
	}
}

// verifyOnceMore polls again, after verifyPause or when the primary may.
func (n *verifier) verifyOnceMore(o *record) {
	n.Env.After(n.Jitter(verifyPause), func() {
		if d := &o.contents.doubt; d.busy && n.duties.makesVersions(o) && !n.origins.verify(o) {
			n.verifyOnceMore(o)
		}
	})
}

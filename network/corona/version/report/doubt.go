package report

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// doubt is an earlier content that is found again. Either a mirror lags behind, and no version must be made, however
// often the content is seen. Or the origin has gone back to it, and a version must be made. The primary assumes the
// latter if the content is still found after an interval, and by each of several polls of its own.
type doubt struct {
	hash     update.Hash   // zero: none
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
func (d *doubt) end() { d.hash, d.verifies, d.busy = update.Hash{}, 0, false }

// turn counts that the channel went back, or seemed about to.
func (d *doubt) turn(now time.Duration) {
	if d.turns > 0 && now-d.turned > turnsLast {
		d.turns = 0
	}
	d.turned = now
	d.turns = min(d.turns+1, maxTurns)
}

// considerOld handles a report of an earlier version's content.
func (n *judge) considerOld(o *record, f found) update.Steps {
	d, now := &o.contents.doubt, n.Env.Now()
	patience := n.config.Interval << d.turns
	if n.lacksLatest(o) { // no owner could lend it, so that no reader loses a version by going back
		patience = n.config.Interval
	}
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
			return n.goBack(o, &f.update)
		}
		if !d.busy {
			d.busy = n.verify(o)
		}
	}
	d.found = now
	n.dismiss(o, f, update.Old)
	return nil
}

// sees handles the content of this node's poll in its turn. Any other content ends a row of polls that showed the
// doubted one.
func (d *doubt) sees(h update.Hash, now time.Duration) {
	if d.verifies > 0 && h != (update.Hash{}) && h != d.hash {
		d.end()
		d.turn(now)
	}
}

// verifiedAgain handles the primary's poll of a content that it doubts. It returns false if the poll was not for that.
func (n *judge) verifiedAgain(o *record, r *update.PollResult) (next update.Steps, was bool) {
	d := &o.contents.doubt
	switch {
	case !d.busy:
		return nil, false
	case r.Hash != d.hash:
		d.end()
		d.turn(n.Env.Now())
		return nil, true
	}
	d.found = n.Env.Now()
	if d.verifies++; d.verifies < enough {
		n.verifyOnceMore(o)
		return nil, true
	}
	return n.goBack(o, r.Update), true
}

// goBack assigns the doubted content the next number. u is nil if the library here has it.
func (n *judge) goBack(o *record, u *update.Update) update.Steps {
	d := &o.contents.doubt
	h := d.hash
	d.turn(n.Env.Now())
	d.end()
	if _, held := n.Contents.Held(o.ID()); u == nil || held == h {
		return n.reissue(o, h) // it has a lower number here
	}
	return n.issue(o, u, enough)
}

// doubtAtOnce polls as often as a return to an earlier content needs, without waiting for an interval. The primary has
// seen that content once.
func (n *judge) doubtAtOnce(o *record, h update.Hash) {
	if d := &o.contents.doubt; !d.busy {
		d.hash, d.since, d.found, d.verifies, d.busy = h, n.Env.Now(), n.Env.Now(), 1, true
		n.verifyOnceMore(o)
	}
}

// Contradicted reports that all polls for a version that no witness has seen have shown the content before. A node that
// was primary for a while may have invented it. Readers' nodes would poll for it in each interval, until the origin
// changes. So a node that makes versions doubts it at once.
func (n *judge) Contradicted(channel engine.ID, shown update.Hash) {
	o := n.find(channel)
	if o != nil && o.contents != nil && n.makes(o) && n.lacksLatest(o) && o.contents.now == nil {
		n.doubtAtOnce(o, shown)
	}
}

// verifyOnceMore polls again, after verifyPause or when the primary may.
func (n *judge) verifyOnceMore(o *record) {
	n.Env.After(n.Jitter(verifyPause), func() {
		if d := &o.contents.doubt; d.busy && n.makes(o) && !n.verify(o) {
			n.verifyOnceMore(o)
		}
	})
}

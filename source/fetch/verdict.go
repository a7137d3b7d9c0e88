package fetch

import (
	"math/rand/v2"
	"net/http"
	"time"

	"tidings"
)

// Reading is what became of the document that a poll brought. The zero value is right
// where none was read: after an error, a 304, or a document that is Memory.Same.
type Reading struct {
	Kind       tidings.Kind // empty: it was not read
	Hints      Hints
	Changed    bool  // it makes a new version
	Unreadable error // why it cannot be read
	Expired    bool  // it says that it will never change again (JSON Feed)
}

// Verdict is what a poll means.
type Verdict struct {
	Outcome  tidings.Outcome
	Health   tidings.Health
	Status   int       // of the last answer; 0: there was none
	Failures int       // polls in a row that did not read the origin's content
	Since    time.Time // of the first of them
	Next     time.Time // zero: never again by itself
	NextWhy  string
	Moved    string // where the channel is fetched from now on; empty: where it was
	Ended    bool
	Error    string // one line of plain words; empty: none

	// Hold is the earliest time of the next poll, whatever the plan: the origin's wishes and
	// the back-off after failures. Zero: at any time.
	Hold time.Time
	// Wait is how long the origin asked to be left alone (429, 503). Least is the time it wants between polls
	// (Cache-Control, Expires, ttl, sy:updatePeriod), where the plan obeys. 0: it said nothing.
	Wait, Least time.Duration
}

// Conclude notes in the memory how a poll ended, and says what it means and when to poll
// again. Exactly one of res and err is set. A poll that this node broke off itself
// (a cancelled context) is not to be concluded.
func (p Plan) Conclude(m *Memory, now time.Time, res *Response, err error, read Reading, chance *rand.Rand) Verdict {
	now = now.UTC()
	var v Verdict
	switch {
	case err != nil:
		v = p.failed(m, now, err, chance)
	case read.Unreadable != nil:
		// No validator of it is kept, so that the next poll brings it again.
		if res.Status == http.StatusIMUsed {
			m.NoDelta = true
		}
		v = p.trouble(m, now, tidings.OutcomeUnreadable, p.Interval, 0, chance)
		v.Error = oneLine(read.Unreadable.Error())
	default:
		v = p.read(m, now, res, read, chance)
	}
	if res != nil {
		v.Status = res.Status
	}
	if !v.Outcome.Read() {
		v.Hold = v.Next
	}
	if v.Outcome == tidings.OutcomeLimited && !isOwnLimit(err) {
		v.Wait = v.Next.Sub(now)
	}
	if m.Ended != "" {
		v.Ended, v.Next, v.NextWhy = true, time.Time{}, "never again: "+m.Ended
	}
	v.Health, v.Failures, v.Since = m.health(p.NoisyAfter), m.Failures, m.FailingSince
	return v
}

// read concludes a poll after which the origin's present content is known.
func (p Plan) read(m *Memory, now time.Time, res *Response, read Reading, chance *rand.Rand) Verdict {
	v := Verdict{Outcome: tidings.OutcomeUnchanged}
	switch {
	case res.Status == http.StatusNotModified:
		v.Outcome = tidings.OutcomeNotModified
	case read.Changed:
		v.Outcome = tidings.OutcomeChanged
	}
	p.keepValidators(m, now, res, read)
	m.remember(res, now, p.MaxHint)
	if read.Kind != tidings.KindUnknown {
		m.Kind = read.Kind
		m.hint(read.Hints)
	}
	m.NoDelta = m.NoDelta || res.BadDelta
	m.Changes++
	if !read.Changed {
		m.Changes = 0
	}
	if m.Trouble != tidings.OutcomeNone || read.Kind != tidings.KindUnknown {
		m.Ended = "" // somebody had it polled all the same, and it lives
	}
	m.LastRead = now
	m.Failures, m.FailingSince = 0, time.Time{}
	m.Trouble, m.Row, m.RowSince = tidings.OutcomeNone, 0, time.Time{}
	if read.Expired {
		m.Ended = "the feed says that it has ended"
	}
	v.Moved = p.moved(m, now, res)
	v.Next, v.NextWhy = p.after(m, now, chance)
	v.Hold, v.Least = p.wishes(m, now)
	return v
}

// keepValidators stores the validators of a document, or brings them up to date after a
// 304, and notices when they lie.
func (p Plan) keepValidators(m *Memory, now time.Time, res *Response, read Reading) {
	etag, date := res.Validators(now)
	if res.Status == http.StatusNotModified {
		if etag != "" {
			m.ETag = etag
		}
		if date != "" {
			m.LastModified = date
		}
		return
	}
	same := etag == m.ETag && date == m.LastModified && (etag != "" || date != "")
	if whole := res.Status == http.StatusOK; whole {
		if same && read.Changed && !m.LastFull.IsZero() && res.URL == m.ValidFor {
			m.DistrustUntil = now.Add(p.Distrust)
		}
		m.LastFull, m.Sum = now, res.Sum()
	} else { // a delta: the whole document was not seen
		m.Sum = [32]byte{}
	}
	m.ETag, m.LastModified, m.ValidFor = etag, date, res.URL
}

// moved counts a permanent redirect, and returns where it leads once it is believed.
func (p Plan) moved(m *Memory, now time.Time, res *Response) string {
	switch {
	case res.Permanent == "":
		m.Redirect, m.RedirectCount, m.RedirectSince = "", 0, time.Time{}
		return ""
	case res.Permanent != m.Redirect:
		m.Redirect, m.RedirectCount, m.RedirectSince = res.Permanent, 1, now
	default:
		m.RedirectCount++
	}
	span := p.ConfirmSpan
	if p.Lab {
		span = 0
	}
	if m.RedirectCount < p.Confirmations || now.Sub(m.RedirectSince) < span {
		return ""
	}
	to := m.Redirect
	m.Redirect, m.RedirectCount, m.RedirectSince = "", 0, time.Time{}
	return to
}

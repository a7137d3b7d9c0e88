package fetch

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// Reading is what became of the document that a look brought. The zero value is right
// where none was read: after an error, a 304, or a document that is Memory.Same.
type Reading struct {
	Kind       tidings.Kind // empty: it was not read
	Hints      Hints
	Changed    bool  // it makes a new version
	Unreadable error // why it cannot be read
	Expired    bool  // it says that it will never change again (JSON Feed)
}

// Verdict is what a look means.
type Verdict struct {
	Outcome  tidings.Outcome
	Health   tidings.Health
	Status   int       // of the last answer; 0: there was none
	Failures int       // looks in a row that did not read the origin's content
	Next     time.Time // zero: never again by itself
	NextWhy  string
	Moved    string // where the channel is fetched from now on; empty: where it was
	Ended    bool
	Error    string // one line of plain words; empty: none
}

// Settle takes into memory how a look ended, and says what it means and when to look
// again. Exactly one of res and err is set. A look that this node broke off itself
// (a cancelled context) is not to be settled.
func (p Plan) Settle(m *Memory, now time.Time, res *Response, err error, read Reading, chance *rand.Rand) Verdict {
	now = now.UTC()
	var v Verdict
	switch {
	case err != nil:
		v = p.failed(m, now, err, chance)
	case read.Unreadable != nil:
		// No validator of it is kept, so that the next look brings it again.
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
	if m.Ended != "" {
		v.Ended, v.Next, v.NextWhy = true, time.Time{}, "never again: "+m.Ended
	}
	v.Health, v.Failures = m.health(p.NoisyAfter), m.Failures
	return v
}

// read settles a look after which the origin's present content is known.
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
	m.LastRead = now
	m.Failures, m.FailingSince = 0, time.Time{}
	m.Trouble, m.Row, m.RowSince = tidings.OutcomeNone, 0, time.Time{}
	if read.Expired {
		m.Ended = "the feed says that it has ended"
	}
	v.Moved = p.moved(m, now, res)
	v.Next, v.NextWhy = p.after(m, now, chance)
	return v
}

// keepValidators stores the validators of a document, or brings them up to date after a
// 304, and notices when they lie.
func (p Plan) keepValidators(m *Memory, now time.Time, res *Response, read Reading) {
	etag, date := bound(res.ETag, 1<<10), bound(res.LastModified, 1<<8)
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
			m.DistrustUntil = now.Add(p.FullEvery)
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

// failed settles a look that ended with an error.
func (p Plan) failed(m *Memory, now time.Time, err error, chance *rand.Rand) Verdict {
	if limited, ok := errors.AsType[*LimitedError](err); ok {
		return p.waiting(m, now, limited, chance)
	}
	outcome, status, after := diagnose(err)
	first := p.Interval
	switch outcome {
	case tidings.OutcomeGone:
		m.Ended = "the origin says that it is gone (410)"
	case tidings.OutcomeLimited:
		first = max(p.Interval, p.LimitedFirst)
	case tidings.OutcomeChallenged:
		first = max(p.Interval, p.ChallengedFirst)
	}
	v := p.trouble(m, now, outcome, first, after, chance)
	v.Status, v.Error = status, oneLine(err.Error())
	if errors.Is(err, context.DeadlineExceeded) {
		v.Error = "the look was not done in time"
	}
	if outcome == tidings.OutcomeMissing {
		p.missing(m, now, &v)
	}
	return v
}

// diagnose sorts an error of Client.Fetch.
func diagnose(err error) (outcome tidings.Outcome, status int, after time.Duration) {
	if e, ok := errors.AsType[*ChallengeError](err); ok {
		return tidings.OutcomeChallenged, e.Status, e.After
	}
	if e, ok := errors.AsType[*StatusError](err); ok {
		outcome = tidings.OutcomeFailed
		switch e.Status {
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			outcome = tidings.OutcomeLimited
		case http.StatusNotFound:
			outcome = tidings.OutcomeMissing
		case http.StatusGone:
			outcome = tidings.OutcomeGone
		}
		return outcome, e.Status, e.After
	}
	for _, refused := range []error{ErrForbidden, ErrPort, tidings.ErrInvalid} {
		if errors.Is(err, refused) {
			return tidings.OutcomeRefused, 0, 0
		}
	}
	for _, unreadable := range []error{ErrTooLarge, ErrBomb, ErrCorrupt, ErrEmpty} {
		if errors.Is(err, unreadable) {
			return tidings.OutcomeUnreadable, 0, 0
		}
	}
	return tidings.OutcomeFailed, 0, 0
}

// trouble counts a look that did not read the content, and backs off.
func (p Plan) trouble(m *Memory, now time.Time, o tidings.Outcome, first, asked time.Duration, chance *rand.Rand) Verdict {
	if m.Failures++; m.Failures == 1 {
		m.FailingSince = now
	}
	if m.Trouble != o || m.Row == 0 {
		m.Row, m.RowSince = 0, now
	}
	m.Trouble = o
	m.Row++
	v := Verdict{Outcome: o}
	if asked > 0 {
		v.Next = p.onGrid(m, now.Add(max(asked, p.Interval/2)))
		v.NextWhy = "the origin asked to wait " + inWords(asked)
		return v
	}
	wait := p.backoff(first, m.Row, chance)
	v.Next = now.Add(wait)
	v.NextWhy = "another try after " + inWords(wait)
	if m.Row > 1 {
		v.NextWhy += ", because it went wrong " + times(m.Row) + " in a row"
	}
	return v
}

// waiting settles a look for which no request was sent. It is no failure.
func (p Plan) waiting(m *Memory, now time.Time, limited *LimitedError, chance *rand.Rand) Verdict {
	v := Verdict{Outcome: tidings.OutcomeLimited, Error: oneLine(limited.Error())}
	if limited.Own {
		v.Next = limited.Until.Add(p.jitter(chance))
		v.NextWhy = "when it is its turn among this node's requests to " + limited.Host
		return v
	}
	if m.Trouble == tidings.OutcomeNone {
		m.Trouble, m.Row, m.RowSince = tidings.OutcomeLimited, 0, now
	}
	v.Next = p.onGrid(m, limited.Until)
	v.NextWhy = "after the time for which " + limited.Host + " asked to be left alone"
	return v
}

// missing gives up a document that was not found for weeks.
func (p Plan) missing(m *Memory, now time.Time, v *Verdict) {
	lasted := now.Sub(m.RowSince)
	if m.Row < p.MissingLooks || lasted < p.MissingSpan {
		return
	}
	end := m.RowSince.Add(p.MissingSpan + p.MissingGrace)
	if !now.Before(end) {
		m.Ended = "it was not found (404) for " + inWords(lasted)
		return
	}
	v.NextWhy = "not found for " + inWords(lasted) + "; one more look a day until " + onDay(end)
}

func times(n int) string {
	switch n {
	case 2:
		return "twice"
	default:
		return strconv.Itoa(n) + " times"
	}
}

// oneLine makes a text fit to stand in one line.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}

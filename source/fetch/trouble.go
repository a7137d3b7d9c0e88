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

// failed concludes a poll that ended with an error.
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
		v.Error = "the check was not done in time"
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

// trouble counts a poll that did not read the content, and backs off.
func (p Plan) trouble(m *Memory, now time.Time, o tidings.Outcome, first, asked time.Duration,
	chance *rand.Rand) Verdict {
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

// isOwnLimit reports whether a poll had to wait for this node's own sake, not for the origin's.
func isOwnLimit(err error) bool {
	limited, ok := errors.AsType[*LimitedError](err)
	return ok && limited.Own
}

// waiting concludes a poll for which no request was sent. It is no failure.
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
	if m.Row < p.MissingPolls || lasted < p.MissingSpan {
		return
	}
	end := m.RowSince.Add(p.MissingSpan + p.MissingGrace)
	if !now.Before(end) {
		m.Ended = "it was not found (404) for " + inWords(lasted)
		return
	}
	v.NextWhy = "not found for " + inWords(lasted) + "; one more check a day until " + onDay(end)
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

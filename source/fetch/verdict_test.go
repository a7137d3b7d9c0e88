package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
	"tidings"
)

const day = 24 * time.Hour

func good(url string) *Response {
	return &Response{URL: url, Status: 200, Body: []byte("feed"), ETag: `"1"`}
}

// hostile 4: a permanent redirect is believed after three polls in a row over a day.
func TestHostile4PermanentRedirects(t *testing.T) {
	moved := func(to string) *Response { r := good(to); r.Permanent = to; return r }
	type step struct {
		after time.Duration
		res   *Response
		err   error
	}
	for name, test := range map[string]struct {
		steps []step
		want  string
		lab   bool
	}{
		"three in two days": {[]step{{0, moved("b"), nil}, {day, moved("b"), nil}, {day, moved("b"), nil}}, "b",
			false},
		"three in an hour": {[]step{{0, moved("b"), nil}, {time.Hour, moved("b"), nil},
			{time.Hour, moved("b"), nil}}, "", false},
		"three in a lab": {[]step{{0, moved("b"), nil}, {time.Second, moved("b"), nil},
			{time.Second, moved("b"), nil}}, "b", true},
		"two in a lab":    {[]step{{0, moved("b"), nil}, {time.Second, moved("b"), nil}}, "", true},
		"twice in a week": {[]step{{0, moved("b"), nil}, {7 * day, moved("b"), nil}}, "", false},
		"not in a row": {[]step{{0, moved("b"), nil}, {day, good("a"), nil}, {day, moved("b"), nil},
			{day, moved("b"), nil}}, "", false},
		"elsewhere in between": {[]step{{0, moved("b"), nil}, {day, moved("c"), nil}, {day, moved("b"), nil}}, "",
			false},
		"a failure in between": {[]step{{0, moved("b"), nil}, {day, nil, io.EOF}, {day, moved("b"), nil},
			{day, moved("b"), nil}}, "b", false},
		"every half hour, a day": {func() (s []step) {
			for range 49 {
				s = append(s, step{30 * time.Minute, moved("b"), nil})
			}
			return s
		}(), "b", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, c, now := DefaultPlan(), chance(), noon
			p.Lab = test.lab
			var m Memory
			got := ""
			for i, s := range test.steps {
				now = now.Add(s.after)
				v := p.Conclude(&m, now, s.res, s.err, Reading{Kind: tidings.KindFeed}, c)
				if v.Moved != "" && i < len(test.steps)-1 {
					t.Fatalf("believed after check %d", i+1)
				}
				got = v.Moved
			}
			if got != test.want {
				t.Errorf("moved to %q, want %q", got, test.want)
			}
		})
	}
}

// hostile 8: a login page in place of the feed is trouble, not an empty feed: it backs
// off, and neither validators nor the known document are lost.
func TestHostile8AnUnreadableDocumentIsQuarantined(t *testing.T) {
	p, c := DefaultPlan(), chance()
	var m Memory
	p.Conclude(&m, noon, good("u"), nil, Reading{Kind: tidings.KindFeed}, c)
	before := m
	now, wait := noon, time.Duration(0)
	for i := 1; i <= 10; i++ {
		now = now.Add(day)
		login := &Response{URL: "u", Status: 200, Body: []byte("<html>log in"), ETag: `"login"`}
		v := p.Conclude(&m, now, login, nil, Reading{Unreadable: errors.New("not a feed,\nbut a page")}, c)
		if v.Outcome != tidings.OutcomeUnreadable || v.Health != tidings.HealthFailing || v.Failures != i ||
			v.Error != "not a feed, but a page" {
			t.Fatalf("check %d: %+v", i, v)
		}
		if next := v.Next.Sub(now); i > 1 && next < wait && next < p.MaxBackoff*4/5 {
			t.Errorf("check %d: the next is after %v, before it was %v", i, next, wait)
		} else {
			wait = next
		}
	}
	if m.ETag != before.ETag || m.Sum != before.Sum {
		t.Error("the unreadable document replaced the known one")
	}
	v := p.Conclude(&m, now, &Response{URL: "u", Status: 304}, nil, Reading{}, c)
	if v.Health != tidings.HealthGood || v.Failures != 0 || !v.Next.Before(now.Add(p.Interval*2)) {
		t.Errorf("when it is back: %+v", v)
	}
}

// hostile 9: an ETag that stays while the document changes is not believed for a while;
// dates in the future are only echoed.
func TestHostile9LyingValidators(t *testing.T) {
	p, c := DefaultPlan(), chance()
	var m Memory
	const date = "Sun, 01 Mar 2026 00:00:00 GMT"
	first := &Response{URL: "u", Status: 200, Body: []byte("one"), ETag: `"1"`, LastModified: date}
	p.Conclude(&m, noon, first, nil, Reading{Kind: tidings.KindFeed, Changed: true}, c)
	if r := p.Request(&m, "u", noon); r.ETag != `"1"` || r.LastModified != date {
		t.Errorf("the validators were not sent back: %+v", r)
	}
	second := &Response{URL: "u", Status: 200, Body: []byte("two"), ETag: `"1"`, LastModified: date}
	v := p.Conclude(&m, noon.Add(day), second, nil, Reading{Kind: tidings.KindFeed, Changed: true}, c)
	if v.Outcome != tidings.OutcomeChanged {
		t.Errorf("a changed document under the same ETag is %q", v.Outcome)
	}
	for now := noon.Add(day); now.Before(noon.Add(day + p.Distrust)); now = now.Add(p.Interval) {
		if r := p.Request(&m, "u", now); r.ETag != "" || r.LastModified != "" {
			t.Fatalf("validators that lied are used: %+v", r)
		}
		p.Conclude(&m, now, second, nil, Reading{}, c)
	}
	if r := p.Request(&m, "u", noon.Add(day+p.Distrust)); r.ETag != `"1"` {
		t.Errorf("validators are never used again: %+v", r)
	}
}

// hostile 84: a date that cannot be true is not sent back; an ETag beside it is, and so is any date that may be true.
func TestHostile84DatesThatCannotBeTrue(t *testing.T) {
	p := DefaultPlan()
	for date, want := range map[string]bool{
		"Tue, 01 Jan 1980 00:00:01 GMT":   false,
		"Thu, 01 Jan 1970 00:00:00 GMT":   false,
		"Mon, 01 Jan 0001 00:00:00 GMT":   false,
		"Sat, 26 Oct 1985 08:15:00 GMT":   false,
		"Tue, 01 Jan 2041 00:00:00 GMT":   false,
		"Tuesday, 01-Jan-80 00:00:01 GMT": false,
		"Thu, 05 Mar 2026 11:00:00 GMT":   true, // within what clocks differ by
		"Mon, 05 Aug 1991 00:00:00 GMT":   true,
		"Tue, 03 Mar 2026 00:00:00 GMT":   true,
		"yesterday":                       true, // not ours to understand
	} {
		for _, etag := range []string{"", `"1"`} {
			var m Memory
			res := &Response{URL: "u", Status: 200, Body: []byte("one"), ETag: etag, LastModified: date}
			p.Conclude(&m, noon, res, nil, Reading{Kind: tidings.KindFeed, Changed: true}, chance())
			r := p.Request(&m, "u", noon.Add(p.Interval))
			if r.ETag != etag || (r.LastModified == date) != want || !want && r.LastModified != "" {
				t.Errorf("%s, ETag %q: sent back %q and %q", date, etag, r.LastModified, r.ETag)
			}
			p.Conclude(&m, noon.Add(p.Interval), &Response{URL: "u", Status: 304, LastModified: date}, nil, Reading{},
				chance())
			if r := p.Request(&m, "u", noon.Add(2*p.Interval)); (r.LastModified == date) != want {
				t.Errorf("%s, which a 304 repeats: sent back %q", date, r.LastModified)
			}
		}
	}
	// The origin's own clock counts.
	res := &Response{Date: noon.Add(365 * day), LastModified: noon.Add(365 * day).Format(http.TimeFormat)}
	if _, date := res.Validators(noon); date == "" {
		t.Error("a date of an origin whose clock is ahead is not sent back")
	}
}

// hostile 10: what the origin asks is obeyed, and without a word the wait doubles.
func TestHostile10Limited(t *testing.T) {
	p, c := DefaultPlan(), chance()
	for _, lab := range []bool{false, true} {
		p.Lab = lab
		var m Memory
		v := p.Conclude(&m, noon, nil, &StatusError{Status: 429, Host: "o", After: 5 * time.Hour}, Reading{}, c)
		if wait := v.Next.Sub(noon); v.Outcome != tidings.OutcomeLimited || v.Health != tidings.HealthLimited ||
			wait < 5*time.Hour || wait > 5*time.Hour+p.Interval || v.Status != 429 {
			t.Errorf("429 with a time: %+v", v)
		}
		v = p.Conclude(&m, noon, nil, &LimitedError{Host: "o", Until: noon.Add(2 * time.Hour)}, Reading{}, c)
		if wait := v.Next.Sub(noon); wait < 2*time.Hour || wait > 2*time.Hour+p.Interval || v.Failures != 1 {
			t.Errorf("while limited: %+v", v)
		}
	}
	var m Memory
	last := time.Duration(0)
	for i := range 5 {
		v := p.Conclude(&m, noon, nil, &StatusError{Status: 503, Host: "o"}, Reading{}, c)
		wait := v.Next.Sub(noon)
		if v.Outcome != tidings.OutcomeLimited || wait < p.LimitedFirst || wait < last*3/2 {
			t.Errorf("503 number %d without a time: %+v", i+1, v)
		}
		last = wait
	}
}

func TestWaitingForATurnIsNoTrouble(t *testing.T) {
	p, c := DefaultPlan(), chance()
	var m Memory
	p.Conclude(&m, noon, good("u"), nil, Reading{Kind: tidings.KindFeed}, c)
	before := m
	v := p.Conclude(&m, noon, nil, &LimitedError{Host: "o", Until: noon.Add(20 * time.Second), Own: true}, Reading{}, c)
	if m != before || v.Health != tidings.HealthGood || v.Next.Sub(noon) > 2*time.Minute {
		t.Errorf("%+v changed memory to %+v", v, m)
	}
}

// hostile 11: 410 ends a channel.
func TestHostile11Gone(t *testing.T) {
	p := DefaultPlan()
	var m Memory
	v := p.Conclude(&m, noon, nil, &StatusError{Status: 410, Host: "o"}, Reading{}, chance())
	if v.Outcome != tidings.OutcomeGone || !v.Ended || !v.Next.IsZero() || v.Health != tidings.HealthEnded ||
		!strings.Contains(v.NextWhy, "410") {
		t.Errorf("got %+v", v)
	}
}

// What has ended is not polled by itself; if a person has it polled and it lives, it
// lives on.
func TestWhatEndedMayComeBack(t *testing.T) {
	feed := Reading{Kind: tidings.KindFeed}
	for name, test := range map[string]struct {
		end   func(Plan, *Memory)
		res   *Response
		read  Reading
		ended bool
	}{
		"gone, there again":               {gone, good("u"), feed, false},
		"gone, there again as it was":     {gone, &Response{URL: "u", Status: 304}, Reading{}, false},
		"expired, not any more":           {expired, good("u"), feed, false},
		"expired, and still so":           {expired, good("u"), Reading{Kind: tidings.KindFeed, Expired: true}, true},
		"expired, as it was":              {expired, &Response{URL: "u", Status: 304}, Reading{}, true},
		"gone, and something that is not": {gone, good("u"), Reading{Unreadable: errors.New("no feed")}, true},
	} {
		p := DefaultPlan()
		var m Memory
		test.end(p, &m)
		v := p.Conclude(&m, noon.Add(day), test.res, nil, test.read, chance())
		if v.Ended != test.ended || v.Next.IsZero() != test.ended || (v.Health == tidings.HealthEnded) != test.ended {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func gone(p Plan, m *Memory) {
	p.Conclude(m, noon, nil, &StatusError{Status: 410, Host: "o"}, Reading{}, chance())
}

func expired(p Plan, m *Memory) {
	p.Conclude(m, noon, good("u"), nil, Reading{Kind: tidings.KindFeed, Expired: true}, chance())
}

// hostile 11: a 404 does not end a channel until it has lasted for weeks of daily polls.
func TestHostile11Missing(t *testing.T) {
	p, c, now := DefaultPlan(), chance(), noon
	var m Memory
	polls, told := 0, false
	for {
		v := p.Conclude(&m, now, nil, &StatusError{Status: 404, Host: "o"}, Reading{}, c)
		polls++
		lasted := now.Sub(noon)
		if v.Ended {
			if lasted < 37*day || lasted > 39*day || polls < 37 || polls > 60 || !strings.Contains(v.NextWhy, "404") ||
				!v.Next.IsZero() {
				t.Errorf("ended after %v and %d checks: %+v", lasted, polls, v)
			}
			break
		}
		if v.Outcome != tidings.OutcomeMissing || v.Health != tidings.HealthFailing || v.Next.Sub(now) > day {
			t.Fatalf("after %v: %+v", lasted, v)
		}
		if early := lasted < p.MissingSpan; early && strings.Contains(v.NextWhy, "until") {
			t.Errorf("the end is announced after %v: %q", lasted, v.NextWhy)
		}
		told = told || strings.Contains(v.NextWhy, "one more check a day until 10 April 2026")
		now = v.Next
	}
	if !told {
		t.Error("nobody was told of the end to come")
	}
	// Found once in between, it starts anew.
	m = Memory{}
	for i := range 100 {
		err := error(&StatusError{Status: 404, Host: "o"})
		var res *Response
		if i%20 == 19 {
			res, err = good("u"), nil
		}
		if v := p.Conclude(&m, noon.Add(time.Duration(i)*day), res, err, Reading{Kind: tidings.KindFeed}, c); v.Ended {
			t.Fatalf("ended on day %d", i)
		}
	}
}

// hostile 11: vanished names, expired certificates and the like back off to a poll a day.
func TestHostile11OtherFailuresBackOff(t *testing.T) {
	for _, err := range []error{
		&NetworkError{Words: "o: no such host"},
		&NetworkError{Words: "o: its certificate expired on 1 March 2026"},
		&StatusError{Status: 500, Host: "o"}, &StatusError{Status: 403, Host: "o"},
		&RedirectError{Host: "o", Why: "they lead in a circle"},
		fmt.Errorf("document of o: %w", ErrTruncated), fmt.Errorf("document of o: %w", ErrBomb),
		ErrForbidden, ErrPort, ErrUnasked, context.DeadlineExceeded,
	} {
		p, c, now := DefaultPlan(), chance(), noon
		var m Memory
		for i := 1; i < 40; i++ {
			v := p.Conclude(&m, now, nil, err, Reading{}, c)
			wait := v.Next.Sub(now)
			if v.Ended || v.Health != tidings.HealthFailing || v.Failures != i || v.Error == "" || wait < p.Interval ||
				wait > day {
				t.Fatalf("%v: check %d: %+v", err, i, v)
			}
			if i > 10 && wait < 19*time.Hour {
				t.Errorf("%v: check %d: the next is after only %v", err, i, wait)
			}
			now = v.Next
		}
	}
}

func TestChallengesArePolledRarely(t *testing.T) {
	p, c, now := DefaultPlan(), chance(), noon
	var m Memory
	for i, least := range []time.Duration{6 * time.Hour, 12 * time.Hour, 19 * time.Hour, 19 * time.Hour} {
		v := p.Conclude(&m, now, nil, &ChallengeError{Status: 403, Host: "o", Mark: "cf-mitigated"}, Reading{}, c)
		if wait := v.Next.Sub(now); v.Outcome != tidings.OutcomeChallenged || v.Health != tidings.HealthChallenged ||
			wait < least || wait > day {
			t.Errorf("challenge %d: %+v", i+1, v)
		}
		now = v.Next
	}
}

// hostile 13: a document that differs at every poll is called noisy, and still polled
// no more often than any other.
func TestHostile13Noise(t *testing.T) {
	p, c, now := DefaultPlan(), chance(), noon
	var m Memory
	for i := 1; i <= p.NoisyAfter+5; i++ {
		res := &Response{URL: "u", Status: 200, Body: fmt.Appendf(nil, "token %d", i)}
		v := p.Conclude(&m, now, res, nil, Reading{Kind: tidings.KindPage, Changed: true}, c)
		if noisy := v.Health == tidings.HealthNoisy; noisy != (i >= p.NoisyAfter) {
			t.Fatalf("after %d changes in a row: %q", i, v.Health)
		}
		if v.Next.Sub(now) < p.Interval/2 {
			t.Fatalf("the next check is after %v", v.Next.Sub(now))
		}
		now = v.Next
	}
	v := p.Conclude(&m, now, good("u"), nil, Reading{Kind: tidings.KindPage}, c)
	if v.Health != tidings.HealthGood {
		t.Errorf("when it is quiet: %q", v.Health)
	}
}

func TestAFeedMaySayThatItEnded(t *testing.T) {
	p := DefaultPlan()
	var m Memory
	v := p.Conclude(&m, noon, good("u"), nil, Reading{Kind: tidings.KindFeed, Changed: true, Expired: true}, chance())
	if v.Outcome != tidings.OutcomeChanged || !v.Ended || !v.Next.IsZero() || v.Health != tidings.HealthEnded {
		t.Errorf("got %+v", v)
	}
}

// Whatever happens, in whatever order: there is a next poll until the channel has ended,
// not sooner than half an interval and not later than eight days; texts are one line; and
// the memory survives its encoding.
func TestAnyHistoryIsConcluded(t *testing.T) {
	errs := []error{
		&StatusError{Status: 404, Host: "o"}, &StatusError{Status: 429, Host: "o", After: time.Hour},
		&StatusError{Status: 503, Host: "o"},
		&StatusError{Status: 500, Host: "o", After: 24 * time.Hour}, &ChallengeError{Host: "o"},
		&NetworkError{Words: "two\nlines"}, ErrForbidden,
	}
	rapid.Check(t, func(t *rapid.T) {
		p, c, now := DefaultPlan(), chance(), noon
		p.Lab = rapid.Bool().Draw(t, "lab")
		m := NewMemory(tidings.IDOf(rapid.String().Draw(t, "channel")))
		for range rapid.IntRange(1, 60).Draw(t, "polls") {
			var res *Response
			var err error
			var read Reading
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				err = rapid.SampledFrom(errs).Draw(t, "error")
			case 1:
				res = &Response{URL: "u", Status: 304}
			default:
				res = &Response{URL: "u", Status: rapid.SampledFrom([]int{200, 226}).Draw(t, "status"),
					Body: []byte(rapid.StringN(1, 3, -1).Draw(t, "body"))}
				res.Header =
					map[string][]string{"Cache-Control": {rapid.SampledFrom([]string{"", "max-age=99999999",
						"no-store"}).Draw(t, "cache")}}
				res.Permanent = rapid.SampledFrom([]string{"", "b", "c"}).Draw(t, "permanent")
				read = Reading{
					Kind: tidings.KindFeed, Changed: rapid.Bool().Draw(t, "changed"),
					Hints: Hints{
						TTL:       time.Duration(rapid.Int64().Draw(t, "ttl")),
						SkipHours: rapid.SliceOf(rapid.IntRange(-1, 25)).Draw(t, "hours"),
						SkipDays: rapid.SliceOf(rapid.Map(rapid.IntRange(-1, 8),
							func(i int) time.Weekday { return time.Weekday(i) })).Draw(t, "days"),
					},
				}
				if rapid.Bool().Draw(t, "unreadable") {
					read.Unreadable = errors.New("no\nfeed")
				}
			}
			v := p.Conclude(&m, now, res, err, read, c)
			if v.Ended {
				return
			}
			if wait := v.Next.Sub(now); wait < p.Interval/2 || wait > 8*day {
				t.Fatalf("the next check is after %v: %+v", wait, v)
			}
			if v.NextWhy == "" || strings.ContainsAny(v.NextWhy+v.Error, "\n\r") || v.Outcome == "" || v.Health == "" {
				t.Fatalf("got %+v", v)
			}
			again, decodeErr := Decode(m.Encode())
			if decodeErr != nil {
				t.Fatal(decodeErr)
			}
			if a, b := p.Request(&again, "u", v.Next), p.Request(&m, "u", v.Next); !reflect.DeepEqual(a, b) {
				t.Fatalf("after a restart %+v is asked, else %+v", a, b)
			}
			now = v.Next
		}
	})
}

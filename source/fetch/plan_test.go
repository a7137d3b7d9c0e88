package fetch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"tidings"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) // a Wednesday

func chance() *rand.Rand { return rand.New(rand.NewPCG(7, 11)) }

func TestPollsNeverBunch(t *testing.T) {
	// 10,000 channels, added at once, read without trouble for three hours: every minute sees
	// about as many looks as any other.
	p, c := DefaultPlan(), chance()
	const channels = 10_000
	perMinute := map[int64]int{}
	for i := range channels {
		m := NewMemory(tidings.IDOf(fmt.Sprintf("https://example.org/%d", i)))
		last := time.Time{}
		for at := p.onGrid(&m, noon); at.Before(noon.Add(3 * time.Hour)); {
			if !last.IsZero() && at.Sub(last) != p.Interval {
				t.Fatalf("channel %d was checked after %v", i, at.Sub(last))
			}
			last = at
			perMinute[at.Unix()/60]++
			res := &Response{Status: 304}
			// An answer needs a moment.
			at = p.Conclude(&m, at.Add(700*time.Millisecond), res, nil, Reading{}, c).Next
		}
	}
	mean := float64(channels) / p.Interval.Minutes()
	for minute, n := range perMinute {
		if float64(n) < 0.75*mean || float64(n) > 1.25*mean {
			t.Errorf("minute %d sees %d polls, the mean is %.0f", minute, n, mean)
		}
	}
}

func TestFirstPollIsWithinAnInterval(t *testing.T) {
	p := DefaultPlan()
	for i := range 1000 {
		m := NewMemory(tidings.IDOf(fmt.Sprint(i)))
		if at := p.onGrid(&m, noon); at.Before(noon) || at.Sub(noon) > p.Interval {
			t.Fatalf("first check after %v", at.Sub(noon))
		}
	}
}

func TestARestartCausesNoStorm(t *testing.T) {
	const channels = 6000
	interval := 30 * time.Minute
	perMinute := make([]int, 30)
	for i := range channels {
		id := tidings.IDOf(fmt.Sprint(i))
		overdue := noon.Add(-time.Duration(i) * time.Second)
		at := Resume(noon, overdue, interval, id)
		perMinute[int(at.Sub(noon).Minutes())]++
	}
	for minute, n := range perMinute {
		if n < 140 || n > 260 {
			t.Errorf("minute %d after the start sees %d checks of %d", minute, n, channels)
		}
	}
	later := noon.Add(time.Minute)
	if got := Resume(noon, later, interval, tidings.ChannelID{9}); !got.Equal(later) {
		t.Errorf("a check to come was moved to %v", got)
	}
	if got := Resume(noon, time.Time{}, interval, tidings.ChannelID{9}); !got.IsZero() {
		t.Errorf("a channel that ended is checked at %v", got)
	}
}

// A shorter interval is one for the poll that is planned already, but for what an origin wishes.
func TestAShorterIntervalMakesTheNextPollSooner(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	long, short := DefaultPlan(), DefaultPlan()
	long.Interval, short.Interval = 6*time.Hour, 10*time.Minute
	read := NewMemory(tidings.ChannelID{7})
	read.LastRead = noon
	for name, test := range map[string]struct {
		edit  func(m *Memory, why *string)
		least time.Duration // from noon; 0: it stays as it was
	}{
		"read":             {func(*Memory, *string) {}, 5 * time.Minute},
		"fresh for 1 h":    {func(m *Memory, _ *string) { m.FreshUntil = noon.Add(time.Hour) }, time.Hour},
		"a ttl of 2 h":     {func(m *Memory, _ *string) { m.TTL = 2 * time.Hour }, 2 * time.Hour},
		"a ttl of 5 days":  {func(m *Memory, _ *string) { m.TTL = 120 * time.Hour }, 0},
		"after a failure":  {func(_ *Memory, why *string) { *why = "another try after 6 h" }, 0},
		"pushed meanwhile": {func(_ *Memory, why *string) { *why = "its publisher pushes" }, 0},
		"never read":       {func(m *Memory, _ *string) { m.LastRead = time.Time{} }, 0},
	} {
		m := read
		next, why := long.after(&m, noon, chance)
		test.edit(&m, &why)
		got, gotWhy, sooner := short.Sooner(&m, next, why, chance)
		most := noon.Add(test.least + 11*time.Minute)
		switch {
		case test.least == 0 && (sooner || !got.Equal(next) || gotWhy != why):
			t.Errorf("%s: moved from %v to %v (%s)", name, next, got, gotWhy)
		case test.least > 0 && (!sooner || got.Before(noon.Add(test.least)) || got.After(most)):
			t.Errorf("%s: at %v, want from %v to %v", name, got, noon.Add(test.least), most)
		case test.least == 5*time.Minute && gotWhy != "its regular check, every 10 min":
			t.Errorf("%s: because of %q", name, gotWhy)
		}
		if _, _, sooner := long.Sooner(&m, next, why, chance); sooner {
			t.Errorf("%s: the same interval moved it", name)
		}
		if _, _, sooner := short.Sooner(&m, time.Time{}, why, chance); sooner {
			t.Errorf("%s: what is never checked was moved", name)
		}
	}
}

func TestAPollOutOfTurnDoesNotCauseAnother(t *testing.T) {
	p := DefaultPlan()
	m := Memory{Phase: 1 << 31}
	for minute := range 60 {
		now := noon.Add(time.Duration(minute) * time.Minute)
		v := p.Conclude(&m, now, &Response{Status: 304}, nil, Reading{}, chance())
		if wait := v.Next.Sub(now); wait < p.Interval/2 || wait > p.Interval*3/2 {
			t.Errorf("at minute %d: the next check is after %v", minute, wait)
		}
	}
}

func TestRequestsAreConditionalAndWholeOnceADay(t *testing.T) {
	p := DefaultPlan()
	m := NewMemory(tidings.IDOf("https://example.org/feed"))
	if r := p.Request(&m, "https://example.org/feed", noon); !reflect.DeepEqual(r,
		Request{URL: "https://example.org/feed"}) {
		t.Errorf("the first request is %+v", r)
	}
	whole := 0
	for now := noon; now.Before(noon.Add(28 * 24 * time.Hour)); now = now.Add(p.Interval) {
		r := p.Request(&m, "https://example.org/feed", now)
		res := &Response{URL: r.URL, Status: 304}
		if r.ETag == "" {
			whole++
			res = &Response{URL: r.URL, Status: 200, Body: []byte("feed"), ETag: `"1"`, LastModified: "then"}
		} else if r.ETag != `"1"` || r.LastModified != "then" || r.ValidFor != r.URL || !r.Delta {
			t.Fatalf("asked %+v", r)
		}
		p.Conclude(&m, now, res, nil, Reading{Kind: tidings.KindFeed}, chance())
	}
	if whole < 28 || whole > 28*4/3+1 {
		t.Errorf("%d whole fetches in 28 days", whole)
	}
}

func TestDeltasAreOfferedForFeedsThatCanDoThem(t *testing.T) {
	p := DefaultPlan()
	read := func(kind tidings.Kind, res Response, unreadable error) Memory {
		var m Memory
		res.URL, res.Body = "u", []byte("x")
		if unreadable != nil {
			p.Conclude(&m, noon, &Response{URL: "u", Status: 200, Body: []byte("x"), ETag: `"1"`}, nil,
				Reading{Kind: kind}, chance())
		}
		p.Conclude(&m, noon, &res, nil, Reading{Kind: kind, Unreadable: unreadable}, chance())
		return m
	}
	for name, test := range map[string]struct {
		m    Memory
		want bool
	}{
		"feed":             {read(tidings.KindFeed, Response{Status: 200, ETag: `"1"`}, nil), true},
		"page":             {read(tidings.KindPage, Response{Status: 200, ETag: `"1"`}, nil), false},
		"no ETag":          {read(tidings.KindFeed, Response{Status: 200, LastModified: "then"}, nil), false},
		"bad delta":        {read(tidings.KindFeed, Response{Status: 200, ETag: `"1"`, BadDelta: true}, nil), false},
		"unreadable delta": {read(tidings.KindFeed, Response{Status: 226, ETag: `"2"`}, errors.New("cut")), false},
	} {
		if got := p.Request(&test.m, "u", noon).Delta; got != test.want {
			t.Errorf("%s: offered %v, want %v", name, got, test.want)
		}
	}
}

func TestBackoffGrowsToADay(t *testing.T) {
	p, c := DefaultPlan(), chance()
	before := time.Duration(0)
	for row := 1; row < 100; row++ {
		d := p.backoff(p.Interval, row, c)
		switch {
		case d < p.Interval, d > p.MaxBackoff:
			t.Errorf("after %d: %v", row, d)
		case row < 6 && d < before*3/2:
			t.Errorf("after %d: %v, not much longer than %v", row, d, before)
		case row > 7 && d < p.MaxBackoff*4/5:
			t.Errorf("after %d: only %v", row, d)
		}
		before = d
	}
}

func TestPlanIsChecked(t *testing.T) {
	if err := DefaultPlan().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Plan){
		"no interval":      func(p *Plan) { p.Interval = 0 },
		"no back-off":      func(p *Plan) { p.MaxBackoff = -1 },
		"no confirmations": func(p *Plan) { p.Confirmations = 0 },
		"negative span":    func(p *Plan) { p.ConfirmSpan = -1 },
	} {
		p := DefaultPlan()
		spoil(&p)
		if err := p.Validate(); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

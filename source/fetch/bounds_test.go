package fetch

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"tidings"
)

// poll concludes one whole document read at noon, in a plan without chance.
func poll(t *testing.T, p Plan, header map[string]string, h Hints) Verdict {
	t.Helper()
	m := Memory{} // phase 0: its own times are the full and half hours
	res := &Response{URL: "u", Status: 200, Body: []byte("x"), Header: http.Header{}}
	for k, v := range header {
		res.Header.Set(k, v)
	}
	if date, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		res.Date = date
	}
	return p.Conclude(&m, noon, res, nil, Reading{Kind: tidings.KindFeed, Hints: h}, chance())
}

// hostile 12: what an origin says against polling often is a lower bound on the
// interval, up to a week.
func TestHostile12HintsAreLowerBounds(t *testing.T) {
	const day = 24 * time.Hour
	date := func(d time.Duration) string { return noon.Add(d).Format(http.TimeFormat) }
	hours := func(from, to int) (hs []int) {
		for h := from; h <= to; h++ {
			hs = append(hs, h)
		}
		return hs
	}
	for name, test := range map[string]struct {
		header map[string]string
		hints  Hints
		wait   time.Duration
		why    string
	}{
		"nothing": {nil, Hints{}, 30 * time.Minute, "regular check, every 30 min"},
		"max-age": {map[string]string{"Cache-Control": "public, max-age=7200"}, Hints{}, 2 * time.Hour,
			"Cache-Control: 2 h"},
		"shorter max-age": {map[string]string{"Cache-Control": "max-age=60"}, Hints{}, 30 * time.Minute,
			"regular"},
		"never just before": {map[string]string{"Cache-Control": "max-age=1805"}, Hints{}, 1805 * time.Second,
			"Cache-Control"},
		"s-maxage first": {map[string]string{"Cache-Control": "max-age=7200, s-maxage=10800"}, Hints{},
			3 * time.Hour, "Cache-Control"},
		"less its age": {map[string]string{"Cache-Control": "max-age=7200", "Age": "3600"}, Hints{},
			time.Hour, "Cache-Control"},
		"older than fresh": {map[string]string{"Cache-Control": "max-age=7200", "Age": "9000"}, Hints{},
			30 * time.Minute, "regular"},
		"no-cache": {map[string]string{"Cache-Control": "no-cache, max-age=7200"}, Hints{},
			30 * time.Minute, "regular"},
		"quoted": {map[string]string{"Cache-Control": `Max-Age="7200"`}, Hints{}, 2 * time.Hour,
			"Cache-Control"},
		"nonsense": {map[string]string{"Cache-Control": "max-age=soon, =, max-age=-7200"}, Hints{},
			30 * time.Minute, "regular"},
		"ten years": {map[string]string{"Cache-Control": "max-age=315360000, immutable"}, Hints{}, 7 * day,
			"7 days"},
		"beyond numbers": {map[string]string{"Cache-Control": "max-age=999999999999999999999999"}, Hints{},
			7 * day, "7 days"},
		"Expires": {map[string]string{"Expires": date(2 * time.Hour)}, Hints{}, 2 * time.Hour,
			"Expires: 2 h"},
		"Expires, other clock": {map[string]string{"Expires": date(50 * time.Hour), "Date": date(48 * time.Hour)},
			Hints{}, 2 * time.Hour, "Expires"},
		"Expires 0": {map[string]string{"Expires": "0"}, Hints{}, 30 * time.Minute, "regular"},
		"max-age over Expires": {map[string]string{"Expires": date(9 * time.Hour), "Cache-Control": "max-age=0"},
			Hints{}, 30 * time.Minute, "regular"},
		"no heuristics": {map[string]string{"Last-Modified": date(-1000 * day)}, Hints{}, 30 * time.Minute,
			"regular"},
		"ttl":            {nil, Hints{TTL: time.Hour}, time.Hour, "ttl: 60 min"},
		"a short ttl":    {nil, Hints{TTL: time.Minute}, 30 * time.Minute, "regular"},
		"a huge ttl":     {nil, Hints{TTL: 1000 * day}, 7 * day, "ttl: 7 days"},
		"a negative ttl": {nil, Hints{TTL: -time.Hour}, 30 * time.Minute, "regular"},
		"update period":  {nil, Hints{UpdatePeriod: day}, day, "sy:updatePeriod: 24 h"},
		"the longest counts": {map[string]string{"Cache-Control": "max-age=7200"},
			Hints{TTL: 3 * time.Hour, UpdatePeriod: time.Hour}, 3 * time.Hour, "ttl"},
		"this hour skipped":   {nil, Hints{SkipHours: []int{12}}, time.Hour, "skipHours"},
		"hours skipped":       {nil, Hints{SkipHours: hours(12, 24)}, 13 * time.Hour, "skipHours"}, // 24 is 0
		"after the ttl too":   {nil, Hints{TTL: time.Hour, SkipHours: hours(13, 15)}, 4 * time.Hour, "skipHours"},
		"other hours skipped": {nil, Hints{SkipHours: hours(1, 11)}, 30 * time.Minute, "regular"},
		"all hours skipped":   {nil, Hints{SkipHours: hours(0, 23)}, 30 * time.Minute, "regular"},
		"today skipped":       {nil, Hints{SkipDays: []time.Weekday{time.Wednesday}}, 12 * time.Hour, "skipDays"},
		"days and hours skipped": {nil, Hints{SkipDays: []time.Weekday{time.Wednesday, time.Thursday},
			SkipHours: hours(0, 7)}, 44 * time.Hour, "skipDays"},
		"all days skipped": {nil, Hints{SkipDays: []time.Weekday{0, 1, 2, 3, 4, 5, 6}}, 30 * time.Minute,
			"regular"},
		"hours that are none": {nil, Hints{SkipHours: []int{-1, 25, 99}, SkipDays: []time.Weekday{-1, 7}},
			30 * time.Minute, "regular"},
	} {
		t.Run(name, func(t *testing.T) {
			v := poll(t, DefaultPlan(), test.header, test.hints)
			// Just after the bound, never before it.
			if wait := v.Next.Sub(noon); wait < test.wait || wait > test.wait+time.Minute {
				t.Errorf("the next check is after %v, want %v (%s)", wait, test.wait, v.NextWhy)
			}
			if !strings.Contains(v.NextWhy, test.why) {
				t.Errorf("why: %q, want %q in it", v.NextWhy, test.why)
			}
			lab := DefaultPlan()
			lab.Lab = true
			v = poll(t, lab, test.header, test.hints)
			if wait := v.Next.Sub(noon); wait != 30*time.Minute {
				t.Errorf("in a lab the next check is after %v", wait)
			}
			if told := strings.Contains(v.NextWhy, "not obeyed in a lab"); told != (test.why != "regular" &&
				name != "nothing") {
				t.Errorf("in a lab: %q", v.NextWhy)
			}
		})
	}
}

func TestNotModifiedRenewsFreshness(t *testing.T) {
	p, c := DefaultPlan(), chance()
	var m Memory
	first := &Response{URL: "u", Status: 200, Body: []byte("x"), ETag: `"1"`, LastModified: "then",
		Header: http.Header{"Cache-Control": {"max-age=7200"}}}
	p.Conclude(&m, noon, first, nil, Reading{Kind: tidings.KindPage}, c)

	// A 304 that says nothing renews what was said.
	later := noon.Add(3 * time.Hour)
	v := p.Conclude(&m, later, &Response{URL: "u", Status: 304}, nil, Reading{}, c)
	if !m.FreshUntil.Equal(later.Add(2*time.Hour)) || v.Next.Before(m.FreshUntil) {
		t.Errorf("fresh until %v, next check %v", m.FreshUntil, v.Next)
	}
	if m.ETag != `"1"` || m.LastModified != "then" {
		t.Errorf("validators became %q, %q", m.ETag, m.LastModified)
	}
	// One that says something else changes it.
	last := &Response{URL: "u", Status: 304, ETag: `"2"`, Header: http.Header{"Cache-Control": {"max-age=60"}}}
	p.Conclude(&m, later, last, nil, Reading{}, c)
	if !m.FreshUntil.Equal(later.Add(time.Minute)) || m.ETag != `"2"` || m.LastModified != "then" {
		t.Errorf("memory became %+v", m)
	}
	// A new document that says nothing says nothing.
	p.Conclude(&m, later, &Response{URL: "u", Status: 200, Body: []byte("y")}, nil, Reading{}, c)
	if !m.FreshUntil.IsZero() || m.ETag != "" || m.LastModified != "" || m.CacheControl != "" {
		t.Errorf("memory became %+v", m)
	}
}

func TestHintsOfAnUnreadDocumentStay(t *testing.T) {
	p, c := DefaultPlan(), chance()
	var m Memory
	res := &Response{URL: "u", Status: 200, Body: []byte("x")}
	p.Conclude(&m, noon, res, nil, Reading{Kind: tidings.KindFeed, Hints: Hints{TTL: 2 * time.Hour}}, c)
	for name, again := range map[string]*Response{
		"same document": {URL: "u", Status: 200, Body: []byte("x")},
		"not modified":  {URL: "u", Status: 304},
	} {
		if again.Status == 200 && !m.Same(again) {
			t.Error("the same document is not known again")
		}
		v := p.Conclude(&m, noon, again, nil, Reading{}, c)
		if v.Next.Before(noon.Add(2*time.Hour)) || m.Kind != tidings.KindFeed {
			t.Errorf("%s: the next check is at %v (%s)", name, v.Next, v.NextWhy)
		}
	}
	if m.Same(&Response{URL: "u", Status: 200, Body: []byte("y")}) {
		t.Error("another document counts as the same")
	}
	if empty := (Memory{}); empty.Same(&Response{Status: 200}) {
		t.Error("nothing counts as the same as nothing")
	}
}

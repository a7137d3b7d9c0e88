package fetch

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// remember stores what a response says of freshness. A 304 updates the stored header: what it does not mention stays
// (RFC 9111, 4.3.4).
func (m *Memory) remember(res *Response, now time.Time, most time.Duration) {
	renewed := res.Status == http.StatusNotModified
	keep := func(field *string, name string) {
		if said := strings.Join(res.Header[name], ", "); said != "" || !renewed {
			*field = bound(said, 1<<10)
		}
	}
	keep(&m.CacheControl, "Cache-Control")
	keep(&m.Expires, "Expires")
	m.FreshUntil = time.Time{}
	if left := min(freshness(m.CacheControl, m.Expires, res.Header.Get("Age"), res.Date, now), most); left > 0 {
		m.FreshUntil = now.Add(left)
	}
}

// bound drops what is too long to be meant.
func bound(s string, limit int) string {
	if len(s) > limit {
		return ""
	}
	return s
}

// freshness is for how long a response stays fresh from now on, by explicit word of its
// origin: s-maxage, else max-age, else Expires, less its age. Expires is measured by the
// origin's own clock. 0: it is stale, or nothing was said. Heuristics have no place here:
// they would put off looks for which nobody asked.
func freshness(cacheControl, expires, age string, date, now time.Time) time.Duration {
	var lifetime time.Duration
	said := directives(cacheControl)
	switch {
	case said.forbidden:
		return 0
	case said.shared >= 0:
		lifetime = said.shared
	case said.maxAge >= 0:
		lifetime = said.maxAge
	case expires != "":
		at, err := http.ParseTime(expires)
		if err != nil { // "0" and the like mean: already
			return 0
		}
		if date.IsZero() {
			date = now
		}
		lifetime = at.Sub(date)
	}
	if s, ok := deltaSeconds(age); ok {
		lifetime -= s
	}
	return max(lifetime, 0)
}

type cacheDirectives struct {
	maxAge, shared time.Duration // -1: not said
	forbidden      bool          // no-cache or no-store
}

func directives(cacheControl string) cacheDirectives {
	d := cacheDirectives{maxAge: -1, shared: -1}
	for part := range strings.SplitSeq(cacheControl, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		s, ok := deltaSeconds(strings.Trim(value, `" `))
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case name == "no-cache" || name == "no-store":
			d.forbidden = true
		case name == "max-age" && ok && d.maxAge < 0:
			d.maxAge = s
		case name == "s-maxage" && ok && d.shared < 0:
			d.shared = s
		}
	}
	return d
}

// deltaSeconds reads a number of seconds; more than a year is a year.
func deltaSeconds(s string) (time.Duration, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	const year = 365 * 24 * 60 * 60
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > year {
		n = year
	}
	return time.Duration(n) * time.Second, true
}

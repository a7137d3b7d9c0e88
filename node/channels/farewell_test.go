package channels

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/source"
)

// A channel that cannot be read for an hour is announced once, and again when it fails anew after it was read. Short
// outages, and origins that ask for patience, are not announced.
func TestAChannelBeginsToFail(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		polls  string // a letter for each, 20 minutes apart: f fails, c meets a challenge, l is limited, r is read
		kind   tidings.Kind
		guest  bool
		notice string // at which polls, by their numbers
	}{
		{"fails", "rfffffffff", tidings.KindFeed, false, "4"},
		{"a page", "rfffffffff", tidings.KindPage, false, "4"},
		{"a challenge", "rcccccc", tidings.KindFeed, false, "4"},
		{"a short outage", "rfffrfffr", tidings.KindFeed, false, ""},
		{"twice", "rffffrrfffff", tidings.KindFeed, false, "4 10"},
		{"limited", "rlllllll", tidings.KindFeed, false, ""},
		{"never read", "ffffff", tidings.KindUnknown, false, ""},
		{"for others", "rffffff", tidings.KindFeed, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := source.Job{Channel: tidings.Channel{URL: "https://example.org/feed", Kind: c.kind}, Guest: c.guest}
			var since time.Time
			var at []string
			for i, poll := range c.polls {
				now := start.Add(time.Duration(i) * 20 * time.Minute)
				r := source.Result{Poll: tidings.Poll{At: now, Error: "no such host"}, Failures: w.Failures + 1}
				switch poll {
				case 'f':
					r.Health = tidings.HealthFailing
				case 'c':
					r.Health = tidings.HealthChallenged
				case 'l':
					r.Health = tidings.HealthLimited
				case 'r':
					r.Health, r.Failures = tidings.HealthGood, 0
				}
				if r.Failures == 1 {
					since = now
				}
				if r.Failures > 0 {
					r.Since = since
				}
				if change := recordOf(w, r).Change; change != nil {
					at = append(at, fmt.Sprint(i))
					if !change.Notice.IsNotice() || !strings.Contains(change.Notice.Content, "no such host") ||
						change.Kind != c.kind {
						t.Errorf("the notice is %+v", change.Notice)
					}
				}
				w.Failures, w.Last = r.Failures, r.Poll
			}
			if got := strings.Join(at, " "); got != c.notice {
				t.Errorf("noticed at polls %q, want %q", got, c.notice)
			}
		})
	}
}

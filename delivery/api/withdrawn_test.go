package api

import (
	"strings"
	"testing"
	"time"

	"tidings"
)

// Updates, entries and states name the nodes that confirmed them, and say that they are withdrawn. In others the fields
// are absent.
func TestVouchingIsTold(t *testing.T) {
	f := filled()
	w := &tidings.Withdrawal{Time: time.Unix(1_800_000_000, 0).UTC(), Reason: "its origin does not show it",
		VouchedBy: []string{"a", "b"}}
	confirmed := []string{"b", "c"}
	f.updates[0].FoundBy, f.updates[0].ConfirmedBy, f.updates[0].Withdrawn = "a", confirmed, w
	f.entries[0].FoundBy, f.entries[0].ConfirmedBy, f.entries[0].Withdrawn = "a", confirmed, w
	s := f.states[news+" 2"]
	s.FoundBy, s.ConfirmedBy, s.Withdrawn = "a", confirmed, w
	f.states[news+" 2"] = s
	h := as(tidings.Owner, New(configOf(f)))
	for _, target := range []string{"updates", "entries", "state?version=2&url=" + news} {
		text := ask(h, "GET", target, "").Body.String()
		for _, want := range []string{`"found_by":"a"`, `"confirmed_by":["b","c"]`, `"withdrawn":{"time":"2027-01-15T08:00:00Z","reason":"its origin does not show it","vouched_by":["a","b"]}`} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%s does not have %s once: %s", target, want, text)
			}
		}
		if strings.Count(text, "confirmed_by") != 1 || strings.Count(text, "withdrawn") != 1 {
			t.Errorf("%s says it of others: %s", target, text)
		}
	}
}

package cli

import (
	"testing"
	"time"
)

func TestSpans(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "2h": 2 * time.Hour, "2d": 48 * time.Hour, "1d12h": 36 * time.Hour,
		"0.5d": 12 * time.Hour, "0s": 0,
	} {
		if got, err := ParseSpan(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "2", "-1h", "d", "1e9d", "NaNd", "2d-1h", "99999999h", "2 days"} {
		if got, err := ParseSpan(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

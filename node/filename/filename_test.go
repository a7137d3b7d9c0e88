package filename

import (
	"strings"
	"testing"
)

func TestSafe(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"a-b_c.9.mp3":            "a-b_c.9.mp3",
		"../x y/ü\x00":           "..-x-y---",
		`c:\con`:                 "c--con",
		strings.Repeat("ü", 201): strings.Repeat("-", 200),
	} {
		if got := Safe(text); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}

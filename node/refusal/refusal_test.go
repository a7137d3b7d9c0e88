package refusal

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"tidings"
)

func TestRefusals(t *testing.T) {
	cause := errors.New("it is so")
	for _, err := range []error{Errorf("no %s", "port"), WithHint(cause, "change it"), fmt.Errorf("listening: %w", Errorf("no port"))} {
		if !errors.Is(err, tidings.ErrInvalid) || errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("%v is not what it should be", err)
		}
	}
	var advice interface{ Hint() string }
	if err := fmt.Errorf("changing: %w", WithHint(cause, "change it")); !errors.Is(err, cause) || !errors.As(err, &advice) || advice.Hint() != "change it" {
		t.Errorf("%v has no hint, or has lost its cause", err)
	}
}

func TestQuotesAreShort(t *testing.T) {
	if text := strings.Repeat("x", 100); Quote(text) != text {
		t.Errorf("%s", Quote(text))
	}
	if got := Quote(strings.Repeat("é", 51)); !utf8.ValidString(got) || got != strings.Repeat("é", 50)+"…" {
		t.Errorf("%s", got)
	}
	if got := Quote("x" + strings.Repeat("é", 51)); !utf8.ValidString(got) || got != "x"+strings.Repeat("é", 49)+"…" {
		t.Errorf("%s", got)
	}
}

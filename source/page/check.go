package page

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrForged says that lines are none that Extract could have made.
var ErrForged = errors.New("no reading of a page gives these lines")

// CheckLines checks lines that somebody else has extracted from a page for what Extract promises.
func CheckLines(lines []string, c Config) error {
	if len(lines) == 0 || len(lines) > c.MaxLines {
		return fmt.Errorf("%d lines: %w", len(lines), ErrForged)
	}
	size := 0
	for i, l := range lines {
		size += len(l) + 1
		if l == "" || len(l) > c.MaxLine || size > c.MaxText || !utf8.ValidString(l) ||
			strings.ContainsFunc(l, isControl) {
			return fmt.Errorf("line %d: %w", i+1, ErrForged)
		}
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }

package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Span is a duration of a flag: Go's notation, and days such as "2d" or "1d12h".
type Span time.Duration

// Decode reads a span that is not negative.
func (s *Span) Decode(ctx *kong.DecodeContext) error {
	text, err := Pop(ctx)
	if err != nil {
		return err
	}
	d, err := ParseSpan(text)
	*s = Span(d)
	return err
}

const maxDays = 36500

// ParseSpan reads a span.
func ParseSpan(text string) (time.Duration, error) {
	wrong := fmt.Errorf("%q is no duration such as 90s, 30m, 2h or 2d", text)
	var total time.Duration
	rest := text
	if days, after, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || !(n >= 0 && n <= maxDays) {
			return 0, wrong
		}
		total = time.Duration(n * float64(24*time.Hour))
		if rest = after; rest == "" {
			return total, nil
		}
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || d > maxDays*24*time.Hour {
		return 0, wrong
	}
	return total + d, nil
}

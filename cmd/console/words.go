package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Relative words a time as people do: "5 min ago", "in 2 h"; far ones as dates.
func (c *Console) Relative(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := c.Now().Sub(t)
	switch {
	case d > -2*time.Second && d < 5*time.Second:
		return "now"
	case d.Abs() > 60*24*time.Hour:
		return t.Local().Format("2006-01-02")
	case d < 0:
		return "in " + Span(-d)
	}
	return Span(d) + " ago"
}

// Span words a duration in its one largest unit, to the nearest. Small numbers of hours or days have one decimal: "45
// s", "30 min", "1.5 h", "13 h", "2.5 days".
func Span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d.Round(time.Second) < time.Minute:
		return amount(d, time.Second, "s")
	case d.Round(time.Minute) < time.Hour:
		return amount(d, time.Minute, "min")
	case d.Round(time.Hour) < 2*day:
		return amount(d, time.Hour, "h")
	}
	return amount(d, day, "days")
}

// amount writes d in units: below ten hours or days to a tenth, else in whole ones.
func amount(d, unit time.Duration, name string) string {
	step := unit
	if unit >= time.Hour && d.Round(unit/10) < 10*unit {
		step = unit / 10
	}
	text := strconv.FormatFloat(float64(d.Round(step))/float64(unit), 'f', 1, 64)
	return strings.TrimSuffix(text, ".0") + " " + name
}

// Bytes words a size in decimal units.
func Bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB"} {
		if value /= 1000; value < 999.95 {
			break
		}
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}

// Count writes a number with commas between its thousands.
func Count[N int | int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(digits) - 3; i > first; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Of counts things: "1 item", "2 items".
func Of[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

package page

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// timeOfDay matches a time of day anywhere in a line.
var timeOfDay = regexp.MustCompile(`\b([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?:\s?([AaPp])\.?[Mm]\b\.?)?`)

// clockSlack is how much a clock may be off. It covers its precision of a minute, and the time to make and send a page.
const clockSlack = 90 * time.Second

// OnlyClocks reports whether two fetches of a page differ only by clocks that have gone on. These are times of day that
// moved by the time between the fetches. In a time zone, they show the time of the second fetch, now. A time that is
// content, such as a departure, moves otherwise.
func OnlyClocks(old, new Document, elapsed time.Duration, now time.Time) bool {
	if len(old.Lines) != len(new.Lines) || elapsed <= 0 {
		return false
	}
	ticked := false
	for i, line := range new.Lines {
		if line == old.Lines[i] {
			continue
		}
		if !onlyClocks(old.Lines[i], line, elapsed, now) {
			return false
		}
		ticked = true
	}
	return ticked
}

func onlyClocks(old, new string, elapsed time.Duration, now time.Time) bool {
	x, y := timeOfDay.FindAllStringSubmatchIndex(old, -1), timeOfDay.FindAllStringSubmatchIndex(new, -1)
	if len(x) != len(y) || withoutTimes(old, x) != withoutTimes(new, y) {
		return false
	}
	for i := range x {
		before, after := readTime(old, x[i]), readTime(new, y[i])
		if old[x[i][0]:x[i][1]] == new[y[i][0]:y[i][1]] {
			continue
		}
		// Half a day is precise enough, and makes morning and evening the same. Time zones differ by quarters of an
		// hour.
		if distance(after-before, elapsed, 12*time.Hour) > clockSlack {
			return false
		}
		if distance(after, sinceMidnight(now), 15*time.Minute) > clockSlack {
			return false
		}
	}
	return true
}

func withoutTimes(line string, times [][]int) string {
	var b strings.Builder
	at := 0
	for _, t := range times {
		b.WriteString(line[at:t[0]])
		b.WriteByte(0)
		at = t[1]
	}
	b.WriteString(line[at:])
	return b.String()
}

// readTime returns a matched time as the time since midnight.
func readTime(line string, match []int) time.Duration {
	part := func(i int) int {
		if match[2*i] < 0 {
			return 0
		}
		n, _ := strconv.Atoi(line[match[2*i]:match[2*i+1]]) // one or two digits, by the pattern
		return n
	}
	return time.Duration(part(1))*time.Hour + time.Duration(part(2))*time.Minute + time.Duration(part(3))*time.Second
}

func sinceMidnight(t time.Time) time.Duration {
	t = t.UTC()
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(
		t.Second())*time.Second
}

// distance returns how far apart a and b are on a circle.
func distance(a, b, circle time.Duration) time.Duration {
	d := (a - b) % circle
	if d < 0 {
		d += circle
	}
	return min(d, circle-d)
}

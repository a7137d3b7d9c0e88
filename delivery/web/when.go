package web

import (
	"fmt"
	"time"
)

// moment is a time as it is shown: short, with the exact one to be had by asking.
type moment struct {
	ISO   string // for machines
	Short string // "5 min", "3 h", "yesterday", "12 Nov", "12 Nov 2019"
	Ago   string // Short within a sentence: "5 min ago"
	Exact string
	Age   int64 // seconds since 1970, for the script, which keeps Short true; 0 if it needs no help
}

// momentAt tells t as seen at now. The zero time gives the zero moment.
func momentAt(t, now time.Time) moment {
	if t.IsZero() {
		return moment{}
	}
	t = t.In(now.Location())
	m := moment{ISO: t.Format(time.RFC3339), Short: shortTime(t, now), Exact: t.Format("Monday 2 January 2006, 15:04:05 MST")}
	m.Ago = m.Short
	if d := now.Sub(t); d.Abs() < 24*time.Hour {
		m.Age = t.Unix()
		if d >= time.Minute {
			m.Ago += " ago"
		}
	}
	return m
}

// nextAt is momentAt for something that is going to happen: what is overdue happens now.
func nextAt(t, now time.Time) moment {
	m := momentAt(t, now)
	if !t.IsZero() && t.Before(now) {
		m.Short, m.Ago = "now", "now"
	}
	return m
}

func shortTime(t, now time.Time) string {
	if d := t.Sub(now); d >= time.Second {
		return "in " + spanText(d)
	}
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return "now"
	case d < 24*time.Hour:
		return spanText(d)
	case daysBetween(t, now) == 1:
		return "yesterday"
	case t.Year() == now.Year() || d < 120*24*time.Hour:
		return t.Format("2 Jan")
	default:
		return t.Format("2 Jan 2006")
	}
}

// spanText returns a length of time in its largest unit, rounded down: "40 s", "5 min", "3 h", "2 d".
func spanText(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	}
}

// dayName names the day of t as seen at now.
func dayName(t, now time.Time) string {
	t = t.In(now.Location())
	switch n := daysBetween(t, now); {
	case n <= 0:
		return "Today"
	case n == 1:
		return "Yesterday"
	case n < 7:
		return t.Format("Monday")
	case t.Year() == now.Year():
		return t.Format("Monday 2 January")
	default:
		return t.Format("2 January 2006")
	}
}

// daysBetween counts the midnights between a and b, in b's place.
func daysBetween(a, b time.Time) int {
	a = a.In(b.Location())
	ay, am, ad := a.Date()
	by, bm, bd := b.Date()
	return int(time.Date(by, bm, bd, 0, 0, 0, 0, time.UTC).Sub(time.Date(ay, am, ad, 0, 0, 0, 0, time.UTC)).Hours() / 24)
}

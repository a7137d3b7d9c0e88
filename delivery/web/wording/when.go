package wording

import (
	"math"
	"time"

	"tidings"
)

// Moment is a time as it is shown: short, with the exact one to be had by asking.
type Moment struct {
	ISO   string // for machines
	Short string // "5 min", "3 h", "4 d", "12 Nov", "12 Nov 2019"
	Ago   string // Short within a sentence: "5 min ago"
	Exact string
	Age   int64 // seconds since 1970, for the script, which keeps Short true; 0 if it needs no help
}

// MomentAt words t as seen at now. The zero time gives the zero moment.
func (w Words) MomentAt(t, now time.Time) Moment {
	if t.IsZero() {
		return Moment{}
	}
	t = t.In(now.Location())
	m := Moment{ISO: t.Format(time.RFC3339), Short: w.shortTime(t, now),
		Exact: w.Date(t, "Monday 2 January 2006, 15:04:05 MST")}
	m.Ago = m.Short
	d := now.Sub(t)
	if d.Abs() < 24*time.Hour {
		m.Age = t.Unix()
	}
	if d >= time.Minute && d < relativeFor {
		m.Ago = w.Text("%s ago", m.Short)
	}
	return m
}

// relativeFor is for how long a time is shown by its distance from now, and not by its date.
const relativeFor = 7 * 24 * time.Hour

// DatedAt is momentAt for an entry: when it was published by its publisher's word, with when it arrived to be had by
// asking.
func (w Words) DatedAt(e tidings.Entry, now time.Time) Moment {
	if e.Dated.IsZero() || !e.Dated.Before(e.Received) {
		m := w.MomentAt(e.Received, now)
		m.Exact = w.Text("Arrived %s", m.Exact)
		return m
	}
	m := w.MomentAt(e.Dated, now)
	m.Exact = w.Text("Published %s. Arrived %s", m.Exact, w.MomentAt(e.Received, now).Exact)
	return m
}

// NextAt is momentAt for something that is going to happen: what is overdue happens now.
func (w Words) NextAt(t, now time.Time) Moment {
	m := w.MomentAt(t, now)
	if !t.IsZero() && t.Before(now) {
		m.Short = w.Text("now")
		m.Ago = m.Short
	}
	return m
}

func (w Words) shortTime(t, now time.Time) string {
	if d := t.Sub(now); d >= time.Second {
		return w.Text("in %s", w.Span(d))
	}
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return w.Text("now")
	case d < relativeFor:
		return w.Span(d)
	case t.Year() == now.Year() || d < 120*24*time.Hour:
		return w.Date(t, "2 Jan")
	default:
		return w.Date(t, "2 Jan 2006")
	}
}

// Span returns a length of time in its largest unit, rounded down: "40 s", "5 min", "3 h", "2 d".
func (w Words) Span(d time.Duration) string {
	switch {
	case d < time.Second:
		return w.Text("%d ms", d.Milliseconds())
	case d < time.Minute:
		return w.Text("%d s", int(d.Seconds()))
	case d < time.Hour:
		return w.Text("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return w.Text("%d h", int(d.Hours()))
	default:
		return w.Text("%d d", int(d.Hours()/24))
	}
}

// SpanIn returns as Soon does a length of time that is written as Go writes it: "1h30m0s". Anything else it returns as
// it is.
func (w Words) SpanIn(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil {
		return text
	}
	return w.Soon(d)
}

// DayName names the day of t as seen at now.
func (w Words) DayName(t, now time.Time) string {
	t = t.In(now.Location())
	switch n := daysBetween(t, now); {
	case n <= 0:
		return w.Text("Today")
	case n == 1:
		return w.Text("Yesterday")
	case n < 7:
		return w.Date(t, "Monday")
	case t.Year() == now.Year():
		return w.Date(t, "Monday 2 January")
	default:
		return w.Date(t, "2 January 2006")
	}
}

// daysBetween counts the midnights between a and b, in b's place.
func daysBetween(a, b time.Time) int {
	a = a.In(b.Location())
	ay, am, ad := a.Date()
	by, bm, bd := b.Date()
	return int(time.Date(by, bm, bd, 0, 0, 0, 0,
		time.UTC).Sub(time.Date(ay, am, ad, 0, 0, 0, 0, time.UTC)).Hours() / 24)
}

// Soon returns a length of time as a person counts it: below ten of a unit to a tenth.
func (w Words) Soon(d time.Duration) string {
	switch {
	case d < 950*time.Millisecond:
		return w.Text("%d ms", d.Round(10*time.Millisecond).Milliseconds())
	case d.Round(time.Second) < time.Minute:
		return w.Text("%s s", w.amount(d, time.Second))
	case d.Round(time.Minute) < time.Hour:
		return w.Text("%s min", w.amount(d, time.Minute))
	case d.Round(time.Hour) < 48*time.Hour:
		return w.Text("%s h", w.amount(d, time.Hour))
	}
	return w.Text("%s d", w.amount(d, 24*time.Hour))
}

// amount returns how many units a length of time is. It has one digit after the point if it is less than ten.
func (w Words) amount(d, unit time.Duration) string {
	step := unit
	if d.Round(unit/10) < 10*unit {
		step = unit / 10
	}
	n := float64(d.Round(step)) / float64(unit)
	if n == math.Trunc(n) {
		return w.Number(int64(n))
	}
	return w.Decimal(n, 1)
}

package date

import (
	"math/bits"
	"slices"
	"time"
)

// time puts the parts together, which are settled.
func (p *parts) time() (time.Time, bool) {
	if p.ordinal > 0 && p.ordinal <= 366 {
		p.month, p.day = 1, p.ordinal
	} else if p.day == 0 && p.year > 0 && len(p.loose) == 0 {
		p.day = 1
		if p.month == 0 && !p.foreign { // the year alone
			p.month = 1
		}
	}
	if p.year <= 0 || p.year > 9999 || p.month < 1 || p.month > 12 || p.day < 1 || p.ordinal == 0 && p.day > 31 {
		return time.Time{}, false
	}
	switch {
	case p.pm && p.hour < 12:
		p.hour += 12
	case p.am && p.hour == 12:
		p.hour = 0
	}
	t := time.Date(p.year, time.Month(p.month), p.day, p.hour, p.minute, p.second, p.nanos, time.UTC)
	if p.ordinal == 0 && p.hour < 24 && t.Day() != p.day && p.second < 60 {
		return time.Time{}, false // such as 31 February
	}
	if p.zone != nil && !p.hasOffset {
		t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), p.zone).UTC()
	} else {
		t = t.Add(-p.offset)
	}
	if t.Year() <= 0 { // a zone east of Greenwich on the first day of all
		return time.Time{}, false
	}
	return t, true
}

// resolve gives the numbers and names that stood alone a meaning; false if they could have two.
func (p *parts) resolve() bool {
	yearFirst := p.year > 0
	if i := slices.IndexFunc(p.loose, func(n looseNumber) bool { return n.digits == 4 && n.value >= 1000 }); i >= 0 &&
		p.year == 0 {
		p.year = p.remove(i)
		yearFirst = i == 0
	}
	months, sure := p.monthWords()
	if p.month == 0 && p.year != 0 && len(p.loose) > 1 && !sure && (months == nil || yearFirst) {
		if !p.numberedMonth(yearFirst) {
			return false
		}
	} else if p.month == 0 && p.year != 0 && len(p.loose) > 1 && !sure {
		return false // the word may be a weekday, and the numbers a month and a day
	}
	if p.day == 0 && len(p.loose) > 0 {
		p.day = p.remove(0)
	}
	if p.year == 0 && len(p.loose) > 0 && p.loose[0].digits <= 2 && (p.month != 0 || months != nil) {
		p.year = fullYear(p.loose[0].value, p.loose[0].digits)
	}
	switch {
	case p.month == 0 && months != nil:
		return p.namedMonth(months)
	case p.american:
		asWritten, swapped := p.fitsWeekday(p.month, p.day, -1), p.fitsWeekday(p.day, p.month, -1)
		switch {
		case swapped && !asWritten:
			p.month, p.day = p.day, p.month
			p.order, p.american = DayFirst, false
		case asWritten && !swapped:
			p.order, p.american = MonthFirst, false
		}
	}
	return true
}

// remove removes the i-th loose number and returns it.
func (p *parts) remove(i int) int {
	v := p.loose[i].value
	p.loose = slices.Delete(p.loose, i, i+1)
	return v
}

// numberedMonth reads month and day from the numbers: 2004년 05월 28일, 2020. 06. 03., 3. 6. 2020; false if either could
// be the month.
func (p *parts) numberedMonth(yearFirst bool) bool {
	a, b := p.loose[0], p.loose[1]
	switch {
	case yearFirst:
		p.month = p.remove(0)
	case a.dotted || a.value > 12:
		p.month = p.remove(1)
	case b.value > 12 || a.value == b.value:
		p.month = p.remove(0)
	default:
		return false
	}
	return true
}

// monthWords returns which of the words name the month: those that can be nothing else, which is sure, or those that
// may be a weekday as well.
func (p *parts) monthWords() (at []int, sure bool) {
	var either []int
	for i, w := range p.words {
		switch {
		case w.months == 0:
		case w.weekdays == 0:
			at = append(at, i)
		default:
			either = append(either, i)
		}
	}
	if len(at) > 0 {
		return at, true
	}
	return either, false
}

// namedMonth sets the month to that of the words at these places, if all mean the same. Otherwise it uses only the
// words for which another word names the weekday of that date.
func (p *parts) namedMonth(at []int) bool {
	all, fitting := uint16(0), uint16(0)
	for _, i := range at {
		for m := 1; m <= 12; m++ {
			if bit := uint16(1) << m; p.words[i].months&bit != 0 {
				all |= bit
				if p.fitsWeekday(m, p.day, i) {
					fitting |= bit
				}
			}
		}
	}
	for _, months := range []uint16{all, fitting} {
		if bits.OnesCount16(months) == 1 {
			p.month = bits.TrailingZeros16(months)
			return true
		}
	}
	return false
}

// fitsWeekday reports whether a word other than that at place but names the weekday of that day of the year found.
func (p *parts) fitsWeekday(month, day, but int) bool {
	weekday := time.Date(p.year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Weekday()
	for i, w := range p.words {
		if i != but && w.weekdays&(1<<weekday) != 0 {
			return true
		}
	}
	return false
}

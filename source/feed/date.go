package feed

import (
	"strings"
	"time"
	"unicode"
)

// parseStamp reads a date as written.
func parseStamp(raw string) stamp {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxDate {
		return stamp{}
	}
	at, _ := ParseDate(raw)
	return stamp{raw, at}
}

// maxDate bounds the length of a date in bytes.
const maxDate = 200

// ParseDate reads a date in any form that feeds are known to use: RFC 3339 and ISO 8601
// with their abbreviations, RFC 822 with its successors, asctime, and what programs
// and people make of them: month names of many languages, wrong weekdays, missing
// seconds, two-digit years, named zones, times in twelve hours. A date without zone is
// in UTC. The result is in UTC.
func ParseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxDate {
		return time.Time{}, false
	}
	if t, ok := fastDate(s); ok {
		return t, true
	}
	p := dateParts{}
	if !p.read(s) {
		return time.Time{}, false
	}
	return p.time()
}

// fastDate reads the two forms that nearly all feeds use.
func fastDate(s string) (time.Time, bool) {
	layout := time.RFC1123Z
	if s[0] >= '0' && s[0] <= '9' {
		layout = time.RFC3339
	}
	t, err := time.Parse(layout, s)
	return t.UTC(), err == nil && t.Year() > 0
}

// dateParts are the parts of a date as they are found from left to right.
type dateParts struct {
	year, month, day     int // 0: not found
	hour, minute, second int
	nanos                int
	offset               time.Duration
	hasTime, hasZone     bool
	pm, am               bool
	ordinal              int   // day of the year
	loose                []int // numbers whose meaning is not clear yet
	looseLen             []int // their digits
}

// maxLoose bounds the numbers of a date that stand alone.
const maxLoose = 6

// read takes s apart; false if something in it cannot belong to a date.
func (p *dateParts) read(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			n := p.number(s, i)
			if n == 0 {
				return false
			}
			i += n
		case (c == '+' || c == '-') && p.hasTime && !p.hasZone && i+1 < len(s) && isDigit(s[i+1]):
			n := p.zoneOffset(s[i:])
			if n == 0 {
				return false
			}
			i += n
		case c < 0x80 && !isLetter(c):
			i++ // punctuation between parts
		default:
			n := wordLen(s[i:])
			if !p.word(strings.ToLower(s[i : i+n])) {
				return false
			}
			i += n
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// wordLen returns the length of the word at the start of s, at least 1.
func wordLen(s string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return max(i, 1)
		}
	}
	return len(s)
}

// digits returns the number at the start of s and its length, at most nine digits.
func digits(s string) (value, n int) {
	for n < len(s) && isDigit(s[n]) {
		if n < 9 {
			value = value*10 + int(s[n]-'0')
		}
		n++
	}
	return value, n
}

// number takes what starts with a digit at i: a time, a date in numbers, or a number
// alone. It returns the length, 0 if it makes no sense.
func (p *dateParts) number(s string, i int) int {
	rest := s[i:]
	v, n := digits(rest)
	if n > 14 {
		return 0
	}
	after := byte(0)
	if n < len(rest) {
		after = rest[n]
	}
	switch {
	case after == ':' && n <= 2 && !p.hasTime && n+1 < len(rest) && isDigit(rest[n+1]):
		return p.clock(rest)
	case (after == '-' || after == '/' || after == '.') && n+1 < len(rest) && isDigit(rest[n+1]) && p.year == 0 && len(p.loose) == 0:
		if m := p.numericDate(rest, after); m > 0 {
			return m
		}
	case n == 8 && p.year == 0: // 20040131
		p.year, p.month, p.day = v/10000, v/100%100, v%100
		return n
	case n == 14 && p.year == 0: // 20040131235959
		v, _ := digits(rest[:8])
		p.year, p.month, p.day = v/10000, v/100%100, v%100
		v, _ = digits(rest[8:])
		return p.setClock(v/10000, v/100%100, v%100, n)
	case n == 7 && p.year == 0: // 2004031: day of the year
		p.year, p.ordinal = v/1000, v%1000
		return n
	case n == 6 && p.year != 0 && !p.hasTime: // 20040131T235959
		return p.setClock(v/10000, v/100%100, v%100, n)
	case n == 4 && p.year != 0 && !p.hasTime: // 20040131T2359
		return p.setClock(v/100, v%100, 0, n)
	case n == 2 && p.hasTime && !p.hasZone && i > 0 && s[i-1] == '+':
		return n
	}
	if len(p.loose) >= maxLoose {
		return 0
	}
	p.loose = append(p.loose, v)
	p.looseLen = append(p.looseLen, n)
	return n
}

// numericDate takes a date such as 2004-01-31, 31.12.2004 or 12/31/04.
func (p *dateParts) numericDate(s string, sep byte) int {
	a, an := digits(s)
	b, bn := digits(s[an+1:])
	pos := an + 1 + bn
	c, cn := 0, 0
	if pos < len(s) && s[pos] == sep {
		c, cn = digits(s[pos+1:])
	}
	switch {
	case an == 4 && bn == 3 && cn == 0 && sep == '-': // 2004-031
		p.year, p.ordinal = a, b
		return pos
	case an == 4 && bn <= 2: // 2004-01, 2004-01-31
		p.year, p.month = a, b
		if cn == 0 || cn > 2 {
			return pos
		}
		p.day = c
	case an <= 2 && bn <= 2 && (cn == 4 || cn == 2) && sep == '/': // 12/31/2004, unless it must be 31/12
		p.month, p.day, p.year = a, b, fullYear(c, cn)
		if a > 12 {
			p.month, p.day = b, a
		}
	case an <= 2 && bn <= 2 && (cn == 4 || cn == 2): // 31.12.2004, 31-12-2004; 04-12-31 is ISO 8601's short form
		p.day, p.month, p.year = a, b, fullYear(c, cn)
		if sep == '-' && cn == 2 {
			p.year, p.month, p.day = fullYear(a, 2), b, c
		}
	default:
		return 0
	}
	return pos + 1 + cn
}

func fullYear(y, digits int) int {
	switch {
	case digits > 2:
		return y
	case y < 90:
		return 2000 + y
	}
	return 1900 + y
}

// clock takes hours, minutes and seconds parted by colons.
func (p *dateParts) clock(s string) int {
	h, n := digits(s)
	m, mn := digits(s[n+1:])
	n += 1 + mn
	sec := 0
	if n+1 < len(s) && s[n] == ':' && isDigit(s[n+1]) {
		var sn int
		sec, sn = digits(s[n+1:])
		n += 1 + sn
		if n+1 < len(s) && (s[n] == '.' || s[n] == ',' || s[n] == ':') && isDigit(s[n+1]) {
			_, fn := digits(s[n+1:])
			p.nanos = fraction(s[n+1 : n+1+fn])
			n += 1 + fn
		}
	}
	return p.setClock(h, m, sec, n)
}

// fraction returns decimals of a second in nanoseconds.
func fraction(s string) int {
	v := 0
	for i := range 9 {
		v *= 10
		if i < len(s) {
			v += int(s[i] - '0')
		}
	}
	return v
}

func (p *dateParts) setClock(h, m, s, n int) int {
	if h > 24 || m > 59 || s > 61 || p.hasTime {
		return 0
	}
	p.hour, p.minute, p.second, p.hasTime = h, m, s, true
	return n
}

// zoneOffset takes +02:00, -0500, +2.
func (p *dateParts) zoneOffset(s string) int {
	v, n := digits(s[1:])
	h, m := v, 0
	switch {
	case n <= 2 && n+2 < len(s) && s[n+1] == ':' && isDigit(s[n+2]):
		var mn int
		m, mn = digits(s[n+2:])
		n += 1 + mn
	case n == 3 || n == 4:
		h, m = v/100, v%100
	case n > 4:
		return 0
	}
	if h > 23 || m > 59 {
		return n + 1 // no such zone: UTC
	}
	p.offset = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if s[0] == '-' {
		p.offset = -p.offset
	}
	p.hasZone = true
	return n + 1
}

// word takes a name: of a month, weekday, zone, half of the day, or filler.
func (p *dateParts) word(w string) bool {
	if m := monthOf(w); m > 0 {
		if p.month == 0 {
			p.month = m
		}
		return true
	}
	switch w {
	case "pm", "μμ", "오후", "下午", "du":
		p.pm = true
		return true
	case "am", "πμ", "오전", "上午", "de":
		p.am = w != "de" // also Spanish "of"
		return true
	}
	if hours, ok := zones[w]; ok && p.hasTime {
		if !p.hasZone {
			p.offset, p.hasZone = time.Duration(hours*float64(time.Hour)), w != "gmt" && w != "utc" && w != "ut"
		}
		return true
	}
	return true // weekdays of every language, "T", "at", "of", "um", "年", "th"
}

// time puts the parts together.
func (p *dateParts) time() (time.Time, bool) {
	p.settle()
	if p.ordinal > 0 && p.ordinal <= 366 {
		p.month, p.day = 1, p.ordinal
	} else if p.day == 0 && p.year > 0 && len(p.loose) == 0 {
		p.day = 1
	}
	if p.month == 0 && p.year > 0 && p.day == 1 {
		p.month = 1
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
	t = t.Add(-p.offset)
	return t, t.Year() > 0
}

// settle gives the numbers that stood alone a meaning: beside a named month day and
// year, else year, month and day.
func (p *dateParts) settle() {
	take := func(i int) int {
		v := p.loose[i]
		p.loose = append(p.loose[:i], p.loose[i+1:]...)
		p.looseLen = append(p.looseLen[:i], p.looseLen[i+1:]...)
		return v
	}
	for i, n := range p.looseLen {
		if p.year == 0 && n == 4 {
			p.year = take(i)
			break
		}
	}
	if p.month == 0 && p.year != 0 && len(p.loose) > 1 {
		p.month = take(0) // 2004년 05월 28일
	}
	if p.day == 0 && len(p.loose) > 0 {
		p.day = take(0)
	}
	if p.year == 0 && len(p.loose) > 0 && p.looseLen[0] <= 2 && p.month != 0 {
		p.year = fullYear(p.loose[0], p.looseLen[0])
	}
}

// zones are the named zones, hours east of Greenwich.
var zones = map[string]float64{
	"z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "west": 1, "bst": 1, "ist": 5.5,
	"cet": 1, "cest": 2, "met": 1, "mest": 2, "mez": 1, "mesz": 2, "eet": 2, "eest": 3, "msk": 3, "msd": 4,
	"ast": -4, "adt": -3, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
	"at": -4, "et": -5, "ct": -6, "mt": -7, "pt": -8, "akst": -9, "akdt": -8, "hst": -10,
	"nst": -3.5, "ndt": -2.5, "jst": 9, "kst": 9, "hkt": 8, "sgt": 8, "awst": 8, "acst": 9.5, "aest": 10, "aedt": 11,
	"nzst": 12, "nzdt": 13, "a": -1, "n": 1, "m": -12, "y": 12,
}

// monthOf returns the month whose name starts as w does, 0 if none.
func monthOf(w string) int {
	runes := []rune(w)
	if len(runes) < 3 {
		return 0
	}
	if m, ok := months[string(runes[:min(len(runes), 4)])]; ok {
		return m
	}
	return months[string(runes[:3])]
}

// months are the first three or four letters of the months' names in English, German,
// French, Spanish, Portuguese, Italian, Dutch, Swedish, Polish, Czech, Hungarian,
// Turkish, Greek and Russian, as far as they can be told apart.
var months = map[string]int{
	"jan": 1, "jän": 1, "ene": 1, "gen": 1, "sty": 1, "led": 1, "oca": 1, "ιαν": 1, "янв": 1,
	"feb": 2, "fév": 2, "fev": 2, "lut": 2, "úno": 2, "şub": 2, "φεβ": 2, "фев": 2,
	"mar": 3, "mär": 3, "maa": 3, "mrt": 3, "már": 3, "bře": 3, "μάρ": 3, "μαρ": 3, "μαώ": 3, "мар": 3,
	"apr": 4, "avr": 4, "abr": 4, "kwi": 4, "dub": 4, "ápr": 4, "nis": 4, "απρ": 4, "апр": 4,
	"may": 5, "mai": 5, "mei": 5, "maj": 5, "mag": 5, "máj": 5, "kvě": 5, "μάι": 5, "μαι": 5, "μαϊ": 5, "май": 5, "мая": 5,
	"jun": 6, "juin": 6, "giu": 6, "cze": 6, "jún": 6, "haz": 6, "ιού": 6, "ιον": 6, "июн": 6,
	"jul": 7, "juil": 7, "lug": 7, "lip": 7, "júl": 7, "tem": 7, "ιολ": 7, "ιούλ": 7, "июл": 7,
	"aug": 8, "aoû": 8, "aou": 8, "ago": 8, "sie": 8, "srp": 8, "ağu": 8, "αύγ": 8, "αυγ": 8, "авг": 8,
	"sep": 9, "set": 9, "wrz": 9, "zář": 9, "sze": 9, "eyl": 9, "σεπ": 9, "сен": 9,
	"oct": 10, "okt": 10, "out": 10, "ott": 10, "paź": 10, "říj": 10, "eki": 10, "οκτ": 10, "окт": 10,
	"nov": 11, "lis": 11, "kas": 11, "νοέ": 11, "νοε": 11, "ноя": 11,
	"dec": 12, "dez": 12, "déc": 12, "dic": 12, "dici": 12, "gru": 12, "pro": 12, "ara": 12, "δεκ": 12, "дек": 12,
}

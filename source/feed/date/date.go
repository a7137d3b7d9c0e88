package date

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Date is a date as written and as read.
type Date struct {
	Raw     string
	At      time.Time // in UTC; zero: it gives none
	Swapped time.Time // with day before month, if it can be read so as well; else zero
	Order   Order     // what it shows of other dates
}

// Read reads a date as written.
func Read(raw string) Date {
	raw = strings.TrimSpace(raw)
	if len(raw) > MaxLength {
		return Date{}
	}
	s := read(raw)
	s.Raw = raw
	return s
}

// IsLost reports whether something stood there that gave no date.
func (s Date) IsLost() bool { return s.Raw != "" && s.At.IsZero() }

// MaxLength bounds the length of a date in bytes.
const MaxLength = 200

// isPlain reports whether a text is ASCII.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Work returns the cost of reading a date, in dates of common length. A date that is not ASCII is normalised twice,
// character by character.
func Work(raw string) int {
	if len(raw) > MaxLength || isPlain(raw) {
		return 1
	}
	return 1 + len(raw)/50
}

// Parse reads a date in any form that feeds are known to use: RFC 3339, ISO 8601 with its abbreviations, RFC 822
// with its successors, asctime, and seconds or milliseconds since 1970. It also reads what programs and people make of
// them: names of months and weekdays in many languages, wrong weekdays, missing seconds, two-digit years, named zones,
// and times in twelve hours.
//
// A date without zone is in UTC. The result is in UTC. A date that can mean two different months gives none, unless the
// weekday decides. Only 05/06/2024 is always read as Americans write it, if no weekday contradicts. A
// reader of a feed decides that by its other dates and its language instead: see [Read] and Date.Swapped.
func Parse(s string) (time.Time, bool) {
	at := read(s).At
	return at, !at.IsZero()
}

// read reads a date for Parse, with what it shows of the order of days and months.
func read(s string) Date {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > MaxLength {
		return Date{}
	}
	if t, ok := fast(s); ok {
		return Date{At: t}
	}
	if t, ok := epoch(s); ok {
		return Date{At: t}
	}
	if !isPlain(s) {
		var plain [2 * MaxLength]byte
		n, _, err := norm.NFKC.Transform(plain[:], []byte(s), true) // digits of full width, blanks of every width
		if err != nil {                                             // some characters become a whole sentence
			return Date{}
		}
		s = strings.ReplaceAll(string(plain[:n]), "\u2212", "-")
	}
	p := parts{}
	if !p.read(s) || !p.resolve() {
		return Date{}
	}
	found := Date{Order: p.order}
	if p.american {
		swapped := p
		swapped.month, swapped.day = p.day, p.month
		found.Swapped, _ = swapped.time()
	}
	found.At, _ = p.time()
	return found
}

// epoch reads a number of seconds (ten digits, perhaps with decimals) or milliseconds (12 or 13 digits) since 1970.
func epoch(s string) (time.Time, bool) {
	whole, decimals, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.Trim(s, "0123456789.") != "" || strings.Contains(decimals, ".") {
		return time.Time{}, false
	}
	switch len(whole) {
	case 10:
		return time.Unix(n, int64(fraction(decimals))).UTC(), true
	case 13:
		return time.UnixMilli(n).UTC(), true
	case 12:
		if whole[:2] != "19" && whole[:2] != "20" { // else 200401312359
			return time.UnixMilli(n).UTC(), true
		}
	}
	return time.Time{}, false
}

// fast reads the two forms that nearly all feeds use.
func fast(s string) (time.Time, bool) {
	layout := time.RFC1123Z
	if s[0] >= '0' && s[0] <= '9' {
		layout = time.RFC3339
	}
	t, err := time.Parse(layout, s)
	t = t.UTC()
	return t, err == nil && t.Year() > 0
}

// parts are the parts of a date as they are found from left to right.
type parts struct {
	year, month, day     int // 0: not found
	hour, minute, second int
	nanos                int
	offset               time.Duration
	zone                 *time.Location // by its name in the tz database
	hasTime, hasZone     bool
	hasOffset            bool // the zone is in numbers, which say more than any name
	pm, am               bool
	american             bool // the date is 05/06/2024, which may be 5 June as well
	order                Order
	monthNext            bool // the next number is the month
	foreign              bool // a word has no known meaning: it may be a month
	ordinal              int  // day of the year
	loose                []looseNumber
	words                []sense // that are names of months or weekdays
	said                 int     // words of any kind
}

// looseNumber is a number whose meaning is not clear yet.
type looseNumber struct {
	value, digits int
	dotted        bool // a point follows
}

const (
	maxLoose = 6  // numbers of a date that stand alone, and names in it
	maxWords = 20 // words in a date, zones not counted
)

// read splits s into its parts; false if a part cannot belong to a date.
func (p *parts) read(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			n := p.number(s, i)
			if n == 0 {
				return false
			}
			i += n
		case (c == '+' || c == '-') && p.isOffset(s, i):
			n := p.zoneOffset(s[i:])
			if n == 0 {
				return false
			}
			i += n
		case c == '(' && p.hasOffset: // (Central European Summer Time)
			n := strings.IndexByte(s[i:], ')')
			if n < 0 {
				n = len(s[i:]) - 1
			}
			i += n + 1
		case c < 0x80 && !isLetter(c):
			i++ // punctuation between parts
		default:
			n := p.namedZone(s[i:])
			if n == 0 {
				n = wordLen(s[i:])
				if p.said++; p.said > maxWords {
					return false
				}
				p.word(strings.ToLower(s[i:i+n]), s[i+n:])
			}
			i += n
		}
	}
	return len(p.words) <= maxLoose
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

// number reads what starts with a digit at i: a time, a date in numbers, or a number alone. It returns the length, 0 if
// it makes no sense.
func (p *parts) number(s string, i int) int {
	rest := s[i:]
	v, n := digits(rest)
	if n > 14 {
		return 0
	}
	after := byte(0)
	if n < len(rest) {
		after = rest[n]
	}
	if n <= 2 && !p.hasTime {
		if n := p.hourAlone(rest); n > 0 {
			return n
		}
	}
	if p.month == 0 && v >= 1 && v <= 12 && (p.monthNext || strings.HasPrefix(rest[n:], "月") ||
		strings.HasPrefix(rest[n:], "월")) {
		p.month, p.monthNext = v, false
		return n
	}
	switch {
	case after == ':' && n <= 2 && !p.hasTime && n+1 < len(rest) && isDigit(rest[n+1]):
		return p.clock(rest)
	case (after == '-' || after == '/' || after == '.') && n+1 < len(rest) && isDigit(rest[n+1]) && p.year == 0 &&
		len(p.loose) == 0:
		if m := p.numericDate(rest, after); m > 0 {
			return m
		}
	case n == 8 && p.year == 0: // 20040131
		p.year, p.month, p.day = v/10000, v/100%100, v%100
		return n
	case n == 4 && p.year == 0 && isoWeek.MatchString(rest):
		return p.weekDate(rest)
	case (n == 12 || n == 14) && p.year == 0: // 200401312359, 20040131235959
		v, _ := digits(rest[:8])
		p.year, p.month, p.day = v/10000, v/100%100, v%100
		v, _ = digits((rest[8:n] + "00")[:6])
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
	p.loose = append(p.loose, looseNumber{v, n, after == '.'})
	return n
}

// isoWeek is a date by its week: 2020-W23, 2020-W23-3, 2020W233 (ISO 8601).
var isoWeek = regexp.MustCompile(`^(\d{4})-?[wW](\d{2})(?:-?([1-7]))?(?:\D|$)`)

// weekDate reads a date given by its week. The first week of a year is that with 4 January.
func (p *parts) weekDate(s string) int {
	m := isoWeek.FindStringSubmatchIndex(s)
	year, _ := digits(s)
	week, _ := digits(s[m[4]:m[5]])
	weekday, end := 1, m[5]
	if m[6] >= 0 {
		weekday, end = int(s[m[6]]-'0'), m[7]
	}
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC)
	date := fourth.AddDate(0, 0, 7*(week-1)+weekday-1-(int(fourth.Weekday())+6)%7)
	if y, w := date.ISOWeek(); y != year || w != week {
		return 0
	}
	p.year, p.month, p.day = date.Year(), int(date.Month()), date.Day()
	return end
}

// numericDate reads a date such as 2004-01-31, 31.12.2004 or 12/31/04.
func (p *parts) numericDate(s string, sep byte) int {
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
		switch {
		case a > 12:
			p.month, p.day, p.order = b, a, DayFirst
		case b > 12:
			p.order = MonthFirst
		}
		p.american = a <= 12 && b <= 12
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

// word reads a name: of a month, weekday, zone, half of the day, or filler; rest follows it.
func (p *parts) word(w, rest string) {
	if hours, ok := zones[w]; ok && p.hasTime {
		if !p.hasZone {
			p.offset, p.hasZone = time.Duration(hours*float64(time.Hour)), w != "gmt" && w != "utc" && w != "ut"
		}
		return
	}
	switch folded := fold(w[:min(len(w), 4*longestName)]); { // no name has more, whatever its letters
	case folded == "thang" || folded == "thg": // Vietnamese numbers its months
		p.monthNext = true
	case hasSuffix(w, "下午", "午後", "오후"), w == "du" && hungarianClock.MatchString(rest): // else French "of the"
		p.pm = !p.hasTime || !p.am
	case hasSuffix(w, "上午", "午前", "오전"):
		p.am = !p.hasTime || !p.pm
	default:
		m := meaning(folded)
		if m != (sense{}) && len(p.words) <= maxLoose {
			p.words = append(p.words, m)
		}
		p.foreign = p.foreign || m == sense{} && len(folded) >= shortestName
	} // anything else is "T", "at", "of", "um", "年", "th"
}

var hungarianClock = regexp.MustCompile(`^\.? ?\d{1,2}:`)

func hasSuffix(s string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(s, suffix) })
}

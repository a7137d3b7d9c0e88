// Package condition decides which changes of a page a person is notified of. A condition is a line of words:
//
//	appears TEXT          a line has the text, and none had it before
//	vanishes TEXT         the contrary
//	above N, below N      a number has risen above N, or fallen below it
//	passes N              either
//	changes N%            a number differs by at least N percent
//
// TEXT may be a regular expression (RE2) between slashes; else its case does not count. Conditions on numbers may end
// with "of TEXT": the number is then the first one behind the text in a line that has it, or the first group of the
// expression. Else it is the first number of all lines.
//
// A condition compares the lines of two versions and nothing else, in time linear in them.
package condition

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"tidings"
)

// Bounds of conditions.
const (
	Most   = 10  // of a channel
	maxLen = 500 // bytes of one
)

// Condition is one that was read by Parse.
type Condition struct {
	verb    string
	number  float64
	pattern *regexp.Regexp // nil: any line
	grouped bool           // the number is the first group of pattern
}

// ParseAll reads the conditions of a channel. The error is tidings.ErrInvalid.
func ParseAll(texts []string) ([]Condition, error) {
	if len(texts) > Most {
		return nil, tidings.Invalidf("%d conditions, at most %d", len(texts), Most)
	}
	var all []Condition
	for _, text := range texts {
		c, err := Parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// Parse reads a condition. The error is tidings.ErrInvalid.
func Parse(text string) (c Condition, err error) {
	refuse := func(why string) (Condition, error) {
		return Condition{}, tidings.Invalidf("the condition %.80q: %s", text, why)
	}
	if len(text) > maxLen {
		return refuse(fmt.Sprintf("more than %d bytes", maxLen))
	}
	verb, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	c.verb, rest = strings.ToLower(verb), strings.TrimSpace(rest)
	switch c.verb {
	case "appears", "vanishes":
		if rest == "" {
			return refuse("it lacks the text, as in: appears in stock")
		}
		if c.pattern, err = patternOf(rest); err != nil {
			return refuse(err.Error())
		}
		return c, nil
	case "above", "below", "passes", "changes":
	default:
		return refuse("it begins with none of appears, vanishes, above, below, passes and changes")
	}
	number, of, _ := strings.Cut(rest, " ")
	if c.verb == "changes" {
		percent, ok := strings.CutSuffix(number, "%")
		if number = percent; !ok {
			return refuse("it lacks the percentage, as in: changes 5%")
		}
	}
	if c.number, err = strconv.ParseFloat(number, 64); err != nil || math.IsNaN(c.number) || math.IsInf(c.number, 0) {
		return refuse("it lacks the number, as in: below 20.50")
	}
	if c.verb == "changes" && c.number <= 0 {
		return refuse("the percentage must be above 0")
	}
	if of = strings.TrimSpace(of); of == "" {
		return c, nil
	}
	what, ok := strings.CutPrefix(of, "of ")
	if what = strings.TrimSpace(what); !ok || what == "" {
		return refuse("behind the number may stand a text, as in: below 20 of Tea")
	}
	if c.pattern, err = patternOf(what); err != nil {
		return refuse(err.Error())
	}
	c.grouped = c.pattern.NumSubexp() > 0
	return c, nil
}

// patternOf reads a text, or a regular expression between slashes.
func patternOf(s string) (*regexp.Regexp, error) {
	if len(s) <= 2 || s[0] != '/' || s[len(s)-1] != '/' {
		return regexp.MustCompile("(?i)" + regexp.QuoteMeta(s)), nil
	}
	p, err := regexp.Compile(s[1 : len(s)-1])
	if err != nil {
		return nil, fmt.Errorf("as a regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return p, nil
}

// AnyMet reports whether one of some conditions is met by a change; none are met by every change.
func AnyMet(all []Condition, before, after []string) bool {
	for _, c := range all {
		if c.Met(before, after) {
			return true
		}
	}
	return len(all) == 0
}

// Met reports whether a change of lines meets the condition.
func (c Condition) Met(before, after []string) bool {
	switch c.verb {
	case "appears":
		return c.isIn(after) && !c.isIn(before)
	case "vanishes":
		return c.isIn(before) && !c.isIn(after)
	}
	now, ok := c.numberIn(after)
	if !ok {
		return false
	}
	was, known := c.numberIn(before)
	rises := now > c.number && (!known || was <= c.number)
	falls := now < c.number && (!known || was >= c.number)
	switch c.verb {
	case "above":
		return rises
	case "below":
		return falls
	case "passes":
		return known && (rises || falls)
	}
	return known && now != was && math.Abs(now-was) >= math.Abs(was)*c.number/100
}

func (c Condition) isIn(lines []string) bool {
	for _, l := range lines {
		if c.pattern.MatchString(l) {
			return true
		}
	}
	return false
}

// numberIn returns the number that counts; false if there is none.
func (c Condition) numberIn(lines []string) (float64, bool) {
	for _, l := range lines {
		if c.pattern != nil {
			m := c.pattern.FindStringSubmatchIndex(l)
			switch {
			case m == nil:
				continue
			case c.grouped && m[2] >= 0:
				l = l[m[2]:m[3]]
			default:
				l = l[m[1]:]
			}
		}
		if n, ok := firstNumber(l); ok {
			return n, true
		}
	}
	return 0, false
}

var numbers = regexp.MustCompile(`[-−]?\d[\d.,'’\x{a0}\x{202f}]*`)

// maxDigits bounds the bytes of a number.
const maxDigits = 40

// firstNumber reads the first number of a text, with a point or a comma before its decimals: of both signs, the last is
// that; a comma before three digits, and a sign that stands twice, part thousands.
func firstNumber(s string) (float64, bool) {
	m := numbers.FindString(s)
	if m == "" || len(m) > maxDigits {
		return 0, false
	}
	m = strings.NewReplacer("−", "-", "'", "", "’", "", "\u00a0", "", "\u202f",
		"").Replace(strings.TrimRight(m, ".,'’\u00a0\u202f"))
	point, comma := strings.LastIndexByte(m, '.'), strings.LastIndexByte(m, ',')
	decimal := max(point, comma)
	switch {
	case decimal < 0:
	case point >= 0 && comma >= 0:
	case strings.Count(m, m[decimal:decimal+1]) > 1, comma >= 0 && len(m)-comma == 4:
		decimal = -1
	}
	whole, fraction := m, ""
	if decimal >= 0 {
		whole, fraction = m[:decimal], "."+m[decimal+1:]
	}
	n, err := strconv.ParseFloat(strings.NewReplacer(".", "", ",", "").Replace(whole)+fraction, 64)
	return n, err == nil
}

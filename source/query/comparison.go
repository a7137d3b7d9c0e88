package query

import (
	"cmp"
	"strings"
	"time"
)

// comparison compares a column with values.
type comparison struct {
	*column
	op      operator
	negated bool    // <>, NOT IN, NOT LIKE, NOT BETWEEN, IS NOT NULL
	values  []value // two for BETWEEN, any number for IN, none for IS NULL, else one
	pattern pattern // of LIKE
	escape  string  // of LIKE; "": there is none
	regexp  *expression
}

type operator uint8

const (
	equal operator = iota
	less
	lessOrEqual
	greater
	greaterOrEqual
	in
	between
	like
	isNull
	matching // REGEXP
)

// value is what a column is compared with: of a text and a time the text as written, of a number also the number, of a
// time also the time.
type value struct {
	text   string
	number int64
	time   time.Time
}

func (c *comparison) eval(e *evaluation) truth {
	it := e.item
	switch {
	case e.stop(): // what comes out is not used
		return unknown
	case c.labels != nil:
		return truthOf(c.evalLabels(e, c.labels(it)))
	case c.op == like && c.Name == wholeText:
		return c.evalText(e)
	}
	c.spendBody(e)
	var v value
	var null bool
	switch {
	case c.text != nil:
		v.text = c.text(it)
		null = v.text == ""
		e.spend(c.cost(len(v.text)))
	case c.number != nil:
		v.number = c.number(it)
		null = v.number == noNumber
	default:
		v.time = c.time(it)
		null = v.time.IsZero()
	}
	switch {
	case c.op == isNull:
		return truthOf(null != c.negated)
	case null:
		return unknown
	}
	return truthOf(c.holds(e, &v) != c.negated)
}

// spendBody counts the work of making the whole text, if that is still to be done.
func (c *comparison) spendBody(e *evaluation) {
	if c.Name == wholeText && e.item.body != nil {
		e.spend(bodyCost * int64(e.item.article.Size))
	}
}

// evalText is eval for LIKE with the text, which can be long and is in lower case already.
func (c *comparison) evalText(e *evaluation) truth {
	c.spendBody(e)
	lower := e.item.inLower()
	if lower == "" {
		return unknown
	}
	e.spend(c.cost(len(lower)))
	return truthOf(c.pattern.matches(lower, e.stop) != c.negated)
}

// evalLabels reports whether the comparison holds for one of the labels. A negated one holds for a label if none of its
// forms is what it must not be.
func (c *comparison) evalLabels(e *evaluation, labels []label) bool {
	if c.op == isNull {
		return (len(labels) == 0) != c.negated
	}
	for _, l := range labels {
		if c.holdsForm(e, l) != c.negated {
			return true
		}
	}
	return false
}

func (c *comparison) holdsForm(e *evaluation, l label) bool {
	for _, form := range l {
		e.spend(c.cost(len(form)))
		if c.holds(e, &value{text: form}) {
			return true
		}
	}
	return false
}

// holds reports whether the comparison, were it not negated, holds for a value that is not NULL.
func (c *comparison) holds(e *evaluation, v *value) bool {
	switch c.op {
	case equal:
		return c.order(v, &c.values[0]) == 0
	case less:
		return c.order(v, &c.values[0]) < 0
	case lessOrEqual:
		return c.order(v, &c.values[0]) <= 0
	case greater:
		return c.order(v, &c.values[0]) > 0
	case greaterOrEqual:
		return c.order(v, &c.values[0]) >= 0
	case between:
		return c.order(v, &c.values[0]) >= 0 && c.order(v, &c.values[1]) <= 0
	case like:
		return c.pattern.matches(lowerText(v.text), e.stop)
	case matching:
		return c.regexp.matches(v.text)
	}
	for i := range c.values { // IN
		if c.order(v, &c.values[i]) == 0 {
			return true
		}
	}
	return false
}

// order returns -1, 0 or 1 as v is less than w, equal or greater in the column's order.
func (c *column) order(v, w *value) int {
	switch {
	case c.Type == Number:
		return cmp.Compare(v.number, w.number)
	case c.Type == Time:
		return v.time.Compare(w.time)
	case c.NoCase:
		return compareNoCase(v.text, w.text)
	}
	return strings.Compare(v.text, w.text)
}

// compareNoCase compares texts as if all ASCII letters were lower case.
func compareNoCase(a, b string) int {
	for i := range min(len(a), len(b)) {
		if x, y := lower(a[i]), lower(b[i]); x != y {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}

// lowerText returns a text with its ASCII letters in lower case.
func lowerText(s string) string {
	for i := range len(s) {
		if s[i] != lower(s[i]) {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = lower(b[i])
			}
			return string(b)
		}
	}
	return s
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// timeLayouts are the forms of a time. A fraction of a second can follow the seconds.
var timeLayouts = []string{time.DateOnly, "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00",
	"2006-01-02T15:04"}

// parseTime reads a time as ISO 8601 writes it, with T or a blank between date and time. Without a zone it is in UTC.
func parseTime(s string) (time.Time, bool) {
	if len(s) > len(time.DateOnly) && s[len(time.DateOnly)] == ' ' {
		s = s[:len(time.DateOnly)] + "T" + s[len(time.DateOnly)+1:]
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// operators are the ways to write an operator with a single value. negated is <>.
var operators = map[string]struct {
	op      operator
	negated bool
}{
	"=": {op: equal}, "==": {op: equal}, "<>": {equal, true}, "!=": {equal, true},
	"<": {op: less}, "<=": {op: lessOrEqual}, ">": {op: greater}, ">=": {op: greaterOrEqual},
}

// comparison reads a comparison that begins with a column.
func (p *parser) comparison() (node, error) {
	start := p.next()
	c := p.column(start.text)
	n := &comparison{column: c}
	if p.accept("IS") {
		n.op, n.negated = isNull, p.accept("NOT")
		if !p.accept("NULL") {
			return nil, p.expected("NULL", "NULL", "NOT")
		}
		return p.finish(n, start)
	}
	n.negated = p.accept("NOT")
	var err error
	switch t := p.peek(); {
	case p.accept("LIKE"):
		n.op = like
		err = p.pattern(n)
	case bool(p.dialect) && p.accept("REGEXP"):
		n.op = matching
		err = p.expression(n)
	case p.accept("IN"):
		n.op = in
		err = p.list(n)
	case p.accept("BETWEEN"):
		n.op = between
		if err = p.value(n); err == nil {
			if !p.accept("AND") {
				return nil, p.expected("AND and the second value of BETWEEN", "AND")
			}
			err = p.value(n)
		}
	case n.negated:
		return nil, p.expected("LIKE, IN or BETWEEN after NOT", p.after("LIKE", "IN", "BETWEEN")...)
	case t.kind == symbol && isOperator(t.text):
		n.op, n.negated = operators[p.next().text].op, operators[t.text].negated
		err = p.value(n)
	case p.isNext("GLOB") || p.isNext("REGEXP") || p.isNext("MATCH"):
		return nil, p.fail(t, "there is no "+strings.ToUpper(t.text)+" here",
			"use LIKE, in which % stands for any text")
	default:
		return nil, p.expected("=, <, LIKE, IN, BETWEEN, IS or the like after "+c.Name,
			p.after("LIKE", "IN", "BETWEEN", "IS", "NOT")...)
	}
	if err != nil {
		return nil, err
	}
	return p.finish(n, start)
}

// finish counts and checks a comparison that has been read.
func (p *parser) finish(n *comparison, at token) (node, error) {
	if p.comparisons++; p.comparisons > MaxComparisons {
		return nil, p.fail(at, fmt.Sprintf("there are more than %d comparisons", MaxComparisons),
			"use IN to compare a column with several values")
	}
	p.maybeWarn(n, at)
	return n, nil
}

// list reads the values of an IN.
func (p *parser) list(n *comparison) error {
	if !p.accept("(") {
		return p.expected("( and a list of values after IN")
	}
	for {
		if len(n.values) == MaxListed {
			return p.fail(p.peek(), fmt.Sprintf("there are more than %d values in this list", MaxListed),
				"use two lists, with OR")
		}
		if err := p.value(n); err != nil {
			return err
		}
		if p.accept(")") {
			return nil
		}
		if !p.accept(",") {
			return p.expected("a comma or )")
		}
	}
}

// pattern reads the pattern of a LIKE and its escape.
func (p *parser) pattern(n *comparison) error {
	at := p.peek()
	if n.Type != Text {
		return p.fail(at, n.Name+" is a "+string(n.Type)+", and LIKE compares texts", "use <, > or BETWEEN")
	}
	if err := p.value(n); err != nil {
		return err
	}
	if p.accept("ESCAPE") {
		t := p.next()
		if t.kind != quoted || utf8.RuneCountInString(t.text) != 1 || t.text == "%" || t.text == "_" {
			return p.fail(t, "ESCAPE needs a single character other than % and _", `write ESCAPE '\'`)
		}
		n.escape = t.text
	}
	var ok bool
	if n.pattern, ok = compile(n.values[0].text, n.escape); !ok {
		return p.fail(at, "this pattern ends with its escape character", "put it before a %, a _ or itself")
	}
	return nil
}

// value reads a value that is compared with the column.
func (p *parser) value(n *comparison) error { return p.use(n, p.next()) }

// use adds a token's value to a comparison, if it is of the column's type.
func (p *parser) use(n *comparison, t token) error {
	v := value{text: t.text}
	var ok bool
	switch {
	case t.kind == word:
		return p.noValue(n, t)
	case t.kind != quoted && t.kind != number:
		return p.fail(t, "expected a "+string(n.Type)+" to compare "+n.Name+" with, found "+t.shown(), "")
	case n.Type == Text:
		if t.kind == number {
			return p.fail(t, fmt.Sprintf("%s is a text, and %s is a number", n.Name, clip(t.text)),
				"write "+quote(clip(t.text)))
		}
	case n.Type == Time:
		if v.time, ok = parseTime(t.text); !ok {
			return p.fail(t, fmt.Sprintf("%s is a time, and %s is not", n.Name, t.shown()),
				"write a time like '2026-11-24' or '2026-11-24T21:00:00Z'")
		}
	case t.kind == quoted:
		hint := ""
		if _, err := strconv.ParseInt(t.text, 10, 64); err == nil {
			hint = "write " + t.text + " without quotes"
		}
		return p.fail(t, fmt.Sprintf("%s is a number, and %s is a text", n.Name, quote(clip(t.text))), hint)
	default:
		var err error
		if v.number, err = strconv.ParseInt(t.text, 10, 64); err != nil {
			return p.fail(t, fmt.Sprintf("%s is a whole number, and %s is not", n.Name, clip(t.text)), "")
		}
		v.text = strconv.FormatInt(v.number, 10)
	}
	n.values = append(n.values, v)
	return nil
}

// noValue returns the error that a word stands where a value should.
func (p *parser) noValue(n *comparison, t token) error {
	switch {
	case strings.EqualFold(t.text, "NULL"):
		return p.fail(t, "a comparison with NULL is never true", "write "+n.Name+" IS NULL or "+n.Name+" IS NOT NULL")
	case p.column(t.text) != nil:
		return p.fail(t, "two columns cannot be compared", "if "+t.text+" is meant as a text, write "+quote(t.text))
	case isKeyword(t.text):
		return p.fail(t, "expected a "+string(n.Type)+" to compare "+n.Name+" with, found "+t.text, "")
	case n.Type == Number:
		return p.fail(t, fmt.Sprintf("%s is a number, and %s is not", n.Name, clip(t.text)), "")
	}
	return p.fail(t, "the text "+clip(t.text)+" has no quotes", "write "+quote(clip(t.text)))
}

func isOperator(s string) bool {
	_, ok := operators[s]
	return ok
}

// after returns the keywords that can follow a column: those, and what filters have beside them.
func (d dialect) after(keywords ...string) []string {
	if d {
		return append(keywords, "REGEXP")
	}
	return keywords
}

var keywords = []string{"AND", "OR", "NOT", "LIKE", "ESCAPE", "IN", "BETWEEN", "IS", "NULL", "TRUE", "FALSE"}

func isKeyword(s string) bool { return slices.Contains(keywords, strings.ToUpper(s)) }

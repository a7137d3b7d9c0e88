package query

import (
	"slices"
	"strings"
	"time"
)

// maybeWarn adds warnings about a comparison that is allowed but probably not what is meant.
func (p *parser) maybeWarn(n *comparison, at token) {
	if message, hint := n.doubt(); message != "" {
		p.warnings = append(p.warnings, newRemark(p.source, at.at, message, hint))
	}
}

// doubt returns what is odd about a comparison.
func (c *comparison) doubt() (message, hint string) {
	switch {
	case c.Name == urgency:
		switch len(c.urgencies(true)) {
		case 0:
			return "this is never true: an urgency is from 1 to 9, and 5 where an item does not give it", ""
		case leastUrgent:
			return "this is always true: an urgency is from 1 to 9, and 5 where an item does not give it", ""
		}
	case c.op == between && c.order(&c.values[0], &c.values[1]) > 0:
		return "nothing is between these values: the first is greater than the second", "swap them"
	case c.known != nil && (c.op == equal || c.op == in):
		for _, v := range c.values {
			if !slices.Contains(c.known, v.text) {
				return "no item has the " + c.Name + " " + quote(v.text), "it can be " + strings.Join(c.known, ", ")
			}
		}
	case c.Many && c.negated && c.op != isNull:
		without := *c
		without.negated = false
		var b strings.Builder
		not{&without}.print(&b)
		return "this is true for every item that also has some other " + c.Name, "to leave out items with it, write " +
			b.String()
	case c.Type == Time && c.op == equal && len(c.values[0].text) == len(time.DateOnly):
		next := c.values[0].time.AddDate(0, 0, 1).Format(time.DateOnly)
		return "a date alone means midnight in UTC", "for the whole day, write " + c.Name + " >= " +
			quote(c.values[0].text) + " AND " + c.Name + " < " + quote(next)
	}
	return "", ""
}

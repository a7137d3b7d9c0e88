package astrolabe

import (
	"slices"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/engine"
)

// refreshes returns at which age a node stamps the row of a zone anew. turn is how many others should do so before it.
// A stamp needs a minute or so to come to all members of a large zone. A node that writes sooner than that after
// another writes the same again.
func (c *Config) refreshes(row attr.Row, turn int) time.Duration {
	every, _ := c.Stamps(row)
	if turn >= c.Representatives {
		return every + every*5/8 // none that should write does
	}
	return every + time.Duration(turn)*every/8
}

// turn returns how many others should write a row before a node does.
func (c *Config) turn(row attr.Row, self engine.ID) int {
	turn := 0
	for item := range representatives(row) {
		if string(item[:len(self)]) == string(self[:]) {
			return turn
		}
		turn++
	}
	return c.Representatives
}

// sameNews reports whether two rows of a zone differ in nothing that is news.
func (c *Config) sameNews(a, b attr.Row) bool {
	for len(a) > 0 || len(b) > 0 {
		var before, now attr.Value
		name := ""
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Name < b[0].Name:
			name, before, a = a[0].Name, a[0].Value, a[1:]
		case len(a) == 0 || b[0].Name < a[0].Name:
			name, now, b = b[0].Name, b[0].Value, b[1:]
		default:
			name, before, now, a, b = a[0].Name, a[0].Value, b[0].Value, a[1:], b[1:]
		}
		if !before.Equal(now) && !(slices.Contains(c.Soft, name) && isNear(before, now)) {
			return false
		}
	}
	return true
}

// isNear reports whether a soft attribute has changed by so little that it is no news: a whole number by at most an
// eighth, any other in any way.
func isNear(before, now attr.Value) bool {
	if before.Type != attr.Integer || now.Type != attr.Integer {
		return true
	}
	least, most := min(before.Integer, now.Integer), max(before.Integer, now.Integer)
	return least > 0 && (most-least) <= least/8
}

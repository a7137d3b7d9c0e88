package scene

import "time"

// rules are what the script does to single messages. Of several that fit, the first to be
// given holds.
type rules []*rule

// rule loses or delays messages.
type rule struct {
	from, to *Node // nil: any
	kinds    []string
	left     int           // how many more messages it affects; below zero: no end
	late     time.Duration // 0: they are lost
}

// match returns the rule that a message falls under, and counts it; nil if there is none.
func (r rules) match(from, to *Node, name string) *rule {
	for _, rule := range r {
		if rule.left == 0 || rule.from != nil && rule.from != from || rule.to != nil && rule.to != to {
			continue
		}
		if rule.kinds != nil && !matchesAny(rule.kinds, name) {
			continue
		}
		if rule.left > 0 {
			rule.left--
		}
		return rule
	}
	return nil
}

// dropCommand loses messages until the next heal, without notice to any node:
//
//	drop a3 b7 kind=Ping count=2        the next two pings of a3 to b7; * is any node
func dropCommand(c *Call) { c.addRule(0) }

// delayCommand makes messages late, whatever others overtake them meanwhile:
//
//	delay a3 * kind=Ping by=5s count=1
func delayCommand(c *Call) {
	by := c.duration(c.Need("by"))
	if by <= 0 {
		c.Fatalf("by=%v is no delay", by)
	}
	c.addRule(by)
}

func (c *Call) addRule(late time.Duration) {
	c.t.Helper()
	r := &rule{from: c.anyNode(0), to: c.anyNode(1), kinds: c.Values("kind"), left: c.Int("count", -1), late: late}
	for _, pattern := range r.kinds {
		if !c.isKind(pattern) {
			c.Fatalf("no message is called %q", pattern)
		}
	}
	c.rules = append(c.rules, r)
}

func (c *Call) anyNode(i int) *Node {
	c.t.Helper()
	if c.Word(i) == "*" {
		return nil
	}
	return c.Node(i)
}

func (s *Scene) isKind(pattern string) bool {
	for _, k := range s.codec.Kinds() {
		if matches(pattern, s.codec.Name(k)) {
			return true
		}
	}
	return false
}

package scene

import (
	"strings"

	"tidings/network/sim"
)

// partitionCommand parts the network: nothing passes between the groups, nor between them and
// the nodes that are in none.
//
//	partition a3,b7 | c1 d4
//	partition c1                        c1 alone, the others together
//	partition c1 flap=10s               healed and parted again every 10 s
func partitionCommand(c *Call) { c.flap(c.world.Partition(c.groups()...)) }

// cutCommand cuts one direction: nothing passes from the first group to the second.
//
//	cut a3 b7 | c1
func cutCommand(c *Call) {
	groups := c.groups()
	if len(groups) != 2 {
		c.Fatalf("from whom to whom?")
	}
	c.flap(c.world.CutOneWay(groups[0], groups[1]))
}

// flap has a cut come and go, if flap= says so.
func (c *Call) flap(cut *sim.Cut) {
	c.t.Helper()
	if !c.Has("flap") {
		return
	}
	d := c.Duration("flap", 0)
	if d <= 0 {
		c.Fatalf("flap=%v is no time", d)
	}
	cut.Flap(d)
}

// healCommand ends what drop, delay, partition and cut began.
func healCommand(c *Call) {
	c.rules = nil
	c.world.Heal()
}

// groups reads nodes with bars between the groups. No node can be in two.
func (c *Call) groups() [][]sim.Node {
	c.t.Helper()
	var groups [][]sim.Node
	seen := make(map[*Node]bool)
	for _, part := range strings.Split(strings.Join(c.Plain(), " "), "|") {
		var group []sim.Node
		for _, name := range strings.FieldsFunc(part, func(r rune) bool { return r == ' ' || r == ',' }) {
			n := c.Named(name)
			if seen[n] {
				c.Fatalf("%s is named twice", name)
			}
			seen[n] = true
			group = append(group, n.number)
		}
		if len(group) == 0 {
			c.Fatalf("a group without nodes")
		}
		groups = append(groups, group)
	}
	return groups
}

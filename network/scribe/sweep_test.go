package scribe_test

import (
	"testing"
	"time"

	"tidings/network/scribe/scribetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// A node that is in more groups than it looks at in one go finds all of those that have another root,
// while it enters and leaves groups.
func TestManyGroupsChangeRoots(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		const nodes, topics = 4, 3000
		v := newWood(t, scribetest.Default(nodes))
		for i := range topics {
			v.Join(sim.Node(i%nodes), scribetest.Topic(i))
			v.Join(sim.Node(0), scribetest.Topic(i))
		}
		v.Run(30 * time.Second)
		v.ends(topics)
		newcomer := v.Grow(v.ID())
		v.Boot(newcomer)
		for i := 0; i < topics; i += 7 {
			v.Run(10 * time.Millisecond)
			v.Leave(sim.Node(0), scribetest.Topic(i))
		}
		v.Settle()
		v.Run(30 * time.Second)
		v.ends(topics)
		if l := v.Node(newcomer).Scribe.Load(); l.Groups == 0 {
			t.Error("the newcomer is the root of nothing")
		}
	})
}

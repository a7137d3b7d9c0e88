package scribe_test

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/scribe/scribetest"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/sim/simtest"
)

// wood is a world that counts what is traced.
type wood struct {
	*scribetest.World
	t      *simtest.T
	counts map[string]int // by type
}

func newWood(t *simtest.T, s scribetest.Settings) *wood {
	c := sim.Default(scribetest.Codec)
	c.Wire = true
	v := &wood{t: t, counts: make(map[string]int)}
	w := t.World(c)
	w.Observe(func(_ time.Duration, _ sim.Node, event any) { v.counts[fmt.Sprintf("%T", event)]++ })
	v.World = scribetest.New(w, s)
	return v
}

// complete are the settings of a world in which all members have to get all events.
func complete(nodes int) scribetest.Settings {
	s := scribetest.Default(nodes)
	s.Checkers = []check.Checker{&check.Complete{}}
	return s
}

// nameOf is what counts knows an event by.
func nameOf(event any) string { return fmt.Sprintf("%T", event) }

// ends asks the checkers, and looks at the trees of some topics.
func (v *wood) ends(topics int) {
	v.t.Helper()
	if err := v.Watch.Finish(); err != nil {
		v.t.Error(err)
	}
	for i := range topics {
		if err := v.Tree(scribetest.Topic(i)); err != nil {
			v.t.Errorf("the tree of topic %d: %v", i, err)
		}
	}
}

// isAmongRoots tells whether a node is one of the k live nodes that are closest to a topic.
func (v *wood) isAmongRoots(n sim.Node, topic engine.ID, k int) bool {
	closer := 0
	for _, m := range v.Live() {
		if engine.Closer(topic, v.Peer(m).ID, v.Peer(n).ID) {
			closer++
		}
	}
	return closer < k
}

package scribe_test

import (
	"testing"
	"time"

	"tidings/network/forward/forwardtest"
	"tidings/network/routers/routertest"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// Trees reach all members where seven of ten nodes are private, even below parents that nobody can connect to.
func TestTreesAmongPrivateNodes(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes, topics = 60, 5
		s := complete(nodes)
		s.Homes = true
		p := protocol(s.Scribe)
		c := p.SimConfig()
		forwardtest.Configure(&c)
		w := t.World(c)
		v := &wood{t: t, settings: s, World: routertest.New[*scribe.Node](w, p, s.Settings)}
		for i := range topics {
			for n := range sim.Node(nodes) {
				if v.Rand().IntN(3) == 0 {
					v.Join(n, routertest.Topic(i))
				}
			}
		}
		v.Run(time.Minute)
		for range 40 {
			v.Publish(v.Any(), routertest.Topic(v.Rand().IntN(topics)), 100)
			v.Run(time.Duration(v.Rand().IntN(300)) * time.Millisecond)
		}
		v.Run(30 * time.Second)
		v.ends(topics)
	})
}

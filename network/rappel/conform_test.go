package rappel_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/rappel"
	"tidings/network/routertest"
	"tidings/network/sim/simtest"
)

// Rappel does what all routers promise, and no node is ever sent an event of a topic that it has not joined. Nothing is
// promised for when the network falls in parts: those that are cut off pull what they lack only from the root that they
// find again. Nor for clocks that run at half or twice the speed: for some time, by its own clock, a node serves
// children that have left.
func TestConform(t *testing.T) {
	c := rappel.Default()
	routertest.Conform(t, routertest.Protocol[*rappel.Node]{
		Vocabularies: []engine.Vocabulary{rappel.Vocabulary},
		Build: func(w *routertest.World[*rappel.Node], h *routertest.Host[*rappel.Node]) *rappel.Node {
			n := rappel.New(h.Env, c, rappel.Seams{Member: w.Member(h), Directory: h, Coordinates: h, Keys: h.Keys()})
			h.Add(engine.Rappel, n)
			return n
		},
		RootChanged: (*rappel.Node).RootChanged,
	}, routertest.Promises{Noiseless: true, Kept: c.Cache, Joining: 2 * time.Minute, Settling: 5 * time.Minute,
		Survives: func(p *simtest.Plan) { p.Clock = 0 }})
}

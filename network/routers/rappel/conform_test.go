package rappel_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/routers/routertest"
	"tidings/network/sim/simtest"
)

// Rappel keeps the promises of all routers. No node is ever sent an event of a topic that it has not joined. Two cases
// are without promise. If the network falls into parts, nodes that are cut off pull what they lack only from the root,
// once they find it again. If clocks run at half or twice the speed, a node serves children that have left, for a time
// by its own clock.
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

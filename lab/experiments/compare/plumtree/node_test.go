package plumtree

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/routertest"
	"tidings/network/sim/simtest"
)

// The protocol does what all routers promise while messages are lost, doubled and late, and nodes come and go. It makes
// no promise for when nodes stop for a while besides, or the network falls in parts: an event of which all names were
// sent then is not named again, in the paper either.
func TestConform(t *testing.T) {
	routertest.Conform(t, routertest.Protocol[*Node]{
		Vocabularies: []engine.Vocabulary{Vocabulary},
		Build: func(w *routertest.World[*Node], h *routertest.Host[*Node]) *Node {
			n := New(h.Env, w.Member(h), func() []engine.Peer { return h.Contacts(1) })
			h.Add(Protocol, n)
			return n
		},
	}, routertest.Promises{Kept: 64, Joining: 2 * time.Minute, Settling: 4 * time.Minute,
		Survives: func(p *simtest.Plan) { *p = simtest.Plan{Faults: p.Faults} }})
}

func TestMessages(t *testing.T) { enginetest.Check(t, engine.NewCodec(Vocabulary)) }

package fan

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/routertest"
)

// The protocol does what all routers promise, where the network does not fall in parts: the only contestant that is no
// package of the network's is judged as they are.
func TestConform(t *testing.T) {
	routertest.Conform(t, routertest.Protocol[*Node]{
		Vocabularies: []engine.Vocabulary{Vocabulary},
		Build: func(w *routertest.World[*Node], h *routertest.Host[*Node]) *Node {
			n := New(h.Env, w.Member(h), h)
			h.Add(Protocol, n)
			return n
		},
		RootChanged: (*Node).RootChanged,
	}, routertest.Promises{Noiseless: true, Kept: kept, Joining: 2 * time.Minute, Settling: 4 * time.Minute})
}

func TestMessages(t *testing.T) { enginetest.Check(t, engine.NewCodec(Vocabulary)) }

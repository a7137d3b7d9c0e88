package spidercast_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/routertest"
	"tidings/network/routers/spidercast"
)

// protocol describes SpiderCast to worlds: nodes begin with three that are up.
func protocol(c spidercast.Config) routertest.Protocol[*spidercast.Node] {
	return routertest.Protocol[*spidercast.Node]{
		Vocabularies: []engine.Vocabulary{spidercast.Vocabulary},
		Build: func(w *routertest.World[*spidercast.Node], h *routertest.Host[*spidercast.Node]) *spidercast.Node {
			n := spidercast.New(h.Env, c, spidercast.Seams{Member: w.Member(h), Coordinates: h,
				Contacts: h.Contacts(3)})
			h.Add(engine.SpiderCast, n)
			return n
		},
	}
}

// SpiderCast keeps the promises of all routers, and no node is ever sent an event of a topic that it has not joined.
func TestConform(t *testing.T) {
	routertest.Conform(t, protocol(spidercast.Default()), routertest.Promises{
		Noiseless: true, Kept: 30, Recovery: 2 * time.Minute, Joining: 2 * time.Minute, Settling: 5 * time.Minute,
	})
}

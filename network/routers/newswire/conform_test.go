package newswire_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/routers/routertest"
)

// small makes zones of up to eight members, so that twenty nodes have several.
func small() astrolabe.Config {
	c := astrolabe.Default()
	c.Full, c.Small = 8, 2
	return c
}

// protocol describes NewsWire to worlds: nodes begin with three that are up.
func protocol(zones astrolabe.Config, c newswire.Config) routertest.Protocol[*newswire.Node] {
	return routertest.Protocol[*newswire.Node]{
		Vocabularies: []engine.Vocabulary{astrolabe.Vocabulary, newswire.Vocabulary},
		Build: func(w *routertest.World[*newswire.Node], h *routertest.Host[*newswire.Node]) *newswire.Node {
			z := astrolabe.New(h.Env, zones, astrolabe.Seams{Keys: h.Keys(), Contacts: h.Contacts(3)})
			h.Add(engine.Astrolabe, z)
			n := newswire.New(h.Env, c, newswire.Seams{Member: w.Member(h), Keys: h.Keys()}, z)
			z.Watch(n)
			h.Add(engine.NewsWire, n)
			return n
		},
	}
}

// NewsWire does what all routers promise.
func TestConform(t *testing.T) {
	routertest.Conform(t, protocol(small(), newswire.Default()), routertest.Promises{
		Kept: 30, Recovery: 2 * time.Minute, Joining: 3 * time.Minute, Settling: 8 * time.Minute,
	})
}

package scribe_test

import (
	"fmt"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/routertest"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/sim/simtest"
)

// settings say what a world of Scribe is like.
type settings struct {
	routertest.Settings
	Scribe scribe.Config
}

// standard are the settings of an ordinary network.
func standard(nodes int) settings {
	return settings{routertest.Settings{Nodes: nodes}, scribe.Default()}
}

// complete are the settings of a world in which all members have to get all events.
func complete(nodes int) settings {
	s := standard(nodes)
	s.Checkers = []check.Checker{&check.Complete{}}
	return s
}

// recovering is a member that finds out by itself what is kept back from it.
type recovering struct{ routertest.Member }

func (recovering) Recovers(engine.ID) bool { return true }

// protocol describes Scribe over Pastry to worlds.
func protocol(c scribe.Config) routertest.Protocol[*scribe.Node] {
	return protocolFor(c, func(m routertest.Member) network.Member { return m })
}

func protocolFor(c scribe.Config, member func(routertest.Member) network.Member) routertest.Protocol[*scribe.Node] {
	ring := pastry.Default()
	return routertest.Protocol[*scribe.Node]{
		Vocabularies: []engine.Vocabulary{scribe.Vocabulary}, Ring: &ring,
		Build: func(w *routertest.World[*scribe.Node], h *routertest.Host[*scribe.Node]) *scribe.Node {
			n := scribe.New(h.Env, h.Pastry, member(w.Member(h)), c)
			h.Pastry.Handle(engine.Scribe, n)
			h.Add(engine.Scribe, n)
			return n
		},
	}
}

// wood is a world that counts what is traced.
type wood struct {
	*routertest.World[*scribe.Node]
	t        *simtest.T
	settings settings
	counts   map[string]int // by type
}

func newWood(t *simtest.T, s settings) *wood {
	p := protocol(s.Scribe)
	v := &wood{t: t, settings: s, counts: make(map[string]int)}
	w := t.World(p.SimConfig())
	w.Observe(func(_ time.Duration, _ sim.Node, event any) { v.counts[fmt.Sprintf("%T", event)]++ })
	v.World = routertest.New(w, p, s.Settings)
	return v
}

// nameOf is what counts knows an event by.
func nameOf(event any) string { return fmt.Sprintf("%T", event) }

// ends runs the final checks, and checks the trees of the first topics.
func (v *wood) ends(topics int) {
	v.t.Helper()
	if err := v.Watch.Finish(); err != nil {
		v.t.Error(err)
	}
	for i := range topics {
		if err := v.Tree(routertest.Topic(i)); err != nil {
			v.t.Errorf("the tree of topic %d: %v", i, err)
		}
	}
}

// isAmongRoots reports whether a node is one of the k live nodes that are closest to a topic.
func (v *wood) isAmongRoots(n sim.Node, topic engine.ID, k int) bool {
	closer := 0
	for _, m := range v.Live() {
		if engine.Closer(topic, v.Peer(m).ID, v.Peer(n).ID) {
			closer++
		}
	}
	return closer < k
}

package spidercast_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/routertest"
	"tidings/network/routers/spidercast"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// A node's children of a topic are all neighbours that share it, each once: those of its tree first.
func TestChildrenAreAllNeighboursOfATopic(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		w := newWorld(t, spidercast.Default(), routertest.Settings{Nodes: 16})
		for n := range sim.Node(16) {
			w.Join(n, routertest.Topic(0))
			w.Join(n, routertest.Topic(1+int(n%2)))
		}
		w.Run(2 * time.Minute)
		w.Publish(0, routertest.Topic(0), 100)
		w.Run(time.Minute)
		beyond := 0
		for n := range sim.Node(16) {
			for i := range 3 {
				topic, want := routertest.Topic(i), []engine.Peer(nil)
				tree, _ := w.Node(n).Tree(topic)
				for _, l := range w.Node(n).Neighbors() {
					if slices.Contains(l.Shared, topic) && !slices.Contains(tree, l.Peer) {
						want = append(want, l.Peer)
					}
				}
				beyond += len(want)
				if got := w.Node(n).Children(topic); !slices.Equal(got, append(slices.Clone(tree), want...)) {
					t.Errorf("node %d, topic %d: children are %v, not %v and then %v", n, i, got, tree, want)
				}
			}
		}
		if beyond == 0 {
			t.Error("all neighbours are in trees: nothing is tested")
		}
		finish(t, w)
	})
}

// A node that has stopped sends nothing, and waits for nothing any more.
func TestAStoppedNodeIsQuiet(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("aa"))
	n := spidercast.New(env, spidercast.Default(), spidercast.Seams{
		Member: refusing{}, Contacts: []engine.Peer{enginetest.NewPeer("10"), enginetest.NewPeer("20")},
	})
	n.Join(routertest.Topic(0))
	n.Publish(routertest.Topic(1), nil)
	if env.Advance(time.Minute); len(env.Sent()) == 0 {
		t.Fatal("it sends nothing before it is stopped")
	}
	n.Stop()
	env.Sent()
	if env.Advance(time.Hour); len(env.Sent()) > 0 {
		t.Error("it sends something after it was stopped")
	}
	if left := env.Timers(); left > 0 {
		t.Errorf("%d timers go on", left)
	}
}

package spidercast_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/routertest"
	"tidings/network/routers/spidercast"
)

// refusing admits nothing.
type refusing struct{}

func (refusing) Admit(engine.ID, engine.Message, engine.Peer) (digest uint64, bytes int, ok bool) {
	return 0, 0, false
}

func (refusing) Deliver(engine.ID, engine.Message, engine.Peer) {}

// A node looks for neighbours for a bounded number of topics that it only publishes on. It does so until the time of a
// topic is past, or it publishes once more.
func TestPublishedTopicsAreBounded(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("aa"))
	n := spidercast.New(env, spidercast.Default(), spidercast.Seams{Member: refusing{}})
	publish := func(first, last int) (refused int) {
		env.Traced()
		for i := first; i < last; i++ {
			n.Publish(routertest.Topic(i), nil)
		}
		for _, e := range env.Traced() {
			if _, hit := e.(spidercast.LimitHit); hit {
				refused++
			}
		}
		return refused
	}
	if refused := publish(0, 256); refused != 0 {
		t.Errorf("%d of 256 topics were refused", refused)
	}
	env.Advance(spidercast.Publishing / 2)
	if refused := publish(100, 300); refused != 44 {
		t.Errorf("%d of 44 topics too many were refused", refused)
	}
	env.Advance(spidercast.Publishing / 2)
	if refused := publish(300, 401); refused != 1 {
		t.Errorf("%d of 101 topics were refused when the time of 100 was past", refused)
	}
}

// A node seeks neighbours for each topic until the time after its latest publication on it is past, and no longer. The
// end of one topic's time, or a second publication, changes nothing for the others.
func TestEachTopicIsSoughtForItsTime(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("aa"))
	n := spidercast.New(env, spidercast.Default(), spidercast.Seams{Member: refusing{}})
	first, second := routertest.Topic(1), routertest.Topic(2)
	const step = spidercast.Publishing / 4
	expect := func(when string, want ...engine.ID) {
		t.Helper()
		got := n.Uncovered()
		if len(got) != len(want) ||
			slices.ContainsFunc(want, func(id engine.ID) bool { return !slices.Contains(got, id) }) {
			t.Errorf("%s: neighbours are sought for %v; want %v", when, got, want)
		}
	}
	n.Publish(first, nil)
	env.Advance(step)
	n.Publish(second, nil)
	env.Advance(step)
	n.Publish(first, nil)
	expect("after three publications", first, second)
	env.Advance(2*step + time.Second)
	expect("when the time after the first publication is past, and another followed on its topic", first, second)
	env.Advance(step)
	expect("when the second topic's time is past", first)
	env.Advance(step)
	expect("when the time after the last publication is past")
}

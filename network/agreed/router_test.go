package agreed_test

import (
	"fmt"
	"slices"
	"testing"

	"tidings/network"
	"tidings/network/agreed"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// book is a router that writes down what it is asked.
type book struct {
	name  string
	lines *[]string
}

func (b book) note(what string, topic engine.ID) {
	*b.lines = append(*b.lines, fmt.Sprintf("%s %s %s", b.name, what, topic.Short()))
}
func (b book) Join(topic engine.ID)                      { b.note("joins", topic) }
func (b book) Leave(topic engine.ID)                     { b.note("leaves", topic) }
func (b book) Publish(topic engine.ID, _ engine.Message) { b.note("publishes", topic) }

// tree is a book that has parents and roots.
type tree struct{ book }

func (t tree) Parent(engine.ID) (engine.Peer, bool) { return enginetest.NewPeer("aa"), true }
func (t tree) Children(engine.ID) []engine.Peer     { return []engine.Peer{enginetest.NewPeer("bb")} }
func (t tree) Roots(engine.ID) []engine.Peer        { return []engine.Peer{enginetest.NewPeer("cc")} }
func (t tree) Distrust(topic engine.ID)             { t.note("distrusts", topic) }

// newRouter returns a node's router, and what is asked of those that it has.
func newRouter(name network.RouterName) (*agreed.Router, *enginetest.Env, func() []string) {
	var lines []string
	env := enginetest.NewEnv(enginetest.NewPeer("11"))
	r := agreed.New(env, name)
	r.Use(network.Scribe, tree{book{"scribe", &lines}})
	r.Use(network.Rappel, tree{book{"rappel", &lines}})
	r.Use(network.SpiderCast, book{"spidercast", &lines})
	return r, env, func() []string { now := lines; lines = nil; return now }
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("asked is\n\t%q, want\n\t%q", got, want)
	}
}

// A node that learns on which router its network has agreed goes over to that at once; from one that the network had
// before it goes over slowly, and publishes by both meanwhile.
func TestGoingOver(t *testing.T) {
	one, two := engine.PrefixID("01"), engine.PrefixID("02")
	r, env, asked := newRouter(network.Direct)
	r.Join(two)
	r.Join(one)
	expect(t, asked(), "scribe joins "+two.Short(), "scribe joins "+one.Short())
	r.Agreed(network.Rappel)
	expect(t, asked(), "rappel joins "+one.Short(), "rappel joins "+two.Short(), "scribe leaves "+one.Short(),
		"scribe leaves "+two.Short())
	r.Agreed(network.Rappel)
	r.Publish(one, nil)
	expect(t, asked(), "rappel publishes "+one.Short())

	r.Agreed(network.SpiderCast)
	r.Publish(one, nil)
	r.Leave(two)
	expect(t, asked(), "spidercast joins "+one.Short(), "spidercast joins "+two.Short(), "spidercast publishes "+
		one.Short(), "rappel publishes "+one.Short(),
		"spidercast leaves "+two.Short(), "rappel leaves "+two.Short())
	if r.Name() != network.SpiderCast {
		t.Errorf("it goes by %s", r.Name())
	}
	env.Advance(agreed.Overlap)
	expect(t, asked(), "rappel leaves "+one.Short())
	r.Publish(one, nil)
	expect(t, asked(), "spidercast publishes "+one.Short())

	// To and fro within the overlap: what is used stays.
	r.Agreed(network.Scribe)
	r.Agreed(network.SpiderCast)
	expect(t, asked(), "scribe joins "+one.Short())
	env.Advance(agreed.Overlap)
	expect(t, asked(), "scribe leaves "+one.Short())
	r.Agreed(network.Direct)
	if r.Name() != network.Scribe {
		t.Errorf("with direct it goes by %s", r.Name())
	}
}

// Of a router without parents and roots there are none; of others they are the router's.
func TestWhatRoutersCan(t *testing.T) {
	topic := engine.PrefixID("01")
	r, _, asked := newRouter(network.SpiderCast)
	if _, ok := r.Parent(topic); ok || r.Children(topic) != nil || r.Roots(topic) != nil {
		t.Error("a router that has no trees has somebody in them")
	}
	r.Distrust(topic)
	expect(t, asked())
	r, _, asked = newRouter(network.Rappel)
	if p, ok := r.Parent(topic); !ok || p != enginetest.NewPeer("aa") || len(r.Children(topic)) != 1 ||
		len(r.Roots(topic)) != 1 {
		t.Error("what a router knows of its trees is not told")
	}
	r.Distrust(topic)
	expect(t, asked(), "rappel distrusts "+topic.Short())
}

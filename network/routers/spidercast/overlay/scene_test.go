package overlay_test

import (
	"fmt"
	"strings"
	"testing"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

// TestScenes has a scene for each message of Figures 2 to 5.
func TestScenes(t *testing.T) {
	t.Parallel()
	config := tiny()
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{vocabulary},
		Start:        func(env engine.Env, _ *sim.Disk) engine.Protocol { return newActor(env, config) },
		Commands: map[string]scene.Command{
			"config":     func(c *scene.Call) { config = configure(c) },
			"join":       func(c *scene.Call) { eachTopic(c, (*overlay.Overlay).Join) },
			"leave":      func(c *scene.Call) { eachTopic(c, (*overlay.Overlay).Leave) },
			"seek":       func(c *scene.Call) { eachTopic(c, (*overlay.Overlay).Seek) },
			"unseek":     func(c *scene.Call) { eachTopic(c, (*overlay.Overlay).Unseek) },
			"know":       know,
			"suspect":    suspect,
			"show links": showLinks,
		},
	})
}

var vocabulary = engine.Vocabulary{Protocol: engine.SpiderCast, Name: "spidercast", Messages: overlay.Messages}

// tiny covers each topic once, so that a scene needs only two or three nodes.
func tiny() overlay.Config {
	c := overlay.Default()
	c.Greedy, c.Margin, c.Adaptive = 1, 0, false
	return c
}

// configure says how the nodes are that are added from now on: config greedy=2 random=1 margin=1 adaptive=1 exact=0.
func configure(c *scene.Call) overlay.Config {
	o := tiny()
	o.Greedy, o.Random, o.Margin = c.Int("greedy", o.Greedy), c.Int("random", o.Random), c.Int("margin", o.Margin)
	o.Exact, o.Adaptive = c.Int("exact", o.Exact), c.Int("adaptive", 0) == 1
	if c.Int("paper", 0) == 1 {
		o.Return = 0
	}
	return o
}

// actor is a node of a scene. It knows the nodes that the script names, and traces what it reports to the
// dissemination.
type actor struct {
	*overlay.Overlay
	env   engine.Env
	index *overlay.Index
}

type (
	linkUp struct {
		Peer   engine.Peer
		Shared []engine.ID
	}
	linkChanged struct {
		Peer   engine.Peer
		Shared []engine.ID
	}
	linkDown struct{ Peer engine.Peer }
)

func newActor(env engine.Env, c overlay.Config) *actor {
	a := &actor{env: env, index: overlay.NewIndex(env.Rand(), false, 0)}
	a.Overlay = overlay.New(env, c, a.index, a)
	a.index.OnFound(a.Found)
	return a
}

func (a *actor) LinkUp(p engine.Peer, shared []engine.ID)      { a.env.Trace(linkUp{p, shared}) }
func (a *actor) LinkChanged(p engine.Peer, shared []engine.ID) { a.env.Trace(linkChanged{p, shared}) }
func (a *actor) LinkDown(p engine.Peer)                        { a.env.Trace(linkDown{p}) }

// eachTopic has nodes join or leave: join a1 b2 topic=(e1, e2). topics=100 joins so many besides.
func eachTopic(c *scene.Call, do func(o *overlay.Overlay, topic engine.ID)) {
	var of []engine.ID
	for _, name := range c.Values("topic") {
		of = append(of, engine.PrefixID(strings.TrimSpace(name)))
	}
	for i := range c.Int("topics", 0) {
		of = append(of, engine.IDOf(fmt.Append(nil, i)))
	}
	for _, n := range c.Nodes() {
		for _, topic := range of {
			do(scene.On[*actor](c, n).Overlay, topic)
		}
	}
}

// know shows nodes others and what these follow, or are said to: know a1 of=(b1, b2) topic=e1.
func know(c *scene.Call) {
	var said []engine.ID
	for _, name := range c.Values("topic") {
		said = append(said, engine.PrefixID(strings.TrimSpace(name)))
	}
	for _, n := range c.Nodes() {
		for _, name := range c.Values("of") {
			o := c.Named(strings.TrimSpace(name))
			follows := interest.Of(said, interest.MaxExact)
			if said == nil {
				follows = scene.On[*actor](c, o).Profile().Follows
			}
			scene.On[*actor](c, n).index.Put(o.Peer(), follows, 0)
		}
	}
}

func suspect(c *scene.Call) { scene.On[*actor](c, c.Node(0)).Suspect(c.NodeOf("of").Peer()) }

// showLinks prints nodes' links: show links a1 b2.
func showLinks(c *scene.Call) {
	for _, n := range c.Nodes() {
		a := scene.On[*actor](c, n)
		c.Printf("%s: uncovered %s\n", n.Name(), c.Format(a.Uncovered()))
		for _, l := range a.Neighbors() {
			c.Printf("  %s greedy=%v random=%v shared %s\n", c.Format(l.Peer), l.Greedy, l.Random, c.Format(l.Shared))
		}
	}
}

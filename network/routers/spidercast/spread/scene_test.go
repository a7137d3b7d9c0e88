package spread_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{vocabulary, notes},
		Start: func(env engine.Env, _ *sim.Disk) engine.Protocol {
			return &actor{Spread: spread.New(env, tiny(), member{})}
		},
		Commands: map[string]scene.Command{
			"link":       linkCommand,
			"unlink":     unlinkCommand,
			"join":       joinCommand,
			"leave":      leaveCommand,
			"announce":   announceCommand,
			"publish":    publishCommand,
			"say":        sayCommand,
			"show trees": showTrees,
			"show state": showState,
		},
	})
}

// actor is a node of a scene. The scripts are the overlay.
type actor struct {
	*spread.Spread
	follows, publishes []engine.ID
	links              []*scene.Node
}

func (*actor) PeerDown(engine.Peer) {}

// tiny keeps three events of a topic, and is quick to suspect and to move.
func tiny() spread.Config {
	c := spread.Default()
	c.Kept, c.Strikes, c.Silent, c.Moves, c.Shorter, c.Tries, c.Hold = 3, 3, 4, 4, 1, 5, 5*time.Minute
	return c
}

// linkCommand makes links between the first node and the others: link a1 b2 b3.
func linkCommand(c *scene.Call) {
	nodes := c.Nodes()
	for _, other := range nodes[1:] {
		for _, pair := range [][2]*scene.Node{{nodes[0], other}, {other, nodes[0]}} {
			a := scene.On[*actor](c, pair[0])
			a.links = append(slices.DeleteFunc(a.links, func(n *scene.Node) bool { return n == pair[1] }), pair[1])
			a.LinkUp(pair[1].Peer(), shared(c, pair[0], pair[1]))
		}
	}
}

// unlinkCommand ends them.
func unlinkCommand(c *scene.Call) {
	nodes := c.Nodes()
	for _, other := range nodes[1:] {
		for _, pair := range [][2]*scene.Node{{nodes[0], other}, {other, nodes[0]}} {
			if pair[0].Up() {
				a := scene.On[*actor](c, pair[0])
				a.links = slices.DeleteFunc(a.links, func(n *scene.Node) bool { return n == pair[1] })
				a.LinkDown(pair[1].Peer())
			}
		}
	}
}

// shared returns what one node may send another.
func shared(c *scene.Call, from, to *scene.Node) (list []engine.ID) {
	a, b := scene.On[*actor](c, from), scene.On[*actor](c, to)
	for _, topic := range b.follows {
		if slices.Contains(a.follows, topic) || slices.Contains(a.publishes, topic) {
			list = append(list, topic)
		}
	}
	return list
}

func changed(c *scene.Call, n *scene.Node) {
	for _, other := range scene.On[*actor](c, n).links {
		scene.On[*actor](c, n).LinkChanged(other.Peer(), shared(c, n, other))
		scene.On[*actor](c, other).LinkChanged(n.Peer(), shared(c, other, n))
	}
}

func topicsOf(c *scene.Call) (list []engine.ID) {
	for _, name := range c.Values("topic") {
		list = append(list, engine.PrefixID(name))
	}
	if list == nil {
		c.Fatalf("which topic?")
	}
	return list
}

// joinCommand has nodes join topics: join a1 b2 topic=(e1, e2).
func joinCommand(c *scene.Call) {
	of := topicsOf(c)
	for _, n := range c.Nodes() {
		a := scene.On[*actor](c, n)
		for _, topic := range of {
			a.follows = append(a.follows, topic)
			a.Join(topic)
		}
		changed(c, n)
	}
}

func leaveCommand(c *scene.Call) {
	of := topicsOf(c)
	for _, n := range c.Nodes() {
		a := scene.On[*actor](c, n)
		for _, topic := range of {
			a.follows = slices.DeleteFunc(a.follows, func(id engine.ID) bool { return id == topic })
			a.Leave(topic)
		}
		changed(c, n)
	}
}

// announceCommand makes a node announce to its neighbours that it publishes on topics, without following them: announce
// a1 topic=e1.
func announceCommand(c *scene.Call) {
	a := scene.On[*actor](c, c.Node(0))
	a.publishes = append(a.publishes, topicsOf(c)...)
	changed(c, c.Node(0))
}

func noteOf(text string) *note {
	id := engine.IDOf([]byte(text))
	return &note{Number: binary.BigEndian.Uint64(id[:]), Text: text}
}

// publishCommand publishes notes: publish a1 topic=e1 text=(hello, again).
func publishCommand(c *scene.Call) {
	for _, topic := range topicsOf(c) {
		for _, text := range c.Values("text") {
			scene.On[*actor](c, c.Node(0)).Publish(topic, noteOf(text))
		}
	}
}

// sayCommand sends a node a message that another did not send: say a1 to=b2 prune=e1, or announce=e1 text=hello hops=1,
// or event=e1 text=hello.
func sayCommand(c *scene.Call) {
	to := scene.On[*actor](c, c.NodeOf("to"))
	m := noteOf(c.Text("text", ""))
	switch {
	case c.Has("prune"):
		to.Receive(c.Node(0).Peer(), &spread.Prune{Topic: c.ID("prune")})
	case c.Has("announce"):
		names := []spread.Name{{Digest: m.digest(), Hops: uint8(c.Int("hops", 1))}}
		to.Receive(c.Node(0).Peer(),
			&spread.Announce{Number: 1, Topics: []spread.Announced{{Topic: c.ID("announce"), Names: names}}})
	case c.Has("event"):
		to.Receive(c.Node(0).Peer(), &spread.Event{Topic: c.ID("event"), Event: m, Hops: uint8(c.Int("hops", 1))})
	default:
		c.Fatalf("say what?")
	}
}

// showTrees prints where events of a topic are sent at once: show trees topic=e1.
func showTrees(c *scene.Call) {
	for _, topic := range topicsOf(c) {
		for _, n := range c.Cast() {
			if !n.Up() {
				continue
			}
			if tree, joined := scene.On[*actor](c, n).Tree(topic); joined {
				c.Printf("%s: %s\n", n.Name(), c.Format(tree))
			}
		}
	}
}

// showState prints how much nodes keep: show state a1 b2.
func showState(c *scene.Call) {
	for _, n := range c.Nodes() {
		c.Printf("%s: %s\n", n.Name(), c.Format(scene.On[*actor](c, n).State()))
	}
}

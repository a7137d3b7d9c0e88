package version

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

// The scenes play on machines alone, in fake surroundings: nothing but their decisions is in them.
func TestScenes(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("testdata/scenes")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d scenes: %v", len(files), err)
	}
	for _, f := range files {
		g := &ground{signs: true, most: 3}
		scene.Play(t, filepath.Join("testdata/scenes", f.Name()), scene.Stage{
			Vocabularies: []engine.Vocabulary{{Protocol: engine.Corona, Name: "corona", Messages: Messages}},
			Start:        func(env engine.Env, _ *sim.Disk) engine.Protocol { return g.start(env) },
			Commands: map[string]scene.Command{
				"settle": func(*scene.Call) { g.settle() },
				"polls": func(c *scene.Call) {
					for _, n := range c.Nodes() {
						g.pollers = append(g.pollers, n.ID())
					}
				},
				"subscribes": func(c *scene.Call) {
					for _, n := range c.Nodes() {
						g.subscribers = append(g.subscribers, n.Peer())
					}
				},
				"unsubscribes": func(c *scene.Call) {
					for _, n := range c.Nodes() {
						g.subscribers = slices.DeleteFunc(g.subscribers,
							func(p engine.Peer) bool { return p == n.Peer() })
					}
				},
				// for nodes that are added later
				"witnesses": func(c *scene.Call) { g.witnesses = c.Int("need", 2) },
				// a node does nothing with what is routed to it
				"deaf":  func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).deaf = true },
				"wakes": func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).deaf = false },
				// to all, or to some: publish 58 text=first
				"publish": publishCommand,
				"blind": func(c *scene.Call) {
					for _, n := range c.Nodes() {
						scene.On[*actor](c, n).blind = true
					}
				},
				"poll": func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).poll(false) },
				"invent": func(c *scene.Call) { // a node reports what nobody can see
					a := scene.On[*actor](c, c.Node(0))
					u := a.sealedBy(0, c.Need("text"), false)
					u.Seal.Giver, u.Seal.Given = engine.Peer{}, nil
					a.Route(news.ID, &Detected{Update: *u})
				},
				// a node sends a version, as of whatever number, which so many nodes at places for witnesses help to
				// forge
				"give": func(c *scene.Call) {
					a := scene.On[*actor](c, c.Node(0))
					u := a.sealedBy(uint64(c.Int("number", 1))<<tagBits, c.Need("text"), !c.Has("bare"))
					for number := range uint8(c.Int("helpers", 0)) {
						u.Seal.Seen = append(u.Seal.Seen, g.at(number, a.env.Wall()).attest(u.Version, u.Hash, number))
					}
					for _, to := range c.Values("to") {
						a.env.Send(c.Named(to).Peer(), u)
					}
					c.Text("bare", "")
				},
				"slow": func(c *scene.Call) { // to those at the first places the origin answers late
					for number := range uint8(c.Int("places", 0)) {
						g.at(number, g.nodes[0].env.Wall()).slow = c.Duration("by", 0)
					}
				},
				// a node may not poll out of turn
				"unchecked": func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).unchecked = true },
				"barred": func(c *scene.Call) { // nodes may not poll for their readers
					for _, n := range c.Nodes() {
						scene.On[*actor](c, n).barred = true
					}
				},
				"behind": func(c *scene.Call) { // a node learns the version that an owner knows
					from := c.NodeOf("from")
					scene.On[*actor](c, c.Node(0)).machine.MaybeBehind(from.Peer(), news.ID,
						scene.On[*actor](c, from).owned.version)
				},
				"ask": func(c *scene.Call) { // a node asks another what it sees
					scene.On[*actor](c, c.Node(0)).env.Send(c.NodeOf("of").Peer(), &Verify{Channel: news.ID})
				},
				"show polls": func(c *scene.Call) { // out of turn
					for _, n := range c.Nodes() {
						asked := scene.On[*actor](c, n).asked
						c.Printf("%s has polled %d times for others\n", n.Name(),
							len(slices.DeleteFunc(slices.Clone(asked), func(s string) bool { return s != "origin" })))
					}
				},
				"show held": func(c *scene.Call) {
					for _, n := range c.Nodes() {
						a := scene.On[*actor](c, n)
						c.Printf("%s has %d %q\n", n.Name(), a.version>>tagBits, a.held)
					}
				},
			},
			// before clocks are set: numbers count from one
			Configure: func(c *sim.Config) { c.Epoch = time.Unix(100, 0) },
		})
	}
}

func publishCommand(c *scene.Call) {
	text, to := c.Need("text"), c.Plain()
	for _, n := range c.Cast() {
		if n.Up() && (len(to) == 0 || slices.Contains(to, n.Name())) {
			scene.On[*actor](c, n).content = text
		}
	}
}

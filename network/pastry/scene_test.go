package pastry_test

import (
	"strings"
	"testing"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{pastry.Vocabulary, notes},
		Start:        startActor(nil),
		Roles: map[string]sim.Start{
			"ghosts": startActor(nameGhosts),
			"mask":   startActor(claimOthers),
		},
		Commands: map[string]scene.Command{
			"create":       createCommand,
			"join":         joinCommand,
			"route":        routeCommand,
			"show leafset": showLeafSet,
			"show known":   showKnown,
			"show ring":    showRing,
			"show owners":  showOwners,
			"show wedge":   showWedge,
		},
	})
}

// actor is a node of a scene: Pastry, and an application that traces what it is given.
type actor struct {
	*pastry.Node
	env engine.Env
}

// note is what the application sends.
type note struct {
	Text string `cbor:"1,keyasint" max:"64"`
}

// got is traced where a note is delivered.
type got struct {
	Text string
	From engine.Peer
	Hops int
}

func (*note) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }

var notes = engine.Vocabulary{Protocol: engine.Experiment, Name: "app",
	Messages: []engine.MessageType{{Message: new(note)}}}

// config has small leaf sets, so that a ring of eight is one in which not everybody knows all.
func config() pastry.Config {
	c := pastry.Default()
	c.LeafSet = 4
	return c
}

// startActor returns the start of a node, which lies about other peers if lie is not nil.
func startActor(lie lie) sim.Start {
	return func(env engine.Env, _ *sim.Disk) engine.Protocol {
		if lie != nil {
			env = &liar{env, lie}
		}
		a := &actor{pastry.New(env, config()), env}
		a.Handle(engine.Experiment, a)
		return a
	}
}

func (a *actor) Forward(engine.ID, engine.Message, engine.Peer) bool { return true }

func (a *actor) Deliver(_ engine.ID, from engine.Peer, m engine.Message, hops int) {
	a.env.Trace(got{m.(*note).Text, from, hops})
}

// createCommand makes a node a ring of its own: create a3.
func createCommand(c *scene.Call) { scene.On[*actor](c, c.Node(0)).Create() }

// joinCommand has nodes join: join a3 b7 via=c1, or via=(c1, d4).
func joinCommand(c *scene.Call) {
	var seeds []engine.Peer
	for _, name := range c.Values("via") {
		seeds = append(seeds, c.Named(name).Peer())
	}
	for _, n := range c.Nodes() {
		scene.On[*actor](c, n).Join(seeds...)
	}
}

// routeCommand routes a note: route a3 key=b8 text=hello.
func routeCommand(c *scene.Call) {
	scene.On[*actor](c, c.Node(0)).Route(c.ID("key"), &note{c.Text("text", "hello")})
}

// showLeafSet prints leaf sets, each side nearest first: show leafset a3.
func showLeafSet(c *scene.Call) {
	for _, n := range c.Nodes() {
		below, above := scene.On[*actor](c, n).LeafSet()
		c.Printf("%s: below %s above %s\n", n.Name(), c.Format(below), c.Format(above))
	}
}

// showKnown prints the peers that nodes believe in: show known a3.
func showKnown(c *scene.Call) {
	for _, n := range c.Nodes() {
		c.Printf("%s knows %s\n", n.Name(), c.Format(scene.On[*actor](c, n).Known()))
	}
}

// showOwners prints a key's owners in nodes' view: show owners a3 b7 key=c0 k=3.
func showOwners(c *scene.Call) {
	for _, n := range c.Nodes() {
		owners, sure := scene.On[*actor](c, n).Owners(c.ID("key"), c.Int("k", 3))
		c.Printf("%s: %s sure=%v\n", n.Name(), c.Format(owners), sure)
	}
}

// showWedge prints the nodes to which nodes send what concerns a wedge: show wedge a3 key=b0 bits=4.
func showWedge(c *scene.Call) {
	for _, n := range c.Nodes() {
		c.Printf("%s: %s\n", n.Name(), c.Format(scene.On[*actor](c, n).WedgeContacts(c.ID("key"), c.Int("bits", 0))))
	}
}

// showRing prints whether all nodes that are up are active and have their right leaf sets.
func showRing(c *scene.Call) {
	var idle []string
	up := 0
	for _, n := range c.Cast() {
		if n.Up() {
			up++
			if !scene.On[*actor](c, n).Active() {
				idle = append(idle, n.Name())
			}
		}
	}
	ring := &check.Ring{Half: config().LeafSet / 2, Leaves: func(n sim.Node) []engine.Peer {
		below, above := scene.On[*actor](c, c.Cast()[n]).LeafSet()
		return append(below, above...)
	}}
	switch wrong := ring.Wrong(c.World()); {
	case len(idle) > 0:
		c.Printf("ring of %d: not active: %s\n", up, strings.Join(idle, " "))
	case wrong > 0:
		c.Printf("ring of %d: %d leaf sets are wrong\n", up, wrong)
	default:
		c.Printf("ring of %d: every leaf set is right\n", up)
	}
}

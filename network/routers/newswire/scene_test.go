package newswire_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/settled"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

// TestScenes has a scene for each message.
func TestScenes(t *testing.T) {
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: codecVocabularies,
		Start: func(env engine.Env, disk *sim.Disk) engine.Protocol {
			return &actor{env: env, disk: disk, Stack: engine.NewStack(env)}
		},
		Commands: map[string]scene.Command{
			"settle":  settle,
			"publish": publish,
			"join":    join,
			"show":    showGot,
		},
	})
}

var codecVocabularies = []engine.Vocabulary{astrolabe.Vocabulary, newswire.Vocabulary, noteVocabulary}

// actor is a node of a scene, which begins with settle.
type actor struct {
	*engine.Stack
	env  engine.Env
	disk *sim.Disk
	wire *newswire.Node
	got  []uint64
}

// Admit and Deliver are as in network.Member.
func (a *actor) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*sceneNote)
	if !ok {
		return 0, 0, false
	}
	return m.Number, 0, true
}

func (a *actor) Deliver(_ engine.ID, event engine.Message, _ engine.Peer) {
	a.got = append(a.got, event.(*sceneNote).Number)
	a.env.Trace(delivered{event.(*sceneNote).Number})
}

// delivered says that a node has an item.
type delivered struct{ Number uint64 }

// sceneNote is the event of scenes.
type sceneNote struct {
	Number uint64 `cbor:"1,keyasint"`
}

// Kind returns the number of sceneNote.
func (*sceneNote) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 9) }

var noteVocabulary = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "note",
	Messages: []engine.MessageType{{Message: new(sceneNote), Class: engine.Update}},
}

// settle makes a network at rest of all nodes, that all follow topic e1: settle window=1 rate=1 burst=1 catchup=10s
// zones=(a1:/a, b1:/b). With log=disk they keep logs. If it was made before, the nodes that have started again are put
// back into it.
func settle(c *scene.Call) {
	config := newswire.Default()
	config.Window, config.Rate, config.Burst = c.Int("window", config.Window), c.Int("rate", config.Rate),
		c.Int("burst", config.Burst)
	config.CatchUp = c.Duration("catchup", 15*time.Minute)
	topics := []engine.ID{engine.PrefixID("e1")}
	filter := attr.Of(newswire.Attributes(config.Shape.Filter(topics))...)
	zones := make(map[string]zone.Path)
	for _, z := range c.Values("zones") {
		var name, path string
		if _, err := fmt.Sscanf(z, "%2s:%s", &name, &path); err != nil {
			c.Fatalf("%q is no zone", z)
		}
		zones[name] = zone.Path(path)
	}
	var members []settled.Member
	for _, n := range c.Cast() {
		members = append(members, settled.Member{Peer: n.Peer(), Keys: c.World().Keys(n.Number()),
			Zone: zones[n.Name()], Own: filter})
	}
	z := astrolabe.Default()
	z.Small = 0
	rest := settled.New(z, members, sim.Default(c.Codec()).Epoch.Add(c.World().Now()))
	for i, n := range c.Cast() {
		if !c.World().Up(n.Number()) || scene.On[*actor](c, n).wire != nil {
			continue
		}
		a := scene.On[*actor](c, n)
		seams := newswire.Seams{Member: a, Keys: members[i].Keys}
		if c.Has("log") {
			seams.Log = openLog(a.env, a.disk, c.Codec())
		}
		c.World().Do(n.Number(), func(engine.Protocol) {
			zones := astrolabe.New(a.env, z, astrolabe.Seams{Keys: members[i].Keys, Settled: rest.Of(i)})
			a.Add(engine.Astrolabe, zones)
			a.wire = newswire.New(a.env, config, seams, zones)
			zones.Watch(a.wire)
			a.Add(engine.NewsWire, a.wire)
			a.wire.Join(topics[0])
		})
	}
}

// publish has a node publish items on topic e1: publish a1 number=1 count=3 to=/b.
func publish(c *scene.Call) {
	n, number := c.Node(0), c.Int("number", 1)
	topic, to := engine.PrefixID(c.Text("topic", "e1")), zone.Path(c.Text("to", "/"))
	c.World().Do(n.Number(), func(engine.Protocol) {
		for i := range c.Int("count", 1) {
			if err := scene.On[*actor](c, n).wire.Send(to, topic, []engine.ID{topic}, "",
				&sceneNote{uint64(number + i)}); err != nil {
				c.Fatalf("%v", err)
			}
		}
	})
}

func join(c *scene.Call) {
	topic := engine.PrefixID(c.Need("topic"))
	for _, n := range c.Nodes() {
		c.World().Do(n.Number(), func(engine.Protocol) { scene.On[*actor](c, n).wire.Join(topic) })
	}
}

// showGot prints what nodes have got: show a1 b1.
func showGot(c *scene.Call) {
	for _, n := range c.Nodes() {
		c.Printf("%s has %v\n", n.Name(), scene.On[*actor](c, n).got)
	}
}

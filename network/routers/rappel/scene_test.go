package rappel_test

import (
	"encoding/binary"
	"strconv"
	"strings"
	"testing"

	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
	"tidings/network/sim/scene"
	"tidings/network/vivaldi"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{rappel.Vocabulary, routertest.Vocabulary},
		Start:        startActor,
		Commands: map[string]scene.Command{
			"place":        placeCommand,
			"root":         rootCommand,
			"join":         func(c *scene.Call) { eachTopic(c, (*rappel.Node).Join) },
			"leave":        func(c *scene.Call) { eachTopic(c, (*rappel.Node).Leave) },
			"publish":      publishCommand,
			"show tree":    showTree,
			"show friends": showFriends,
		},
	})
}

// actor is a node of a scene. It lies where the script says and knows the roots that the script names.
type actor struct {
	*rappel.Node
	point point
	roots map[engine.ID]engine.Peer
}

func (a *actor) Root(topic engine.ID) engine.Peer { return a.roots[topic] }

// tiny allows two children and two friends, so that a handful of nodes fills a tree. A node looks for better places if
// a scene runs long enough.
func tiny() rappel.Config {
	c := rappel.Default()
	c.Children, c.Friends, c.Fans = 2, 2, 4
	return c
}

func startActor(env engine.Env, disk *sim.Disk) engine.Protocol {
	a := &actor{point: point{vivaldi.Coordinate{Vector: []int32{0, 0}}}, roots: make(map[engine.ID]engine.Peer)}
	a.Node = rappel.New(env, tiny(), rappel.Seams{Member: member{}, Directory: a, Coordinates: &a.point,
		Memory: sceneMemory{disk}})
	return a
}

// sceneMemory keeps friends on a disk.
type sceneMemory struct{ disk *sim.Disk }

func (m sceneMemory) Friends() (list []engine.Peer) {
	data, _ := m.disk.Get("friends")
	for len(data) >= 22 {
		end := 22 + int(binary.BigEndian.Uint16(data[20:]))
		list = append(list, engine.Peer{ID: engine.ID(data[:20]), Address: engine.Address(data[22:end])})
		data = data[end:]
	}
	return list
}

func (m sceneMemory) Remember(friends []engine.Peer) {
	var data []byte
	for _, p := range friends {
		data = append(data, p.ID[:]...)
		data = binary.BigEndian.AppendUint16(data, uint16(len(p.Address)))
		data = append(data, p.Address...)
	}
	m.disk.Put("friends", data)
}

// topics returns those that an argument names.
func topics(c *scene.Call) (list []engine.ID) {
	for _, name := range c.Values("topic") {
		list = append(list, engine.PrefixID(name))
	}
	if list == nil {
		c.Fatalf("which topic?")
	}
	return list
}

// eachTopic has nodes join or leave: join a1 b2 topic=(e1, e2).
func eachTopic(c *scene.Call, do func(n *rappel.Node, topic engine.ID)) {
	of := topics(c)
	for _, n := range c.Nodes() {
		for _, topic := range of {
			do(scene.On[*actor](c, n).Node, topic)
		}
	}
}

// placeCommand puts nodes at points, in milliseconds: place a1=(10,20) b2=(0,0). Those that are not placed lie at the
// origin.
func placeCommand(c *scene.Call) {
	for _, n := range c.Cast() {
		if at := c.Values(n.Name()); at != nil {
			var v []int32
			for _, text := range at {
				ms, err := strconv.Atoi(strings.TrimSpace(text))
				if err != nil {
					c.Fatalf("%q is no number of milliseconds", text)
				}
				v = append(v, int32(ms*1000))
			}
			scene.On[*actor](c, n).point.at = vivaldi.Coordinate{Vector: v}
		}
	}
}

// rootCommand sets the root of topics at all nodes that are up: root a1 topic=e1.
func rootCommand(c *scene.Call) {
	root := c.Node(0)
	for _, topic := range topics(c) {
		for _, n := range c.Cast() {
			if n.Up() {
				a := scene.On[*actor](c, n)
				a.roots[topic] = root.Peer()
				a.RootChanged(topic)
			}
		}
	}
}

// publishCommand publishes a note: publish a1 topic=e1 text=hello.
func publishCommand(c *scene.Call) {
	text := c.Text("text", "")
	id := engine.IDOf([]byte(text))
	m := &routertest.Note{Number: binary.BigEndian.Uint64(id[:]), Text: text}
	for _, topic := range topics(c) {
		scene.On[*actor](c, c.Node(0)).Publish(topic, m)
	}
}

// showTree prints where nodes stand: show tree topic=e1.
func showTree(c *scene.Call) {
	for _, topic := range topics(c) {
		for _, n := range c.Cast() {
			if !n.Up() {
				continue
			}
			v, in := scene.On[*actor](c, n).Tree(topic)
			if !in {
				continue
			}
			var above []engine.Peer
			for _, a := range v.Ancestors {
				above = append(above, a.Peer)
			}
			c.Printf("%s: above %s children %s last %d missing %d\n", n.Name(), c.Format(above), c.Format(v.Children),
				v.Last, v.Missing)
		}
	}
}

// showFriends prints nodes' friends: show friends a1 b2.
func showFriends(c *scene.Call) {
	for _, n := range c.Nodes() {
		var friends []engine.Peer
		for _, f := range scene.On[*actor](c, n).Friends() {
			friends = append(friends, f.Peer)
		}
		c.Printf("%s: friends %s, %d fans\n", n.Name(), c.Format(friends), scene.On[*actor](c, n).Fans())
	}
}

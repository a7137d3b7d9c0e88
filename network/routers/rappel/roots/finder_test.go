package roots_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/rappel/roots"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// town is a ring of nodes that look for roots.
type town struct {
	*routertest.Nodes[*roots.Finder]
	notified map[sim.Node]int // how often a node was notified that a root is another
}

func newTown(t *simtest.T, nodes int, env func(sim.Node, engine.Env) engine.Env) *town {
	ring := pastry.Default()
	ring.LeafSet = 4 // most nodes cannot see which is the closest
	c := sim.Default(engine.NewCodec(pastry.Vocabulary, roots.Vocabulary))
	c.Wire = true
	v := &town{notified: make(map[sim.Node]int)}
	v.Nodes = routertest.NewNodes(t.World(c), routertest.Setup[*roots.Finder]{
		Nodes: nodes, Ring: &ring, Env: env,
		Build: func(h *routertest.Host[*roots.Finder]) *roots.Finder {
			f := roots.New(h.Env, h.Pastry, nil)
			f.OnRoot(func(engine.ID) { v.notified[h.Number]++ })
			h.Pastry.Handle(engine.Roots, f)
			h.Add(engine.Roots, f)
			return f
		},
	})
	return v
}

func (v *town) look(topic engine.ID) {
	for _, n := range v.Live() {
		v.Do(n, func(engine.Protocol) { v.Node(n).Look(topic) })
	}
}

// wrong returns how many nodes, without those in but, do not know the root of a topic.
func (v *town) wrong(topic engine.ID, but ...sim.Node) (count int) {
	root := v.Peer(v.Root(topic)).ID
	for _, n := range v.Live() {
		known := engine.ID{}
		v.Do(n, func(engine.Protocol) { known = v.Node(n).Root(topic).ID })
		if known != root && (len(but) == 0 || n != but[0]) {
			count++
		}
	}
	return count
}

// All nodes that look for a root know it soon. They also learn another one after it has crashed, or when a closer node
// has come.
func TestRootsAreFound(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newTown(t, 60, nil)
		topic := routertest.Topic(int(t.Seed() % 100))
		if v.wrong(topic) < 30 {
			t.Fatal("nearly all see the root: nothing is tested")
		}
		v.look(topic)
		v.Run(20 * time.Second)
		if n := v.wrong(topic); n > 0 {
			t.Errorf("%d nodes do not know the root", n)
		}
		root := v.Root(topic)
		v.Crash(root)
		v.Settle()
		v.Run(2*roots.Refresh + 30*time.Second)
		if n := v.wrong(topic); n > 0 {
			t.Errorf("%d nodes do not know the root after another", n)
		}
		v.Boot(root)
		v.look(topic)
		v.Settle()
		v.Run(3 * roots.Refresh)
		if n := v.wrong(topic); n > 0 {
			t.Errorf("%d nodes do not know the root that has come back", n)
		}
		for _, n := range v.Live() {
			if v.notified[n] == 0 {
				t.Errorf("node %d was never notified of a root", n)
			}
		}
	})
}

// A node on the way that claims to be the root itself makes others believe it for a round or two at most. So does one
// that names a node that does not exist.
func TestALiarIsNoRoot(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		liar := sim.Node(7)
		var self engine.Peer
		v := newTown(t, 60, func(n sim.Node, env engine.Env) engine.Env {
			if n != liar {
				return env
			}
			self = env.Self()
			return lying{env}
		})
		topic := routertest.Topic(3)
		v.look(topic)
		v.Run(5 * roots.Refresh)
		if n := v.wrong(topic, liar); n > 0 {
			t.Errorf("%d nodes do not know the root, where %v lies", n, self)
		}
	})
}

// lying is the Env of a node that says of itself that it is the closest.
type lying struct{ engine.Env }

func (l lying) Send(to engine.Peer, m engine.Message) {
	if c, ok := m.(*roots.Closest); ok {
		m = &roots.Closest{Topic: c.Topic, Peer: l.Self()}
	}
	l.Env.Send(to, m)
}

package rappel_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/vivaldi"
)

var codec = engine.NewCodec(rappel.Vocabulary, routertest.Vocabulary)

// member admits every note, whichever key has signed it: the router has to find what is forged.
type member struct{ heard network.Member } // nil: nobody listens

func (member) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*routertest.Note)
	if !ok {
		return 0, 0, false
	}
	content := m.Content()
	return binary.BigEndian.Uint64(content[:]), len(m.Text), true
}

func (m member) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	if m.heard != nil {
		m.heard.Deliver(topic, event, from)
	}
}

// point is a node's coordinate, which a test may change.
type point struct{ at vivaldi.Coordinate }

func (p *point) Coordinate() vivaldi.Coordinate { return p.at }
func (p *point) Frozen() bool                   { return true }

// field is nodes on a plane: a message is under way for half of the distance.
type field struct{ points []*point }

func (f *field) Between(_ *rand.Rand, from, to sim.Node) time.Duration {
	return f.points[from].at.Distance(f.points[to].at) / 2
}
func (f *field) Steady() bool { return true }

// friendsOf is the disk of a node: its friends.
type friendsOf struct{ list []engine.Peer }

func (f *friendsOf) Friends() []engine.Peer         { return f.list }
func (f *friendsOf) Remember(friends []engine.Peer) { f.list = friends }

// settings say what a world is like.
type settings struct {
	nodes  int
	config rappel.Config
	env    func(n sim.Node, env engine.Env) engine.Env // to make a liar of it
}

// world is nodes on a plane that know each topic's root by a map.
type world struct {
	*routertest.World[*rappel.Node]
	*field
	noise  *check.Noiseless
	roots  map[engine.ID]sim.Node
	memory []*friendsOf
	traced map[string]int // by the names of events
}

// directory is what a node knows of roots.
type directory struct{ w *world }

func (d directory) Root(topic engine.ID) engine.Peer {
	if n, ok := d.w.roots[topic]; ok {
		return d.w.Peer(n)
	}
	return engine.Peer{}
}

// inTransit is how long updates may still come to a node that has left: what it serves its children.
var inTransit = rappel.Default().Parting + 2*time.Second

func newWorld(c sim.Config, build func(sim.Config) *sim.World, s settings) *world {
	w := &world{field: &field{}, roots: map[engine.ID]sim.Node{}, traced: map[string]int{}}
	chance := rand.New(rand.NewPCG(c.Seed, 0x7a))
	for range s.nodes {
		at := []int32{chance.Int32N(100_000), chance.Int32N(100_000)}
		w.points = append(w.points, &point{vivaldi.Coordinate{Vector: at, Height: 500 + chance.Uint32N(3000)}})
		w.memory = append(w.memory, &friendsOf{})
	}
	c.Latency = w.field
	simulated := build(c)
	simulated.Observe(func(_ time.Duration, _ sim.Node,
		event any) {
		w.traced[fmt.Sprintf("%T", event)[len("rappel."):]]++
	})
	w.noise = &check.Noiseless{Grace: inTransit,
		Except: func(n sim.Node, topic engine.ID) bool { return w.roots[topic] == n }}
	w.World = routertest.New(simulated, routertest.Protocol[*rappel.Node]{
		Carried: carried,
		Build: func(r *routertest.World[*rappel.Node], h *routertest.Host[*rappel.Node]) *rappel.Node {
			n := rappel.New(h.Env, s.config, rappel.Seams{
				Member: member{r.Member(h)}, Directory: directory{w},
				Coordinates: w.points[h.Number], Memory: w.memory[h.Number], Keys: h.Keys(),
			})
			h.Add(engine.Rappel, n)
			return n
		},
	}, routertest.Settings{Nodes: s.nodes, Env: s.env, Checkers: []check.Checker{&check.Complete{}, w.noise}})
	return w
}

// carried says what is noise: updates, and void ones, but no note that is given to a root.
func carried(m engine.Message) (topic engine.ID, ok bool) {
	switch m := m.(type) {
	case *rappel.Update:
		return m.Topic, true
	case *rappel.Void:
		return m.Topic, true
	}
	return engine.ID{}, false
}

// publish sends a new note from a node.
func (w *world) publish(n sim.Node, topic engine.ID) { w.Publish(n, topic, 4) }

// moveRoot makes another node the root, and notifies all nodes that are up.
func (w *world) moveRoot(topic engine.ID, to sim.Node) {
	w.roots[topic] = to
	for _, n := range w.Live() {
		w.Node(n).RootChanged(topic)
	}
}

// tree returns what is wrong with a topic's tree. All members must be in it, with parents less remote than children
// that agree with them. No node may have too many children, and every way up must end at the root.
func (w *world) tree(topic engine.ID, children int) error {
	var wrong []error
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	root := w.roots[topic]
	for _, n := range w.Live() {
		v, in := w.Node(n).Tree(topic)
		if !in {
			if w.Wants(n, topic) {
				complain("member %d is not in its tree", n)
			}
			continue
		}
		if len(v.Children) > children {
			complain("node %d has %d children", n, len(v.Children))
		}
		if n == root {
			continue
		}
		up := n
		for range w.Len() {
			v, in := w.Node(up).Tree(topic)
			if !in || len(v.Ancestors) == 0 {
				complain("the way up from %d ends at %d", n, up)
				break
			}
			next, known := w.NodeAt(v.Ancestors[0].Peer)
			if !known || !w.Up(next) {
				complain("the parent of %d is down", up)
				break
			}
			if next == root {
				break
			}
			if a, b := w.remote(next, root), w.remote(up, root); a > b {
				complain("the parent %d is more remote than %d", next, up)
			}
			up = next
		}
	}
	return errors.Join(wrong...)
}

func (w *world) remote(n, root sim.Node) time.Duration {
	return w.points[n].at.Distance(w.points[root].at)
}

var topic = routertest.Topic

package rappel_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/rappel"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/vivaldi"
)

// note is the event of these worlds.
type note struct {
	Number uint64 `cbor:"1,keyasint"`
	Text   string `cbor:"2,keyasint" max:"2048"`
}

func (*note) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }

func (m *note) content() engine.ID { return engine.IDOf(binary.BigEndian.AppendUint64(nil, m.Number)) }

var notes = engine.Vocabulary{Protocol: engine.Experiment, Name: "app", Messages: []engine.MessageType{{Message: new(note), Class: engine.Update}}}

var codec = engine.NewCodec(rappel.Vocabulary, notes)

// member admits every note.
type member struct{}

func (member) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*note)
	if !ok {
		return 0, 0, false
	}
	content := m.content()
	return binary.BigEndian.Uint64(content[:]), len(m.Text), true
}

func (member) Deliver(engine.ID, engine.Message, engine.Peer) {}

// point is a node's coordinate, which a test may change.
type point struct{ at vivaldi.Coordinate }

func (p *point) Coordinate() vivaldi.Coordinate { return p.at }
func (p *point) Frozen() bool                   { return true }

// field is nodes on a plane: a message takes half of the distance.
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
	nodes    int
	config   rappel.Config
	env      func(n sim.Node, env engine.Env) engine.Env // to make a liar of it
	member   network.Member
	checkers []check.Checker
}

// world is nodes that know each topic's root by a map.
type world struct {
	*sim.World
	*field
	watch  *check.Watch
	noise  *check.Noiseless
	roots  map[engine.ID]sim.Node
	joined [][]engine.ID // by node: what it joins whenever it starts
	memory []*friendsOf
	notes  uint64
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
	w := &world{field: &field{}, roots: map[engine.ID]sim.Node{}, joined: make([][]engine.ID, s.nodes), traced: map[string]int{}}
	c.Latency = w.field
	w.World = build(c)
	w.noise = &check.Noiseless{Grace: inTransit, Except: func(n sim.Node, topic engine.ID) bool { return w.roots[topic] == n }}
	w.watch = check.All(w.World, hear, append([]check.Checker{&check.Once{}, &check.Complete{}, w.noise}, s.checkers...)...)
	w.Observe(func(_ time.Duration, _ sim.Node, event any) { w.traced[fmt.Sprintf("%T", event)[len("rappel."):]]++ })
	w.Tap(w.listen)
	chance := rand.New(rand.NewPCG(c.Seed, 0x7a))
	if s.member == nil {
		s.member = member{}
	}
	for i := range s.nodes {
		n := sim.Node(i)
		p := &point{vivaldi.Coordinate{Vector: []int32{chance.Int32N(100_000), chance.Int32N(100_000)}, Height: 500 + chance.Uint32N(3000)}}
		w.points, w.memory = append(w.points, p), append(w.memory, &friendsOf{})
		w.Add(engine.IDOf(fmt.Append(nil, "node ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			if s.env != nil {
				env = s.env(n, env)
			}
			r := rappel.New(env, s.config, rappel.Seams{Member: s.member, Directory: directory{w}, Coordinates: p, Memory: w.memory[n], Keys: w.Keys(n)})
			if w.Now() > 0 {
				w.watch.Tell(n, check.Forgot{})
			}
			for _, topic := range w.joined[n] {
				w.watch.Tell(n, check.Subscribed{Topic: topic})
				r.Join(topic)
			}
			return r
		})
		w.Boot(n)
	}
	return w
}

func hear(event any, tell func(check.Event)) {
	if e, ok := event.(rappel.Delivered); ok {
		tell(check.Delivered{Topic: e.Topic, Content: e.Event.(*note).content()})
	}
}

// listen tells the oracle of noise of every update, and of every void one, that reaches a node.
func (w *world) listen(p sim.Passage) {
	if p.Fate != sim.Received {
		return
	}
	switch m := p.Message.(type) {
	case *rappel.Update:
		w.watch.Tell(p.To, check.Carried{Topic: m.Topic, Version: m.Stamp.Number})
	case *rappel.Void:
		w.watch.Tell(p.To, check.Carried{Topic: m.Topic, Version: m.Stamp.Number})
	}
}

func (w *world) node(n sim.Node) *rappel.Node { return w.Protocol(n).(*rappel.Node) }

func (w *world) join(n sim.Node, topic engine.ID) {
	w.joined[n] = append(w.joined[n], topic)
	w.watch.Tell(n, check.Subscribed{Topic: topic})
	if w.Up(n) {
		w.node(n).Join(topic)
	}
}

func (w *world) leave(n sim.Node, topic engine.ID) {
	for i, t := range w.joined[n] {
		if t == topic {
			w.joined[n] = append(w.joined[n][:i:i], w.joined[n][i+1:]...)
		}
	}
	w.watch.Tell(n, check.Unsubscribed{Topic: topic})
	if w.Up(n) {
		w.node(n).Leave(topic)
	}
}

func (w *world) wants(n sim.Node, topic engine.ID) bool {
	for _, t := range w.joined[n] {
		if t == topic {
			return true
		}
	}
	return false
}

// publish sends a new note from a node.
func (w *world) publish(n sim.Node, topic engine.ID) {
	w.notes++
	m := &note{Number: w.notes, Text: "news"}
	w.watch.Tell(n, check.Published{Topic: topic, Content: m.content()})
	w.node(n).Publish(topic, m)
}

// moveRoot makes another node the root, and tells everybody who is up.
func (w *world) moveRoot(topic engine.ID, to sim.Node) {
	w.roots[topic] = to
	for n := range sim.Node(w.Len()) {
		if w.Up(n) {
			w.node(n).RootChanged(topic)
		}
	}
}

// tree returns what is wrong with a topic's tree: all members must be in it, parents less remote than children and
// agree with them, nobody with too many children, and every way up must end at the root.
func (w *world) tree(topic engine.ID, children int) error {
	var wrong []error
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	root := w.roots[topic]
	for n := range sim.Node(w.Len()) {
		if !w.Up(n) {
			continue
		}
		v, in := w.node(n).Tree(topic)
		if !in {
			if w.wants(n, topic) {
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
			v, in := w.node(up).Tree(topic)
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

func topic(i int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", i)) }

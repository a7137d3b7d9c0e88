package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/dataset"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/scribe"
	"tidings/network/sim"
)

// note is the event of the groups.
type note struct {
	Number uint64 `cbor:"1,keyasint"`
	Text   []byte `cbor:"2,keyasint" max:"65536"`
}

func (*note) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 5) }

// noteBytes is how long the content of a note is.
const noteBytes = 1000

var noteVocabulary = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "experiment",
	Messages: []engine.MessageType{{Message: new(note), Class: engine.Update}},
}

// planetLab returns latencies between 294 PlanetLab nodes, as they were measured once. Nodes of the world
// are spread over them.
func planetLab(seed uint64) *sim.Matrix { return sim.NewMatrix(seed, dataset.PlanetLab()[0]) }

// groves is a world of Scribe nodes in which groups form trees.
type groves struct {
	run     *lab.Run
	world   *sim.World
	latency *sim.Matrix
	ring    pastry.Config
	config  scribe.Config
	chance  *rand.Rand
	live    []sim.Node // that are up, in no order that means anything
	lives   []int      // by node: how often it has gone

	names   []scribe.Group
	groups  [][]sim.Node // the members of each, in no order that means anything; some may be down
	joined  [][]int      // by node: the groups that it joins whenever it starts
	notes   *notes
	swallow map[sim.Node]bool // who hands nothing on
}

// grove is one incarnation of a node.
type grove struct {
	*engine.Stack
	pastry *pastry.Node
	scribe *scribe.Node
}

func newGroves(run *lab.Run, latency *sim.Matrix, config scribe.Config) *groves {
	c := sim.Default(engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, noteVocabulary))
	c.Seed, c.Latency, c.Connections = run.Seed(), latency, true // nodes notice, as live ones do, when a connection dies
	g := &groves{
		run: run, world: sim.New(c), latency: latency, ring: pastry.Default(), config: config,
		chance: rand.New(rand.NewPCG(run.Seed(), 2)), swallow: make(map[sim.Node]bool),
	}
	g.notes = newNotes(g)
	return g
}

// place makes nodes that are down. Whenever one boots it joins the ring through two others, and then its
// groups.
func (g *groves) place(n int) []sim.Node {
	nodes := make([]sim.Node, n)
	for i := range nodes {
		number := sim.Node(g.world.Len())
		g.joined, g.lives = append(g.joined, nil), append(g.lives, 0)
		nodes[i] = g.world.Add(g.id(), func(env engine.Env, _ *sim.Disk) engine.Protocol { return g.start(number, env) })
	}
	return nodes
}

func (g *groves) id() (id engine.ID) {
	for i := range id {
		id[i] = byte(g.chance.Uint32())
	}
	return id
}

func (g *groves) start(number sim.Node, env engine.Env) *grove {
	env = swallower{env, g.swallow, number, make(map[uint32]uint64)}
	n := &grove{Stack: engine.NewStack(env), pastry: pastry.New(env, g.ring)}
	n.scribe = scribe.New(env, n.pastry, reader{}, g.config)
	n.pastry.Handle(engine.Scribe, n.scribe)
	n.Add(engine.Pastry, n.pastry)
	n.Add(engine.Scribe, n.scribe)
	if len(g.live) == 0 {
		n.pastry.Create()
	} else {
		n.pastry.Join(g.world.Peer(g.someone()), g.world.Peer(g.someone()))
	}
	g.live = append(g.live, number)
	for _, group := range g.joined[number] {
		n.join(g.names[group])
	}
	return n
}

func (g *groves) at(n sim.Node) *grove { return g.world.Protocol(n).(*grove) }

// someone returns a live node that is part of the ring.
func (g *groves) someone() sim.Node {
	for {
		if n := g.live[g.chance.IntN(len(g.live))]; g.at(n).pastry.Active() {
			return n
		}
	}
}

// gone takes note of a node that has gone.
func (g *groves) gone(n sim.Node) {
	i, last := slices.Index(g.live, n), len(g.live)-1
	g.live[i] = g.live[last]
	g.live = g.live[:last]
	g.lives[n]++
}

// grow boots nodes and gives them time to settle.
func (g *groves) grow(nodes []sim.Node, settle time.Duration, share float64) error {
	g.run.Stage("joining", share*2/3)
	for booted := 0; booted < len(nodes); {
		for range max(1, int(float64(booted)*growth)) {
			if booted < len(nodes) {
				g.world.Boot(nodes[booted])
				booted++
			}
		}
		if err := g.run.Pass(g.world, 100*time.Millisecond); err != nil {
			return err
		}
		g.run.Part(booted, len(nodes))
	}
	g.run.Stage("settling", share/3)
	return g.run.Advance(g.world, settle)
}

// groupZipf is the exponent of the groups' sizes: that of the paper (section 4.2).
const groupZipf = 1.25

// sizeOf returns how many members the group with a rank from 1 has, among so many nodes.
func sizeOf(rank, nodes, least int) int {
	size := int(float64(nodes)*math.Pow(float64(rank), -groupZipf) + 0.5)
	return min(max(size, least), nodes)
}

// form gives groups members, drawn by chance. The trees are rooted at their topics or each at one of the
// members.
func (g *groves) form(groups, least int, atMembers bool) {
	for i := range groups {
		nodes := slices.Clone(g.live)
		g.chance.Shuffle(len(nodes), func(a, b int) { nodes[a], nodes[b] = nodes[b], nodes[a] })
		nodes = nodes[:sizeOf(i+1, len(nodes), least)]
		name := scribe.Group{Topic: topicOf(i)}
		if atMembers {
			name.Key = g.world.Peer(nodes[0]).ID
		}
		g.groups, g.names = append(g.groups, nodes), append(g.names, name)
		for _, n := range nodes {
			g.joined[n] = append(g.joined[n], i)
			g.world.Do(n, func(engine.Protocol) { g.at(n).join(name) })
		}
	}
}

func (n *grove) join(name scribe.Group) {
	if name.Key == (engine.ID{}) {
		n.scribe.Join(name.Topic)
	} else {
		n.scribe.JoinAt(name.Topic, name.Key)
	}
}

func (n *grove) publish(name scribe.Group, m *note) {
	if name.Key == (engine.ID{}) {
		n.scribe.Publish(name.Topic, m)
	} else {
		n.scribe.PublishAt(name.Topic, name.Key, m)
	}
}

// rootOf returns the live node that should be the root of a group.
func (g *groves) rootOf(group int) sim.Node {
	key := g.names[group].Key
	if key == (engine.ID{}) {
		key = g.names[group].Topic
	}
	root := g.live[0]
	for _, n := range g.live {
		if engine.Closer(key, g.world.Peer(n).ID, g.world.Peer(root).ID) {
			root = n
		}
	}
	return root
}

func topicOf(group int) engine.ID { return engine.IDOf(fmt.Append(nil, "group ", group)) }

// reader is who the notes are for. What is delivered shows in the trace.
type reader struct{}

// Admit admits every note.
func (reader) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*note)
	if !ok {
		return 0, 0, false
	}
	return m.Number, len(m.Text), true
}

// Deliver does nothing.
func (reader) Deliver(engine.ID, engine.Message, engine.Peer) {}

// swallower is the Env of a node that may hand no events on. Half of those who do not hide it: they say
// that there has been nothing to hand on.
type swallower struct {
	engine.Env
	who    map[sim.Node]bool
	self   sim.Node
	hidden map[uint32]uint64 // Disseminates that were swallowed, by line
}

func (s swallower) Send(to engine.Peer, m engine.Message) {
	if !s.who[s.self] {
		s.Env.Send(to, m)
		return
	}
	sly := s.self%2 == 0
	switch m := m.(type) {
	case *scribe.Disseminate:
		s.hidden[m.Line]++
	case *scribe.Missed:
	case *scribe.Heartbeat:
		told := *m
		if sly {
			told.Sent -= s.hidden[m.Line]
		}
		s.Env.Send(to, &told)
	case *scribe.Joined:
		told := *m
		if sly {
			told.Sent -= s.hidden[m.Line]
			told.Missed = 0
		}
		s.Env.Send(to, &told)
	case *scribe.Compared:
		told := *m
		if sly {
			told.Missed = 0
		}
		s.Env.Send(to, &told)
	default:
		s.Env.Send(to, m)
	}
}

// ran takes note of the world's end, unless it came early.
func (g *groves) ran(err error) error {
	if err == nil {
		g.run.Ran(g.world)
	}
	return err
}

package trees

import (
	"fmt"
	"math"
	"slices"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/scribe"
	"tidings/network/sim"
)

// scribeWorld is a world of Scribe nodes in which groups form trees.
type scribeWorld struct {
	*testnet.Ring
	latency *sim.Matrix
	config  scribe.Config

	names   []scribe.Group
	groups  [][]sim.Node       // the members of each, in no order that means anything; some may be down
	joined  map[sim.Node][]int // by node: the groups that it joins whenever it starts
	notes   *notes
	swallow map[sim.Node]bool // who hands nothing on
}

// scribeNode is one incarnation of a node.
type scribeNode struct {
	*engine.Stack
	pastry *pastry.Node
	scribe *scribe.Node
}

func newScribeWorld(run *lab.Run, latency *sim.Matrix, config scribe.Config) *scribeWorld {
	c := sim.Default(engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, testnet.NoteVocabulary))
	c.Latency, c.Connections = latency, true // nodes notice, as live ones do, when a connection dies
	g := &scribeWorld{
		Ring: testnet.NewRing(run, c, 2), latency: latency, config: config, joined: make(map[sim.Node][]int), swallow: make(map[sim.Node]bool),
	}
	g.Start = g.start
	g.notes = newNotes(g)
	return g
}

// start makes a node, which joins the ring, and then its groups.
func (g *scribeWorld) start(number sim.Node, env engine.Env) engine.Protocol {
	env = swallower{env, g.swallow, number, make(map[uint32]uint64)}
	n := &scribeNode{Stack: engine.NewStack(env), pastry: pastry.New(env, g.Config)}
	n.scribe = scribe.New(env, n.pastry, testnet.Reader{}, g.config)
	n.pastry.Handle(engine.Scribe, n.scribe)
	n.Add(engine.Pastry, n.pastry)
	n.Add(engine.Scribe, n.scribe)
	g.Enter(number, n.pastry)
	for _, group := range g.joined[number] {
		n.join(g.names[group])
	}
	return n
}

func (g *scribeWorld) at(n sim.Node) *scribeNode { return g.Protocol(n).(*scribeNode) }

// groupZipf is the exponent of the groups' sizes: that of the paper (section 4.2).
const groupZipf = 1.25

// sizeOf returns how many members the group with a rank from 1 has, among so many nodes.
func sizeOf(rank, nodes, least int) int {
	size := int(float64(nodes)*math.Pow(float64(rank), -groupZipf) + 0.5)
	return min(max(size, least), nodes)
}

// form gives groups members, drawn by chance. The trees are rooted at their topics or each at one of the members.
func (g *scribeWorld) form(groups, least int, atMembers bool) {
	for i := range groups {
		nodes := slices.Clone(g.Live)
		g.Chance.Shuffle(len(nodes), func(a, b int) { nodes[a], nodes[b] = nodes[b], nodes[a] })
		g.add(nodes[:sizeOf(i+1, len(nodes), least)], atMembers)
	}
}

// add adds a group with these members, whose tree is rooted at its topic or at the first of them.
func (g *scribeWorld) add(members []sim.Node, atFirst bool) {
	i := len(g.groups)
	name := scribe.Group{Topic: topicOf(i)}
	if atFirst {
		name.Key = g.Peer(members[0]).ID
	}
	g.groups, g.names = append(g.groups, members), append(g.names, name)
	for _, n := range members {
		g.joined[n] = append(g.joined[n], i)
		g.Do(n, func(engine.Protocol) { g.at(n).join(name) })
	}
}

func (n *scribeNode) join(name scribe.Group) {
	if name.Key == (engine.ID{}) {
		n.scribe.Join(name.Topic)
	} else {
		n.scribe.JoinAt(name.Topic, name.Key)
	}
}

func (n *scribeNode) publish(name scribe.Group, m *testnet.Note) {
	if name.Key == (engine.ID{}) {
		n.scribe.Publish(name.Topic, m)
	} else {
		n.scribe.PublishAt(name.Topic, name.Key, m)
	}
}

// rootOf returns the live node that should be the root of a group.
func (g *scribeWorld) rootOf(group int) sim.Node {
	key := g.names[group].Key
	if key == (engine.ID{}) {
		key = g.names[group].Topic
	}
	root := g.Live[0]
	for _, n := range g.Live {
		if engine.Closer(key, g.Peer(n).ID, g.Peer(root).ID) {
			root = n
		}
	}
	return root
}

func topicOf(group int) engine.ID { return engine.IDOf(fmt.Append(nil, "group ", group)) }

// swallower is the Env of a node that may hand no events on. Half of those who do not hide it: they say that there has been nothing to hand on.
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

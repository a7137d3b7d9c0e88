package trees

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/stats"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/latency"
)

// scribeWorld is a world of Scribe nodes in which groups form trees.
type scribeWorld struct {
	*testnet.Ring
	latency *latency.Matrix
	config  scribe.Config

	names   []scribe.Group
	keys    []engine.ID        // by group: its root is the node that is closest to that
	groups  [][]sim.Node       // the members of each, in no order that means anything; some may be down
	joined  map[sim.Node][]int // by node: the groups that it joins whenever it starts
	notes   *notes
	swallow map[sim.Node]bool // nodes that forward nothing
}

// scribeNode is one incarnation of a node.
type scribeNode struct {
	*engine.Stack
	pastry *pastry.Node
	scribe *scribe.Node
}

func newScribeWorld(run *lab.Run, latency *latency.Matrix, config scribe.Config) *scribeWorld {
	c := sim.Default(engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, testnet.NoteVocabulary))
	c.Latency, c.Connections = latency, true // nodes notice, as live ones do, when a connection dies
	g := &scribeWorld{
		Ring: testnet.NewRing(run, c, 2), latency: latency, config: config, joined: make(map[sim.Node][]int),
		swallow: make(map[sim.Node]bool),
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
		n.scribe.JoinAt(g.names[group].Topic, g.keys[group])
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

// add adds a group with these members. Its tree is rooted at its topic or at the first of them.
func (g *scribeWorld) add(members []sim.Node, atFirst bool) {
	i := len(g.groups)
	topic := engine.IDOf(fmt.Append(nil, "group ", i))
	key := topic
	if atFirst {
		key = g.Peer(members[0]).ID
	}
	g.groups, g.names, g.keys = append(g.groups, members), append(g.names, scribe.NameOf(topic, key)),
		append(g.keys, key)
	for _, n := range members {
		g.joined[n] = append(g.joined[n], i)
		g.Do(n, func(engine.Protocol) { g.at(n).scribe.JoinAt(topic, key) })
	}
}

// rootOf returns the live node that should be the root of a group.
func (g *scribeWorld) rootOf(group int) sim.Node {
	key, root := g.keys[group], g.Live[0]
	for _, n := range g.Live {
		if engine.Closer(key, g.Peer(n).ID, g.Peer(root).ID) {
			root = n
		}
	}
	return root
}

// swallower is the Env of a node that may forward no events. Half of the nodes that forward none hide it: they claim
// that there has been nothing to forward.
type swallower struct {
	engine.Env
	swallowing map[sim.Node]bool
	self       sim.Node
	hidden     map[uint32]uint64 // Disseminates that were swallowed, by line
}

func (s swallower) Send(to engine.Peer, m engine.Message) {
	if !s.swallowing[s.self] {
		s.Env.Send(to, m)
		return
	}
	sly := s.self%2 == 0
	switch m := m.(type) {
	case *scribe.Disseminate:
		s.hidden[m.Line]++
	case *scribe.Missed:
	case *scribe.Heartbeat:
		changed := *m
		if sly {
			changed.Sent -= s.hidden[m.Line]
		}
		s.Env.Send(to, &changed)
	case *scribe.Joined:
		changed := *m
		if sly {
			changed.Sent -= s.hidden[m.Line]
			changed.Missed = 0
		}
		s.Env.Send(to, &changed)
	case *scribe.Compared:
		changed := *m
		if sly {
			changed.Missed = 0
		}
		s.Env.Send(to, &changed)
	default:
		s.Env.Send(to, m)
	}
}

// notes are the events that were published in a world, and what became of them.
type notes struct {
	world  *scribeWorld
	all    []*published // by number, from 1
	copies map[hop]int  // of events, by the two nodes between which they went; see count

	watched map[scribe.Group]*published // the latest of each group, if it is to be known when its root has it
}

type published struct {
	group int
	by    sim.Node
	root  sim.Node
	at    time.Duration
	due   []dueAt
	came  map[sim.Node]time.Duration // after how long
	begun time.Duration              // after how long the root had it, if that is watched
	left  bool                       // its publisher left within leftEarly
}

// dueAt is a member to which an event is due, and which of its lives it lived then.
type dueAt struct {
	node sim.Node
	life int
}

type hop struct{ from, to sim.Node }

func newNotes(g *scribeWorld) *notes {
	s := &notes{world: g, copies: make(map[hop]int), watched: make(map[scribe.Group]*published)}
	g.Observe(func(at time.Duration, n sim.Node, event any) {
		switch e := event.(type) {
		case scribe.Came:
			if p := s.watched[e.Group]; p != nil && p.root == n {
				p.begun = at - p.at
				delete(s.watched, e.Group)
			}
		case scribe.Delivered:
			p := s.all[e.Event.(*testnet.Note).Number-1]
			if _, again := p.came[n]; !again {
				p.came[n] = at - p.at
			}
		}
	})
	return s
}

func (s *notes) count() {
	s.world.Tap(func(p sim.Delivery) {
		if p.Fate != sim.Sent {
			return
		}
		switch p.Message.(type) {
		case *scribe.Publish, *scribe.Disseminate, *scribe.Missed:
			s.copies[hop{p.From, p.To}]++
		}
	})
}

// publish has a live member of a group publish an event, the first one or any. Due are the members that are up.
func (s *notes) publish(group int, first bool) *published {
	g := s.world
	p := &published{group: group, at: g.Now(), came: make(map[sim.Node]time.Duration)}
	for _, n := range g.groups[group] {
		if g.Up(n) {
			p.due = append(p.due, dueAt{n, g.Left[n]})
		}
	}
	if len(p.due) == 0 {
		return nil
	}
	if p.by = p.due[0].node; !first {
		p.by = p.due[g.Chance.IntN(len(p.due))].node
	}
	s.send(p)
	return p
}

func (s *notes) send(p *published) {
	s.all = append(s.all, p)
	m := testnet.NewNote(len(s.all))
	s.world.Do(p.by, func(engine.Protocol) {
		s.world.at(p.by).scribe.PublishAt(s.world.names[p.group].Topic, s.world.keys[p.group], m)
	})
}

// leftEarly is how long a publisher must stay, so that an event which no other node ever has counts as lost: a root
// that is sent it in vain is sent it again within that.
const leftEarly = 5 * time.Second

// gone notes that a node has gone, and which events it may have published to nobody.
func (g *scribeWorld) gone(n sim.Node) {
	g.Gone(n)
	for _, p := range slices.Backward(g.notes.all) {
		if g.Now()-p.at > leftEarly {
			break
		}
		p.left = p.left || p.by == n
	}
}

// outcome is what became of some events, at members that have been up ever since they were published.
type outcome struct {
	due    int
	delays []float64 // in seconds, ascending; those of the publishers left out
}

func (s *notes) outcome(events []*published) (o outcome) {
	for _, p := range events {
		if p.left && len(p.came) <= 1 {
			continue // nobody else could know of it
		}
		for _, d := range p.due {
			if d.node == p.by || s.world.Left[d.node] != d.life {
				continue
			}
			o.due++
			if after, ok := p.came[d.node]; ok {
				o.delays = append(o.delays, after.Seconds())
			}
		}
	}
	slices.Sort(o.delays)
	return o
}

func (o outcome) share(within time.Duration) float64 {
	n, _ := slices.BinarySearch(o.delays, within.Seconds()+1e-9)
	return float64(n) / float64(max(o.due, 1))
}

// within returns after how many seconds a share of all that were delivered had come.
func (o outcome) within(share float64) float64 { return stats.Quantile(o.delays, share) }

package corona

import (
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
)

// planNet is a ring of nodes that poll, with an oracle that sees all of them. Channels are put into
// the tables of their owners directly.
type planNet struct {
	t        testing.TB
	world    *sim.World
	config   Config
	chance   *rand.Rand
	channels []Channel
	readers  map[engine.ID]int
}

// member is one incarnation of a node of a plane.
type member struct {
	*engine.Stack
	pastry *pastry.Node
	corona *Node
	poller *recordingPoller
}

// recordingPoller is a Poller that only notes what it is to do.
type recordingPoller struct {
	env     engine.Env
	began   time.Duration // by the world's clock, when the node started
	tasks   map[engine.ID]Task
	begun   int // polls that began, or moved
	stopped int
}

func (p *recordingPoller) Poll(c Channel, t Task) {
	p.tasks[c.ID] = t
	p.begun++
}

func (p *recordingPoller) Stop(channel engine.ID) {
	delete(p.tasks, channel)
	p.stopped++
}

func (p *recordingPoller) Verify(Channel) {}

func (p *recordingPoller) FirstPoll(engine.ID) time.Duration { return 0 }

// emptyLibrary is a Library without books.
type emptyLibrary struct{}

func (emptyLibrary) Held(engine.ID) (uint64, Hash)             { return 0, Hash{} }
func (emptyLibrary) Content(engine.ID) Hash                    { return Hash{} }
func (emptyLibrary) Relay(Channel)                             {}
func (emptyLibrary) Release(engine.ID)                         {}
func (emptyLibrary) Take(*Update)                              {}
func (emptyLibrary) Lend(_ engine.ID, _ Hash, f func(*Update)) { f(nil) }

var planNetCodec = engine.NewCodec(pastry.Vocabulary, Vocabulary)

// newPlanNet returns a ring that is right, of nodes that have just started.
func newPlanNet(t testing.TB, seed uint64, nodes int, c Config, change ...func(*sim.Config)) *planNet {
	sc := sim.Default(planNetCodec)
	sc.Seed, sc.Wire = seed, !testing.Short() && seed%4 == 1 // the codec takes a third of the time
	for _, f := range change {
		f(&sc)
	}
	p := &planNet{t: t, world: sim.New(sc), config: c, chance: rand.New(rand.NewPCG(seed, 11)), readers: make(map[engine.ID]int)}
	t.Logf("seed %d", seed)
	for i := range nodes {
		p.add()
		p.world.Boot(sim.Node(i))
		p.world.Run(100 * time.Millisecond)
	}
	p.world.Run(15 * time.Minute)
	return p
}

// add makes a node that is down; it joins by two others whenever it starts.
func (p *planNet) add() sim.Node { return p.addID(p.id()) }

func (p *planNet) addID(id engine.ID) sim.Node {
	return p.world.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol {
		m := &member{
			Stack: engine.NewStack(env), pastry: pastry.New(env, pastry.Default()),
			poller: &recordingPoller{env: env, began: p.world.Now(), tasks: make(map[engine.ID]Task)},
		}
		m.corona = New(env, m.pastry, nil, m.poller, emptyLibrary{}, p.config)
		m.pastry.Handle(engine.Corona, m.corona)
		m.Add(engine.Pastry, m.pastry)
		m.Add(engine.Corona, m.corona)
		up := p.active()
		if len(up) == 0 {
			m.pastry.Create()
		} else {
			m.pastry.Join(p.world.Peer(up[p.chance.IntN(len(up))]), p.world.Peer(up[p.chance.IntN(len(up))]))
		}
		return m
	})
}

func (p *planNet) id() (id engine.ID) {
	for i := range id {
		id[i] = byte(p.chance.Uint32())
	}
	return id
}

func (p *planNet) member(n sim.Node) *member { return p.world.Protocol(n).(*member) }

// active returns the nodes that are part of the ring.
func (p *planNet) active() (nodes []sim.Node) {
	for n := range sim.Node(p.world.Len()) {
		if p.world.Up(n) && p.member(n).pastry.Active() {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// primary returns the node that is closest to a channel.
func (p *planNet) primary(channel engine.ID) sim.Node {
	up := p.active()
	peers := make([]engine.Peer, len(up))
	for i, n := range up {
		peers[i] = p.world.Peer(n)
	}
	return up[engine.Closest(channel, peers)]
}

// subscribe has so many readers of a channel appear in the tables of its owners.
func (p *planNet) subscribe(url string, readers int) Channel {
	c := Channel{ID: engine.IDOf([]byte(url)), URL: url}
	p.channels = append(p.channels, c)
	p.readers[c.ID] = readers
	n := p.primary(c.ID)
	p.world.Do(n, func(engine.Protocol) { p.member(n).corona.subscribeHere(c, readers) })
	return c
}

// pollers returns who polls a channel.
func (p *planNet) pollers(channel engine.ID) (nodes []sim.Node) {
	for _, n := range p.active() {
		if _, ok := p.member(n).poller.tasks[channel]; ok {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// level returns the level that a channel's primary has chosen.
func (p *planNet) level(channel engine.ID) int {
	return p.member(p.primary(channel)).corona.roster.Find(channel).bits
}

// wedge returns who should poll a channel.
func (p *planNet) wedge(channel engine.ID) (nodes []sim.Node) {
	bits := p.level(channel)
	if bits == alone {
		return []sim.Node{p.primary(channel)}
	}
	primary := p.primary(channel)
	for _, n := range p.active() {
		if n == primary || p.world.Peer(n).ID.CommonBits(channel) >= bits {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// subscribeHere puts so many readers into the table of a channel's primary.
func (n *Node) subscribeHere(c Channel, readers int) {
	o := n.roster.own(c)
	s := Subscription{Node: n.Env.Self(), Count: uint32(readers), Stamp: o.readers.total + 1}
	if n.roster.merge(o, &s) != kept {
		panic("corona: a subscription was not kept")
	}
}

// planNetConfig returns Default for channels that have one subscription, which is never renewed.
func planNetConfig() Config {
	c := Default()
	c.MaxCount, c.Forget = 1<<20, 1000*time.Hour
	return c
}

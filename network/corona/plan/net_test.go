package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tidings/lab/effort"
	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
	"tidings/network/pastry"
	"tidings/network/sim"
)

// net is a ring of nodes that plan, with an oracle that sees all of them. The oracle reports primaries and readers to
// them.
type net struct {
	t        testing.TB
	world    *sim.World
	config   Config
	chance   *rand.Rand
	channels []machine.Channel
	readers  map[engine.ID]int
	updates  map[engine.ID]time.Duration // mean times between updates, where they are known
	limits   map[engine.ID]Limits
	sets     map[engine.ID]Set // known to the owners; slots are by the world's clock
	unproved bool              // no reader can be proved
	signs    bool              // nodes that start from now on have keys
}

// member is one incarnation of a node.
type member struct {
	*engine.Stack
	net      *net
	env      engine.Env
	began    time.Duration // by the world's clock
	pastry   *pastry.Node
	plan     *Plan
	recorder *recorder
	primary  map[engine.ID]bool
}

// recorder is a Poller that only notes what it is to do.
type recorder struct {
	tasks  map[engine.ID]Task
	begun  int                     // polls that began, or moved
	before func(channel engine.ID) // called before a task ends or changes; may be nil
}

func (r *recorder) Poll(c machine.Channel, t Task) {
	if r.before != nil {
		r.before(c.ID)
	}
	r.tasks[c.ID] = t
	r.begun++
}

func (r *recorder) Stop(channel engine.ID) {
	if r.before != nil {
		r.before(channel)
	}
	delete(r.tasks, channel)
}

// corona is a member as the application of Corona's messages on its ring.
type corona struct{ m *member }

func (c corona) Receive(from engine.Peer, msg engine.Message)                       { c.m.plan.Receive(from, msg) }
func (c corona) PeerDown(p engine.Peer)                                             { c.m.plan.PeerDown(p) }
func (c corona) Stop()                                                              {}
func (c corona) Deliver(engine.ID, engine.Peer, engine.Message, int)                {}
func (c corona) Forward(_ engine.ID, _ engine.Message, _ engine.Peer) (passes bool) { return true }

// Factors and the methods below make a member the Host of its plan.
func (m *member) Factors(channel engine.ID) honeycomb.Factors {
	return honeycomb.Factors{Subscribers: uint32(m.net.readers[channel]), Update: m.net.updates[channel]}
}
func (m *member) Limits(channel engine.ID) Limits            { return m.net.limits[channel] }
func (m *member) Most(engine.ID) (float64, bool)             { return 0, false }
func (m *member) Proved(machine.Channel, machine.Size) bool  { return !m.net.unproved }
func (m *member) Asking(engine.ID) bool                      { return false }
func (m *member) Waits(engine.ID, time.Duration)             {}
func (m *member) MayJoin(machine.Channel, machine.Size) bool { return true }
func (m *member) Ended(engine.ID)                            {}
func (m *member) Held(engine.ID) uint64                      { return 0 }
func (m *member) Learned(engine.Peer, engine.ID, uint64)     {}
func (m *member) Planned()                                   {}

// Moved updates the other owners.
func (m *member) Moved(channel engine.ID) {
	s := m.plan.Set(channel)
	s.Slot += m.began
	m.net.sets[channel] = s
}

// lookAgain lets a node notice its channels once it is part of the ring: it may not have been when its neighbours last
// changed.
func (m *member) lookAgain() {
	m.env.After(20*time.Second, func() {
		if m.look(); !m.pastry.Active() {
			m.lookAgain()
		}
	})
}

// look has a node notice what it is primary of.
func (m *member) look() {
	if !m.pastry.Active() {
		return
	}
	for _, c := range m.net.channels {
		m.lookAt(c)
	}
}

func (m *member) lookAt(c machine.Channel) {
	owners, _ := m.pastry.Owners(c.ID, 1)
	if len(owners) == 0 {
		return
	}
	primary := owners[0].ID == m.env.Self().ID
	readers := m.net.readers[c.ID] > 0
	if primary == m.primary[c.ID] && readers {
		return
	}
	if primary && !m.primary[c.ID] {
		if s, ok := m.net.sets[c.ID]; ok {
			s.Slot -= m.began
			m.plan.Adopt(c, s)
		}
	}
	m.primary[c.ID] = primary
	m.plan.Changed(c, Standing{Primary: primary && readers, Informed: true, Ended: !readers, Next: owners[0]})
	if primary {
		m.Moved(c.ID)
	}
}

var codec = engine.NewCodec(pastry.Vocabulary,
	engine.Vocabulary{Protocol: engine.Corona, Name: "corona", Messages: Messages})

// newNet returns a ring that is right, of nodes that have just started.
func newNet(t testing.TB, seed uint64, nodes int, c Config, change ...func(*sim.Config)) *net {
	sc := sim.Default(codec)
	sc.Seed, sc.Wire = seed, !testing.Short() && seed%4 == 1 // the codec needs a third of the time
	for _, f := range change {
		f(&sc)
	}
	p := &net{
		t: t, world: sim.New(sc), config: c, chance: rand.New(rand.NewPCG(seed, 11)), readers: make(map[engine.ID]int),
		updates: make(map[engine.ID]time.Duration), limits: make(map[engine.ID]Limits), sets: make(map[engine.ID]Set),
	}
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
func (p *net) add() sim.Node { return p.addID(p.id()) }

func (p *net) addID(id engine.ID) sim.Node {
	return p.world.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol {
		m := &member{
			Stack: engine.NewStack(env), net: p, env: env, began: p.world.Now() - env.Now(),
			pastry:   pastry.New(env, pastry.Default()),
			recorder: &recorder{tasks: make(map[engine.ID]Task)}, primary: make(map[engine.ID]bool),
		}
		base := machine.Base{Env: env, Ring: m.pastry, Seed: env.Rand().Uint64()}
		if n, _ := p.world.NodeAt(env.Self()); p.signs {
			base.Keys = p.world.Keys(n)
		}
		m.plan = New(base, m, m.recorder, p.config)
		m.pastry.OnNeighbours(func() {
			m.plan.NeighboursChanged()
			env.After(time.Second, m.look)
		})
		m.lookAgain()
		m.pastry.Handle(engine.Corona, corona{m})
		m.Add(engine.Pastry, m.pastry)
		m.Add(engine.Corona, corona{m})
		up := p.active()
		if len(up) == 0 {
			m.pastry.Create()
		} else {
			m.pastry.Join(p.world.Peer(up[p.chance.IntN(len(up))]), p.world.Peer(up[p.chance.IntN(len(up))]))
		}
		return m
	})
}

func (p *net) id() (id engine.ID) {
	for i := range id {
		id[i] = byte(p.chance.Uint32())
	}
	return id
}

func (p *net) member(n sim.Node) *member { return p.world.Protocol(n).(*member) }

// active returns the nodes that are part of the ring.
func (p *net) active() (nodes []sim.Node) {
	for n := range sim.Node(p.world.Len()) {
		if p.world.Up(n) && p.member(n).pastry.Active() {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// primary returns the node that is closest to a channel.
func (p *net) primary(channel engine.ID) sim.Node {
	up := p.active()
	peers := make([]engine.Peer, len(up))
	for i, n := range up {
		peers[i] = p.world.Peer(n)
	}
	return up[engine.Closest(channel, peers)]
}

// subscribe sets a channel's number of readers.
func (p *net) subscribe(url string, readers int) machine.Channel {
	c := machine.Channel{ID: engine.IDOf([]byte(url)), URL: url}
	if _, known := p.readers[c.ID]; !known {
		p.channels = append(p.channels, c)
	}
	p.readers[c.ID] = readers
	n := p.primary(c.ID)
	p.world.Do(n, func(engine.Protocol) { p.member(n).lookAt(c) })
	return c
}

// pollers returns the nodes that poll a channel.
func (p *net) pollers(channel engine.ID) (nodes []sim.Node) {
	for _, n := range p.active() {
		if _, ok := p.member(n).recorder.tasks[channel]; ok {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// size returns the size that a channel's primary has chosen.
func (p *net) size(channel engine.ID) machine.Size {
	_, size := p.member(p.primary(channel)).plan.Pollers(channel)
	return size
}

// set returns the nodes that should poll a channel.
func (p *net) set(channel engine.ID) (nodes []sim.Node) {
	arc, primary := machine.ArcOf(channel, p.size(channel)), p.primary(channel)
	for _, n := range p.active() {
		if n == primary || arc.Contains(p.world.Peer(n).ID) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// testConfig returns what a network has by default, with loads counted in polls.
func testConfig() Config {
	return Config{
		Interval: 30 * time.Minute, Maintenance: time.Hour, AssignmentsLast: 3, AggregateEvery: 10 * time.Minute,
		LoadInPolls: true, Digit: 4, MaxPolled: 1 << 20,
	}
}

// checkSets checks that members of polling sets poll, and nobody else.
func (p *net) checkSets() {
	p.t.Helper()
	wrong := 0
	for _, c := range p.channels {
		if got, want := p.pollers(c.ID), p.set(c.ID); !slices.Equal(got, want) {
			if wrong++; wrong < 10 {
				p.t.Errorf("%s at size %v: %s", c.URL, p.size(c.ID), difference(got, want))
			}
		}
	}
	if wrong > 0 {
		p.t.Errorf("%d of %d polling sets are wrong", wrong, len(p.channels))
	}
}

func difference(got, want []sim.Node) string {
	extra, missing := 0, 0
	for _, n := range got {
		if !slices.Contains(want, n) {
			extra++
		}
	}
	for _, n := range want {
		if !slices.Contains(got, n) {
			missing++
		}
	}
	return fmt.Sprintf("%d nodes poll, %d are in the set: %d too many, %d missing", len(got), len(want), extra, missing)
}

// checkCounts checks that all nodes have counted right.
func (p *net) checkCounts() {
	p.t.Helper()
	up, wrong := p.active(), 0
	for _, n := range up {
		v := p.member(n).plan.view
		for _, c := range v.contacts {
			in := uint32(0)
			parts := make([]uint32, 1<<v.digit)
			for _, m := range up {
				if id := p.world.Peer(m).ID; id.CommonBits(c.peer.ID) >= c.bits {
					in++
					parts[id.Digit(c.bits/v.digit, v.digit)]++
				}
			}
			if (c.nodes != in || !slices.Equal(c.parts, parts)) && wrong < 5 {
				wrong++
				p.t.Errorf("node %d counts %d (%v) that share %d bits with %v, there are %d (%v)", n, c.nodes, c.parts,
					c.bits, c.peer.ID.Short(), in, parts)
			}
		}
	}
}

// unevenness returns the mean, over channels weighted by readers, of the mean squared gap between polls, against that
// of as many even gaps. 1 is the best possible; random phases have 2n/(n+1).
func (p *net) unevenness() float64 {
	sum, all := 0., 0.
	for _, c := range p.channels {
		var phases []float64
		for _, n := range p.pollers(c.ID) {
			// Nodes' clocks begin when they start; the world's is the same for all.
			first := p.member(n).recorder.tasks[c.ID].First + p.member(n).began
			phases = append(phases, float64(first%p.config.Interval)/float64(p.config.Interval))
		}
		slices.Sort(phases)
		squares := 0.
		for i := range phases {
			next := phases[(i+1)%len(phases)]
			if i == len(phases)-1 {
				next++
			}
			squares += (next - phases[i]) * (next - phases[i])
		}
		q := float64(p.readers[c.ID])
		sum += q * squares * float64(len(phases))
		all += q
	}
	return sum / all
}

// load returns the polls of a channel in an interval, and the mean detection time over readers, in seconds, that they
// would have if even.
func (p *net) load() (polls, detection float64) {
	readers := 0
	for _, c := range p.channels {
		n := len(p.pollers(c.ID))
		polls += float64(n)
		readers += p.readers[c.ID]
		detection += float64(p.readers[c.ID]) * p.config.Interval.Seconds() / 2 / max(float64(n), 1e-9)
	}
	return polls / float64(len(p.channels)), detection / float64(readers)
}

// limit returns the least mean detection time, in seconds, of so many polls a channel, if sets can have any size.
func (p *net) limit(polls float64) float64 {
	all := float64(len(p.active()))
	use := func(x float64) (polls, detection float64) {
		readers := 0.
		for _, q := range p.readers {
			n := min(all, max(1, x*math.Sqrt(float64(q))))
			polls += n
			detection += float64(q) * p.config.Interval.Seconds() / 2 / n
			readers += float64(q)
		}
		return polls / float64(len(p.readers)), detection / readers
	}
	low, high := 0., 1e6
	for range 100 {
		if used, _ := use((low + high) / 2); used > polls {
			high = (low + high) / 2
		} else {
			low = (low + high) / 2
		}
	}
	_, detection := use(low)
	return detection
}

// allowed returns how many polls a channel and interval Lite allows.
func (p *net) allowed() float64 {
	sum := 0
	for _, c := range p.channels {
		sum += p.readers[c.ID]
	}
	return float64(sum) / float64(len(p.channels))
}

// begun returns how many calls of Poller.Poll nodes have made.
func (p *net) begun() (sum int) {
	for _, n := range p.active() {
		sum += p.member(n).recorder.begun
	}
	return sum
}

// tasks returns how many channels are polled by how many nodes.
func (p *net) tasks() (sum int) {
	for _, n := range p.active() {
		sum += len(p.member(n).recorder.tasks)
	}
	return sum
}

// bytes returns how much has been sent but for the ring's own messages.
func (p *net) bytes() (sum uint64) {
	for _, m := range Messages {
		if k := p.world.Counters().Kinds[m.Message.Kind()]; k != nil {
			sum += k.Bytes
		}
	}
	return sum
}

// zipf subscribes to channels, the first the most popular, as the paper's workload does (section 5.1). The exponent is
// 0.5, and the mean 50 readers each, or a fifth of the nodes if that is less.
func (p *net) zipf(channels int) {
	mean := min(50, float64(p.world.Len())/5)
	weight, sum := make([]float64, channels), 0.
	for i := range weight {
		weight[i] = 1 / math.Sqrt(float64(i+1))
		sum += weight[i]
	}
	for i, w := range weight {
		p.subscribe(fmt.Sprintf("http://feeds.example/%d", i), max(1, int(math.Round(mean*float64(channels)*w/sum))))
	}
}

// upTo returns how much a test is to do: with -short, without it, and if all cases are asked for.
func upTo(quick, full, most int) int {
	if effort.All() {
		return most
	}
	return short(quick, full)
}

// short returns the first with -short, else the second.
func short(quick, full int) int {
	if testing.Short() {
		return quick
	}
	return full
}

// long skips a long test, with -short. Short ones cover the same paths.
func long(t *testing.T) {
	if testing.Short() {
		t.Skip("needs long")
	}
}

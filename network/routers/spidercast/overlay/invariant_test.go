package overlay

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

var testCodec = engine.NewCodec(engine.Vocabulary{Protocol: engine.SpiderCast, Name: "spidercast", Messages: Messages})

// member is a node of a test: an overlay that knows all others, and checks what it reports to the dissemination.
type member struct {
	*Overlay
	index  *Index
	topics map[engine.ID]bool
	up     map[engine.ID][]engine.ID // links as the dissemination knows them
	wrong  []string
}

func (m *member) LinkUp(p engine.Peer, shared []engine.ID) {
	if _, is := m.up[p.ID]; is {
		m.wrong = append(m.wrong, "a link comes up twice")
	}
	m.up[p.ID] = shared
}

func (m *member) LinkChanged(p engine.Peer, shared []engine.ID) {
	if _, is := m.up[p.ID]; !is {
		m.wrong = append(m.wrong, "a link changes that is down")
	}
	m.up[p.ID] = shared
}

func (m *member) LinkDown(p engine.Peer) {
	if _, is := m.up[p.ID]; !is {
		m.wrong = append(m.wrong, "a link goes down that is not up")
	}
	delete(m.up, p.ID)
}

// check compares an overlay's running counts with a count of everything, as in Figures 3 and 5.
func (m *member) check() error {
	o := m.Overlay
	for _, w := range m.wrong {
		return fmt.Errorf("%s", w)
	}
	for k := range Task(tasks) {
		t := &o.tasks[k]
		degree, under := 0, 0
		for _, l := range o.links.list {
			if !l.sets[k].in {
				continue
			}
			degree++
			if slots := o.topics.in(l.set()); k == Greedy && !l.broad &&
				fmt.Sprint(slots) != fmt.Sprint(l.sets[k].counts) {
				return fmt.Errorf("%v: a neighbour follows %v and counts for %v", k, slots, l.sets[k].counts)
			}
		}
		for i := range o.topics.slots {
			s := &o.topics.slots[i]
			if !s.on() {
				continue
			}
			cover := 0
			for _, l := range o.links.list {
				for _, slot := range l.sets[k].counts {
					if slot == int32(i) && l.sets[k].in {
						cover++
					}
				}
			}
			if cover != int(s.cover[k]) {
				return fmt.Errorf("%v: %d neighbours cover a topic, %d are counted", k, cover, s.cover[k])
			}
			if cover < t.k {
				under++
			}
			needed := false
			if x := m.index.topics[s.name]; x != nil {
				needed = x.needed&k.bit() != 0
			}
			if needed != (cover < t.k) {
				return fmt.Errorf("%v: of a topic with a cover of %d of %d, candidates think that it is needed: %v", k,
					cover, t.k, needed)
			}
		}
		if degree != t.degree || under != t.under {
			return fmt.Errorf("%v: degree %d and %d topics under cover, where %d and %d are counted", k, degree, under,
				t.degree, t.under)
		}
		if most := max(t.k, 1)*o.topics.count + o.config.Margin; degree > most && len(m.topics) == o.topics.count &&
			o.env.Now() > time.Minute {
			// A node that has left topics sheds links as its neighbours agree.
			if degree > most+64 {
				return fmt.Errorf("%v: %d neighbours, %d are allowed", k, degree, most)
			}
		}
	}
	if len(m.up) != len(o.links.list) {
		return fmt.Errorf("%d links are up, of %d neighbours", len(m.up), len(o.links.list))
	}
	for _, l := range o.links.list {
		if l.tasks() == 0 {
			return fmt.Errorf("a neighbour is in no set")
		}
		for _, topic := range m.up[l.peer.ID] {
			if !m.topics[topic] {
				return fmt.Errorf("a link carries a topic that is not followed")
			}
		}
		if !o.links.in(Greedy, l.peer.ID) && !o.links.in(Random, l.peer.ID) {
			return fmt.Errorf("a link is not found by its ID")
		}
	}
	return nil
}

// testnet is members that join, leave, crash and lose messages.
type testnet struct {
	*sim.World
	follows [][]engine.ID
}

func (n *testnet) member(i int) *member {
	m, _ := n.Protocol(sim.Node(i)).(*member)
	return m
}

// exactOf has a third of the nodes send filters.
func exactOf(i int) int {
	if i%3 == 0 {
		return 0
	}
	return interest.MaxExact
}

func newTestnet(w *sim.World, config Config, nodes, topics, each int) *testnet {
	n := &testnet{World: w, follows: make([][]engine.ID, nodes)}
	chance := rand.New(rand.NewPCG(w.Seed(), 9))
	for i := range nodes {
		for _, t := range chance.Perm(topics)[:each] {
			n.follows[i] = append(n.follows[i], topicID(t))
		}
	}
	for i := range nodes {
		w.Add(peerOf(i).ID, func(env engine.Env, _ *sim.Disk) engine.Protocol {
			c := config
			c.Exact = exactOf(i)
			m := &member{index: NewIndex(env.Rand(), false, c.Broad), topics: make(map[engine.ID]bool),
				up: make(map[engine.ID][]engine.ID)}
			m.Overlay = New(env, c, m.index, m)
			for _, t := range n.follows[i] {
				m.topics[t] = true
				m.Join(t)
			}
			for j := range nodes {
				if j != i {
					m.index.Put(w.Peer(sim.Node(j)), interest.Of(n.follows[j], exactOf(j)), 0)
				}
			}
			return m
		})
	}
	for i := range nodes {
		w.Boot(sim.Node(i))
	}
	return n
}

// join makes a node follow a topic, or no longer, and notifies all others.
func (n *testnet) join(i int, topic engine.ID, on bool) {
	m := n.member(i)
	if m == nil || m.topics[topic] == on {
		return
	}
	var rest []engine.ID
	for _, t := range n.follows[i] {
		if t != topic {
			rest = append(rest, t)
		}
	}
	if on {
		m.topics[topic] = true
		m.Join(topic)
		rest = append(rest, topic)
	} else {
		delete(m.topics, topic)
		m.Leave(topic)
	}
	n.follows[i] = rest
	for j := range n.follows {
		if o := n.member(j); o != nil && j != i {
			o.index.Put(n.Peer(sim.Node(i)), interest.Of(rest, exactOf(i)), 0)
		}
	}
}

func (n *testnet) check() error {
	for i := range n.follows {
		if m := n.member(i); m != nil {
			if err := m.check(); err != nil {
				return fmt.Errorf("at %v, node %d: %w", n.Now(), i, err)
			}
		}
	}
	return nil
}

// agree returns an error if two nodes do not see the same link, or see it carry different topics.
func (n *testnet) agree() error {
	for i := range n.follows {
		m := n.member(i)
		for _, l := range m.links.list {
			other, _ := n.NodeAt(l.peer)
			o := n.member(int(other)).links.byID[m.env.Self().ID]
			if o == nil || o.tasks() != l.tasks() {
				return fmt.Errorf("nodes %d and %d do not see the same link", i, other)
			}
			var shared []engine.ID
			for _, t := range m.up[l.peer.ID] {
				shared = append(shared, t)
				if !n.member(int(other)).topics[t] {
					return fmt.Errorf("a link of %d and %d carries a topic that one does not follow", i, other)
				}
			}
			common := 0
			for t := range m.topics {
				if n.member(int(other)).topics[t] {
					common++
				}
			}
			if len(shared) != common {
				return fmt.Errorf("a link of %d and %d carries %d topics of %d that both follow", i, other,
					len(shared), common)
			}
		}
	}
	return nil
}

// Whatever happens, the running counts equal a count of everything. When it is over, both ends of all links see the
// same, and all topics are covered that can be.
func TestInvariants(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		config := Default()
		config.Random = int(t.Seed() % 2)
		config.Broad = 0
		const nodes, topics, each = 24, 12, 5
		n := newTestnet(t.World(sim.Default(testCodec)), config, nodes, topics, each)
		chance := n.Rand()
		n.SetFaults(sim.Faults{Loss: 0.1, Duplicate: 0.05, Reorder: 0.05, ReorderBy: 300 * time.Millisecond})
		for range 120 {
			i := chance.IntN(nodes)
			switch chance.IntN(6) {
			case 0:
				if n.Up(sim.Node(i)) {
					n.Crash(sim.Node(i))
				}
			case 1, 2:
				if !n.Up(sim.Node(i)) {
					n.Restart(sim.Node(i))
				}
			default:
				n.join(i, topicID(chance.IntN(topics)), chance.IntN(3) > 0)
			}
			n.Run(time.Duration(chance.IntN(3000)) * time.Millisecond)
			if err := n.check(); err != nil {
				t.Fatal(err)
			}
		}
		n.SetFaults(sim.Faults{})
		for i := range nodes {
			if !n.Up(sim.Node(i)) {
				n.Restart(sim.Node(i))
			}
		}
		n.Run(3 * time.Minute)
		if err := n.check(); err != nil {
			t.Fatal(err)
		}
		if err := n.agree(); err != nil {
			t.Fatal(err)
		}
		for i := range nodes {
			if u := n.member(i).Uncovered(); len(u) > 0 {
				t.Errorf("node %d: %d topics lack cover", i, len(u))
			}
		}
	})
}

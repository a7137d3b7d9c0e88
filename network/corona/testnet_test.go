package corona

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// testNet is a world of nodes that subscribe and own, on a ring of Pastry. Nobody polls.
type testNet struct {
	*sim.World
	t      testing.TB
	config Config
	signs  bool
	nodes  []sim.Node
}

// idle polls nothing and keeps nothing.
type idle struct{}

func (idle) Poll(Channel, Task)                         {}
func (idle) Stop(engine.ID)                             {}
func (idle) Verify(Channel)                             {}
func (idle) FirstPoll(engine.ID) time.Duration          { return 0 }
func (idle) Held(engine.ID) (version uint64, hash Hash) { return 0, Hash{} }
func (idle) Content(engine.ID) Hash                     { return Hash{} }
func (idle) Relay(Channel)                              {}
func (idle) Release(engine.ID)                          {}
func (idle) Store(*Update)                              {}
func (idle) Lend(engine.ID, Hash, func(*Update))        {}

// testNode is a node of a testNet.
type testNode struct {
	*engine.Stack
	pastry *pastry.Node
	corona *Node
}

var testNetCodec = engine.NewCodec(pastry.Vocabulary, Vocabulary)

// testNetConfig is what the world of a testNet is made with.
func testNetConfig() sim.Config {
	c := sim.Default(testNetCodec)
	c.Wire = true
	return c
}

// rareUpkeep maintains a ring at a quarter of the usual rate: in a small world upkeep is most of the events.
func rareUpkeep() pastry.Config {
	c := pastry.Default()
	c.KeepAlive, c.TablePeriod = 4*c.KeepAlive, 4*c.TablePeriod
	return c
}

// quick makes a testNet run six times as fast as by default.
func quick(c *Config) {
	c.Maintenance, c.Renew, c.Forget = c.Maintenance/6, c.Renew/6, c.Forget/6
}

// newSigningTestNet is newTestNet with nodes that sign, and ask for signatures.
func newSigningTestNet(t testing.TB, w *sim.World, nodes int, change ...func(*Config)) *testNet {
	return (&testNet{World: w, t: t, signs: true}).begin(nodes, change...)
}

func (v *testNet) begin(nodes int, change ...func(*Config)) *testNet {
	v.config = Default()
	for _, f := range change {
		f(&v.config)
	}
	v.grow(nodes)
	return v
}

// grow adds nodes with random IDs.
func (v *testNet) grow(nodes int) (added []sim.Node) {
	for range nodes {
		var id engine.ID
		for i := range id {
			id[i] = byte(v.Rand().Uint32())
		}
		added = append(added, v.add(id))
		v.Run(200 * time.Millisecond)
	}
	v.settle()
	return added
}

// add adds a node and starts it.
func (v *testNet) add(id engine.ID) sim.Node {
	n := v.Add(id, v.start(sim.Node(v.Len())))
	v.nodes = append(v.nodes, n)
	v.Boot(n)
	return n
}

func (v *testNet) start(number sim.Node) sim.Start {
	return func(env engine.Env, _ *sim.Disk) engine.Protocol {
		p := pastry.New(env, rareUpkeep())
		var keys engine.Keys
		if v.signs {
			keys = v.Keys(number)
		}
		c := New(env, p, keys, idle{}, idle{}, v.config)
		p.Handle(engine.Corona, c)
		s := engine.NewStack(env)
		s.Add(engine.Pastry, p)
		s.Add(engine.Corona, c)
		if seeds := v.active(); len(seeds) == 0 {
			p.Create()
		} else {
			p.Join(v.Peer(seeds[v.Rand().IntN(len(seeds))]), v.Peer(seeds[0]))
		}
		return &testNode{s, p, c}
	}
}

func (v *testNet) at(n sim.Node) *testNode { return v.Protocol(n).(*testNode) }

func (v *testNet) active() (nodes []sim.Node) {
	for _, n := range v.nodes {
		if v.Up(n) && v.at(n).pastry.Active() {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// settle waits until the ring of those that are up is right.
func (v *testNet) settle() {
	v.t.Helper()
	ring := &check.Ring{Half: 8, Leaves: func(n sim.Node) []engine.Peer {
		below, above := v.at(n).pastry.LeafSet()
		return append(below, above...)
	}}
	up := func() (up int) {
		for _, n := range v.nodes {
			if v.Up(n) {
				up++
			}
		}
		return up
	}
	for range 900 {
		if len(v.active()) == up() && ring.Wrong(v.World) == 0 {
			return
		}
		v.Run(time.Second)
	}
	v.t.Fatalf("no right ring after 15 minutes: %d of %d are active", len(v.active()), up())
}

// channel returns the i-th channel of the tests.
func channel(i int) Channel {
	url := fmt.Sprintf("https://example.org/feed/%d", i)
	return Channel{ID: engine.IDOf([]byte(url)), URL: url}
}

// owners returns the live nodes closest to a channel, by looking at all.
func (v *testNet) owners(c Channel, k int) (nodes []sim.Node) {
	for _, n := range v.nodes {
		if v.Up(n) {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b sim.Node) int {
		if engine.Closer(c.ID, v.Peer(a).ID, v.Peer(b).ID) {
			return -1
		}
		return 1
	})
	return nodes[:min(k, len(nodes))]
}

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
	wants  []map[Channel]map[string]int // by node: what it wants for whom; it says so again when it starts
	limits map[string]int               // how often bounds were hit
	seen   []seen
}

// seen is something that was traced.
type seen struct {
	at    time.Duration
	node  sim.Node
	event any
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
func (idle) Take(*Update)                               {}
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

// rareUpkeep has a ring looked after four times as rarely as by default: in a small world that is most of
// what happens.
func rareUpkeep() pastry.Config {
	c := pastry.Default()
	c.KeepAlive, c.TablePeriod = 4*c.KeepAlive, 4*c.TablePeriod
	return c
}

// some returns how many nodes are enough where n are better: with -short.
func some(n int) int {
	if testing.Short() {
		return n * 2 / 3
	}
	return n
}

// quick makes a testNet run six times as fast as by default.
func quick(c *Config) {
	c.Maintenance, c.Renew, c.Forget = c.Maintenance/6, c.Renew/6, c.Forget/6
}

// newTestNet fills a world with nodes and waits for the ring.
func newTestNet(t testing.TB, w *sim.World, nodes int, change ...func(*Config)) *testNet {
	return (&testNet{World: w, t: t}).begin(nodes, change...)
}

// newSigningTestNet is newTestNet with nodes that sign, and ask for signatures.
func newSigningTestNet(t testing.TB, w *sim.World, nodes int, change ...func(*Config)) *testNet {
	return (&testNet{World: w, t: t, signs: true}).begin(nodes, change...)
}

func (v *testNet) begin(nodes int, change ...func(*Config)) *testNet {
	v.config, v.limits = Default(), make(map[string]int)
	for _, f := range change {
		f(&v.config)
	}
	v.Observe(func(at time.Duration, n sim.Node, e any) {
		switch e := e.(type) {
		case LimitHit:
			v.limits[e.What]++
		case Acknowledgement, Forgotten, Owns, Unstored, Transferred, Expired:
			v.seen = append(v.seen, seen{at, n, e})
		}
	})
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
	v.wants = append(v.wants, make(map[Channel]map[string]int))
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
		for _, channel := range v.wanted(number) {
			for _, outside := range sortedKeys(v.wants[number][channel]) {
				c.roster.Subscribe(channel, outside, v.wants[number][channel][outside])
			}
		}
		return &testNode{s, p, c}
	}
}

// wanted returns what a node wants, in order.
func (v *testNet) wanted(n sim.Node) (channels []Channel) {
	for c := range v.wants[n] {
		channels = append(channels, c)
	}
	slices.SortFunc(channels, func(a, b Channel) int { return a.ID.Compare(b.ID) })
	return channels
}

func sortedKeys(m map[string]int) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
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

// subscribe has a node want a channel from now on.
func (v *testNet) subscribe(n sim.Node, c Channel, outside string, count int) {
	if v.wants[n][c] == nil {
		v.wants[n][c] = make(map[string]int)
	}
	v.wants[n][c][outside] = count
	v.Do(n, func(engine.Protocol) { v.at(n).corona.roster.Subscribe(c, outside, count) })
}

// unsubscribe has it not want it any more.
func (v *testNet) unsubscribe(n sim.Node, c Channel, outside string) {
	delete(v.wants[n][c], outside)
	if len(v.wants[n][c]) == 0 {
		delete(v.wants[n], c)
	}
	v.Do(n, func(engine.Protocol) { v.at(n).corona.roster.Unsubscribe(c.ID, outside) })
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

// reader is a live subscription as an owner should hold it.
type reader struct {
	node    engine.ID
	outside string
	count   int
}

func byReader(a, b reader) int {
	if c := a.node.Compare(b.node); c != 0 {
		return c
	}
	if a.outside != b.outside {
		if a.outside < b.outside {
			return -1
		}
		return 1
	}
	return a.count - b.count
}

// held returns the live subscriptions that a node holds of a channel.
func (v *testNet) held(n sim.Node, c Channel) (all []reader) {
	corona := v.at(n).corona
	o := corona.roster.Find(c.ID)
	if o == nil {
		return nil
	}
	for i, e := range o.readers.entries {
		if e.count > 0 {
			s := corona.roster.Subscription(o, i)
			all = append(all, reader{s.Node.ID, s.Outside, int(s.Count)})
		}
	}
	slices.SortFunc(all, byReader)
	return all
}

// due returns what owners should hold of a channel.
func (v *testNet) due(c Channel) (all []reader) {
	for _, n := range v.nodes {
		for _, outside := range sortedKeys(v.wants[n][c]) {
			all = append(all, reader{v.Peer(n).ID, outside, v.wants[n][c][outside]})
		}
	}
	slices.SortFunc(all, byReader)
	return all
}

// wrong returns how many of the owners of channels hold something else than they should.
func (v *testNet) wrong(channels ...Channel) (wrong int) {
	for _, c := range channels {
		due := v.due(c)
		for _, n := range v.owners(c, v.config.Owners) {
			if !slices.Equal(v.held(n, c), due) {
				wrong++
			}
		}
	}
	return wrong
}

// strays returns how many nodes hold something of a channel that they do not own.
func (v *testNet) strays(channels ...Channel) (strays int) {
	for _, c := range channels {
		owners := v.owners(c, v.config.Owners)
		for _, n := range v.nodes {
			if v.Up(n) && !slices.Contains(owners, n) && v.at(n).corona.roster.Find(c.ID) != nil {
				strays++
			}
		}
	}
	return strays
}

// becomesRight waits until all owners hold what they should, and nobody else holds anything.
func (v *testNet) becomesRight(within time.Duration, channels ...Channel) {
	v.t.Helper()
	began := v.Now()
	for v.wrong(channels...)+v.strays(channels...) > 0 {
		if v.Now() > began+within {
			for _, c := range channels {
				if v.wrong(c)+v.strays(c) > 0 {
					v.tell(c)
				}
			}
			v.t.Fatalf("after %v %d owners hold something wrong, %d nodes what they do not own", within, v.wrong(channels...), v.strays(channels...))
		}
		v.Run(time.Second)
	}
	v.t.Logf("right after %v", v.Now()-began)
}

// tell says who holds what of a channel and how it stands.
func (v *testNet) tell(c Channel) {
	for _, n := range v.nodes {
		if v.Up(n) {
			if o := v.at(n).corona.roster.Find(c.ID); o != nil {
				v.t.Logf("node %d %v rank %d others %v equal %b tries %d due %v now %v entries %d sum %x version %d stamp %d", n, v.Peer(n), o.rank, o.others, o.equal, o.tries, o.syncDue, v.at(n).corona.Env.Now(), len(o.readers.entries), o.readers.sum, o.version, o.stamp)
			}
		}
	}
}

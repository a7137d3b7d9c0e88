package roster

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
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
	// by node: its subscriptions, by outside address; it repeats them when it starts
	wants  []map[machine.Channel]map[string]int
	limits map[string]int // how often bounds were hit
	seen   []seen
}

// seen is something that was traced.
type seen struct {
	at    time.Duration
	node  sim.Node
	event any
}

// testNode is a node of a testNet: a roster, and a host alone with it.
type testNode struct {
	*engine.Stack
	*Roster
	pastry *pastry.Node
}

// testHost keeps of a channel no more than the two numbers of a State that owners compare.
type testHost struct{}

func (testHost) Began(*Owned)                                    {}
func (testHost) Changed(*Owned)                                  {}
func (testHost) Informed(*Owned)                                 {}
func (testHost) Compared(*Owned, uint64)                         {}
func (testHost) Reported(*Owned, *Subscription)                  {}
func (testHost) Routed(*Owned) bool                              { return false }
func (testHost) Acknowledged(engine.Peer, Acknowledgement, bool) {}
func (testHost) Homed(engine.ID)                                 {}
func (testHost) Unsubscribed(engine.ID)                          {}
func (testHost) Silent(engine.ID, bool)                          {}
func (testHost) State(o *Owned) State                            { return State{Version: o.version, Stamp: o.stamp} }

func (testHost) Merge(o *Owned, _ engine.Peer, s State) {
	if s.Version > o.version || s.Version == o.version && s.Stamp > o.stamp {
		o.version, o.stamp = s.Version, s.Stamp
	}
}

func (n *testNode) Receive(from engine.Peer, m engine.Message) { n.Stack.Receive(from, m) }
func (n *testNode) PeerDown(p engine.Peer)                     { n.Stack.PeerDown(p) }

// onRing has a ring and a stack deliver to a roster.
type onRing struct{ *Roster }

func (r onRing) Deliver(key engine.ID, from engine.Peer, m engine.Message, _ int) {
	r.Roster.Deliver(key, from, m)
}
func (onRing) Forward(engine.ID, engine.Message, engine.Peer) bool { return true }
func (onRing) Stop()                                               {}

// newTestNode makes a node of Pastry and a roster.
func newTestNode(env engine.Env, ring pastry.Config, keys engine.Keys, host Host, c Config) *testNode {
	p := pastry.New(env, ring)
	r := New(machine.Base{Env: env, Ring: p, Keys: keys, Seed: env.Rand().Uint64()}, host, c)
	p.OnNeighbours(r.RecheckOwners)
	p.Handle(engine.Corona, onRing{r})
	s := engine.NewStack(env)
	s.Add(engine.Pastry, p)
	s.Add(engine.Corona, onRing{r})
	return &testNode{s, r, p}
}

var (
	testVocabulary = engine.Vocabulary{Protocol: engine.Corona, Name: "roster", Messages: Messages}
	testNetCodec   = engine.NewCodec(pastry.Vocabulary, testVocabulary)
)

// testConfig is what Corona has by default.
func testConfig() Config {
	return Config{
		Owners: 3, Maintenance: time.Hour, Renew: 150 * time.Minute, Forget: 8 * time.Hour, MaxChannels: 1 << 20,
		MaxSubscriptions: 1 << 20, MaxEntries: 1 << 24,
		MaxPerNode: 1 << 16, MaxCount: 64, MaxUnacked: 64,
	}
}

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
	v.config, v.limits = testConfig(), make(map[string]int)
	for _, f := range change {
		f(&v.config)
	}
	v.Observe(func(at time.Duration, n sim.Node, e any) {
		switch e := e.(type) {
		case machine.LimitHit:
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
	v.wants = append(v.wants, make(map[machine.Channel]map[string]int))
	v.Boot(n)
	return n
}

func (v *testNet) start(number sim.Node) sim.Start {
	return func(env engine.Env, _ *sim.Disk) engine.Protocol {
		var keys engine.Keys
		if v.signs {
			keys = v.Keys(number)
		}
		n := newTestNode(env, rareUpkeep(), keys, testHost{}, v.config)
		if seeds := v.active(); len(seeds) == 0 {
			n.pastry.Create()
		} else {
			n.pastry.Join(v.Peer(seeds[v.Rand().IntN(len(seeds))]), v.Peer(seeds[0]))
		}
		for _, channel := range v.wanted(number) {
			for _, outside := range sortedKeys(v.wants[number][channel]) {
				n.Subscribe(channel, outside, v.wants[number][channel][outside])
			}
		}
		return n
	}
}

// wanted returns what a node wants, in order.
func (v *testNet) wanted(n sim.Node) (channels []machine.Channel) {
	for c := range v.wants[n] {
		channels = append(channels, c)
	}
	slices.SortFunc(channels, func(a, b machine.Channel) int { return a.ID.Compare(b.ID) })
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
func channel(i int) machine.Channel {
	url := fmt.Sprintf("https://example.org/feed/%d", i)
	return machine.Channel{ID: engine.IDOf([]byte(url)), URL: url}
}

// subscribe has a node want a channel from now on.
func (v *testNet) subscribe(n sim.Node, c machine.Channel, outside string, count int) {
	if v.wants[n][c] == nil {
		v.wants[n][c] = make(map[string]int)
	}
	v.wants[n][c][outside] = count
	v.Do(n, func(engine.Protocol) { v.at(n).Subscribe(c, outside, count) })
}

// unsubscribe has it not want it any more.
func (v *testNet) unsubscribe(n sim.Node, c machine.Channel, outside string) {
	delete(v.wants[n][c], outside)
	if len(v.wants[n][c]) == 0 {
		delete(v.wants[n], c)
	}
	v.Do(n, func(engine.Protocol) { v.at(n).Unsubscribe(c.ID, outside) })
}

// owners returns the live nodes closest to a channel, by looking at all.
func (v *testNet) owners(c machine.Channel, k int) (nodes []sim.Node) {
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
func (v *testNet) held(n sim.Node, c machine.Channel) (all []reader) {
	o := v.at(n).Find(c.ID)
	if o == nil {
		return nil
	}
	for i, e := range o.readers.entries {
		if e.count > 0 {
			s := v.at(n).Subscription(o, i)
			all = append(all, reader{s.Node.ID, s.Outside, int(s.Count)})
		}
	}
	slices.SortFunc(all, byReader)
	return all
}

// due returns what owners should hold of a channel.
func (v *testNet) due(c machine.Channel) (all []reader) {
	for _, n := range v.nodes {
		for _, outside := range sortedKeys(v.wants[n][c]) {
			all = append(all, reader{v.Peer(n).ID, outside, v.wants[n][c][outside]})
		}
	}
	slices.SortFunc(all, byReader)
	return all
}

// wrong returns how many of the owners of channels hold something else than they should.
func (v *testNet) wrong(channels ...machine.Channel) (wrong int) {
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
func (v *testNet) strays(channels ...machine.Channel) (strays int) {
	for _, c := range channels {
		owners := v.owners(c, v.config.Owners)
		for _, n := range v.nodes {
			if v.Up(n) && !slices.Contains(owners, n) && v.at(n).Find(c.ID) != nil {
				strays++
			}
		}
	}
	return strays
}

// becomesRight waits until all owners hold what they should, and nobody else holds anything.
func (v *testNet) becomesRight(within time.Duration, channels ...machine.Channel) {
	v.t.Helper()
	began := v.Now()
	for v.wrong(channels...)+v.strays(channels...) > 0 {
		if v.Now() > began+within {
			for _, c := range channels {
				if v.wrong(c)+v.strays(c) > 0 {
					v.describe(c)
				}
			}
			v.t.Fatalf("after %v %d owners hold something wrong, %d nodes what they do not own", within,
				v.wrong(channels...), v.strays(channels...))
		}
		v.Run(time.Second)
	}
	v.t.Logf("right after %v", v.Now()-began)
}

// describe describes a channel's record at each of its holders.
func (v *testNet) describe(c machine.Channel) {
	for _, n := range v.nodes {
		if v.Up(n) {
			if o := v.at(n).Find(c.ID); o != nil {
				v.t.Logf("node %d %v rank %d others %v equal %b tries %d due %v now %v",
					n, v.Peer(n), o.Rank(), o.Others(), o.equal, o.tries, o.due, v.at(n).Ownership.Env.Now())
				v.t.Logf("entries %d sum %x version %d stamp %d", o.Entries(), o.readers.sum, o.version, o.stamp)
			}
		}
	}
}

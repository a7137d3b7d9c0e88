package coronatest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/forward"
	"tidings/network/pastry"
	"tidings/network/routers/newswire"
	"tidings/network/routers/rappel"
	"tidings/network/routers/rappel/roots"
	"tidings/network/routers/scribe"
	"tidings/network/routers/spidercast"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/vivaldi"
)

// Settings describe a world. Start from Default.
type Settings struct {
	Nodes  int
	Pastry pastry.Config
	Corona corona.Config

	// IDs are the first nodes'; the others are drawn.
	IDs []engine.ID

	// Configure, if not nil, changes a node's configuration.
	Configure func(n sim.Node, c *corona.Config)

	// Trees makes Scribe's trees carry versions beyond Corona.DirectUpTo subscribers.
	Trees bool

	// Rappel adds Rappel's trees, and coordinates for them.
	Rappel bool

	// Spider adds SpiderCast, with coordinates for it.
	Spider bool

	// Zones adds NewsWire, with zones under it. Selects says which nodes have queries that select all offers. nil:
	// none.
	Zones   bool
	Selects func(n sim.Node) bool

	// Home returns a node's zone. nil: all are in the root.
	Home func(n sim.Node) zone.Path

	// Checkers watch besides the usual ones; alone, if Only.
	Checkers []check.Checker
	Only     bool

	// Late is how many nodes, those with the highest numbers, New does not start.
	Late int

	// Unsigned: nothing is signed.
	Unsigned bool

	// KeepAtOnce makes libraries keep an update before Store returns, and not some milliseconds later.
	KeepAtOnce bool

	// Env, if not nil, wraps a node's Env: to make it lie.
	Env func(n sim.Node, env engine.Env) engine.Env

	// Lies: some nodes invent contents. So a delivered content may for a while not be an origin's, nor the only one for
	// a version.
	Lies bool

	// Polls is how many requests a channel may cost its origin within any polling interval. 0: three halves of the
	// nodes, as each polls once, slots move, nodes come back, and some poll for checks. If each node may see versions
	// for itself, twice as many as there are nodes are added, or four times that with Lies.
	Polls int

	// Homes makes seven of ten nodes private, and all forward; see forwardtest.Configure.
	Homes bool

	// OwnPolls makes nodes themselves seldom poll what they subscribe to, as package node does.
	OwnPolls bool

	// Pushes adds FeedTree to each node, beside Corona and by the same router, as package node does; with
	// network.Direct by Scribe, which needs Trees. Checkers see an item that a follower keeps as the delivery of a
	// version of its topic.
	Pushes bool

	// Started, if not nil, is called with each node that starts, before any message is delivered to it.
	Started func(n sim.Node, env engine.Env, node *Node)
}

// leisure is how much rarer than by default nodes maintain the ring and ask for aggregates. By default that is two
// thirds of all events in a small world.
const leisure = 4

// Upkeep makes the upkeep of a ring rarer, for worlds that are small and short of time.
func Upkeep(c pastry.Config) pastry.Config {
	c.KeepAlive *= leisure
	c.TablePeriod *= leisure
	return c
}

// Default returns the settings of an ordinary network with so many nodes, and rarer upkeep.
func Default(nodes int) Settings {
	s := Settings{Nodes: nodes, Pastry: Upkeep(pastry.Default()), Corona: corona.Default()}
	s.Corona.AggregateEvery *= leisure
	return s
}

var codec = engine.NewCodec(forward.Vocabulary, pastry.Vocabulary, corona.Vocabulary, scribe.Vocabulary,
	vivaldi.Vocabulary, rappel.Vocabulary,
	spidercast.Vocabulary, astrolabe.Vocabulary, newswire.Vocabulary, feedtree.Vocabulary, roots.Vocabulary)

// SimConfig returns the configuration of a world without faults: every message passes through the codec.
func SimConfig() sim.Config {
	c := sim.Default(codec)
	c.Wire = true
	return c
}

// World is a simulated network that polls.
type World struct {
	*sim.World
	Origin *Origin

	// Watch has the oracles. Once, Increasing, Latest, PollLimit and Queues are always on, OneContent and Genuine
	// unless Settings.Lies.
	Watch *check.Watch

	settings Settings
	chance   *rand.Rand
	wanted   [][]subscription // by node, in the order of subscribing
	follows  [][]Pushed       // by node, as wanted
	signed   map[string]bool  // by key, words and signature: all nodes verify the same
	born     []bool           // by node: it has started before
}

// subscription is a node's subscription to a channel.
type subscription struct {
	channel corona.Channel
	count   int
}

// joinStep is the time between two nodes that New starts.
const joinStep = 50 * time.Millisecond

// New adds nodes to an empty world, lets them form a ring, and returns when it is right.
func New(w *sim.World, s Settings) *World {
	world := &World{
		World: w, settings: s, chance: rand.New(rand.NewPCG(w.Seed(), 0xc0)),
		wanted: make([][]subscription, s.Nodes), born: make([]bool, s.Nodes), follows: make([][]Pushed, s.Nodes),
		signed: make(map[string]bool),
	}
	world.Origin = newOrigin(w, sim.Default(codec).Epoch, func(n sim.Node, channel engine.ID, content string) {
		world.Watch.Report(n, check.Polled{Topic: channel})
		world.Watch.Report(-1, check.Served{Topic: channel, Content: NameOf(HashOf(content))})
	})
	world.Watch = check.All(w, observe, s.checkers()...)
	for n := range sim.Node(s.Nodes) {
		w.Add(world.id(int(n)), world.start(n))
	}
	first := s.Nodes - s.Late
	for n := range first {
		w.After(time.Duration(n)*joinStep, func() { w.Boot(sim.Node(n)) })
	}
	w.Run(time.Duration(first) * joinStep)
	world.Settle()
	return world
}

// checkers returns the world's checkers.
func (s *Settings) checkers() []check.Checker {
	if s.Only {
		return s.Checkers
	}
	checkers := append([]check.Checker{&check.Once{}, &check.Increasing{}, &check.Latest{Late: true}, &check.Queues{}},
		s.Checkers...)
	if s.Polls == 0 {
		s.Polls = 3*s.Nodes/2 + 20
		switch {
		case s.Corona.Witnesses == 0 || s.Unsigned:
		case s.Lies:
			s.Polls += 4 * s.Nodes
		default:
			s.Polls += 2 * s.Nodes
		}
	}
	checkers = append(checkers, &check.PollLimit{Window: s.Corona.Interval,
		Topic: func(engine.ID) int { return s.Polls }})
	if !s.Lies {
		checkers = append(checkers, &check.OneContent{}, &check.Genuine{})
	}
	return checkers
}

func (w *World) id(i int) (id engine.ID) {
	if i < len(w.settings.IDs) {
		return w.settings.IDs[i]
	}
	for j := range id {
		id[j] = byte(w.chance.Uint32())
	}
	return id
}

// settling is how long a ring may need to become right.
const settling = 15 * time.Minute

// Settle runs the world until all nodes that are up form one right ring. Nodes that know no live node are introduced to
// one, as by a user. It panics if that takes too long.
func (w *World) Settle() {
	for end := w.Now() + settling; !w.right(); {
		if w.Now() > end {
			panic(fmt.Sprintf("coronatest: seed %d: no right ring after %v", w.Seed(), settling))
		}
		if end-w.Now() == settling-2*time.Minute {
			w.introduce()
		}
		w.Run(time.Second)
	}
}

// introduce lets all nodes meet an active one.
func (w *World) introduce() {
	active := w.Active()
	if len(active) == 0 {
		return
	}
	for n := range sim.Node(w.Len()) {
		if w.Up(n) {
			w.Node(n).Pastry.Join(w.Peer(active[0]))
		}
	}
}

func (w *World) right() bool {
	ring := &check.Ring{Half: w.settings.Pastry.LeafSet / 2, Leaves: func(n sim.Node) []engine.Peer {
		below, above := w.Node(n).Pastry.LeafSet()
		return append(below, above...)
	}}
	up := 0
	for n := range sim.Node(w.Len()) {
		if w.Up(n) {
			up++
		}
	}
	return len(w.Active()) == up && ring.Wrong(w.World) == 0
}

// Node returns the incarnation of a node that is up.
func (w *World) Node(n sim.Node) *Node { return w.Protocol(n).(*Node) }

// Active returns the nodes that are part of the ring, in order.
func (w *World) Active() (active []sim.Node) {
	for n := range sim.Node(w.Len()) {
		if w.Up(n) && w.Node(n).Pastry.Active() {
			active = append(active, n)
		}
	}
	return active
}

// Owners returns the k live nodes that are closest to a channel, the primary first.
func (w *World) Owners(channel engine.ID, k int) []sim.Node {
	var up []sim.Node
	for n := range sim.Node(w.Len()) {
		if w.Up(n) {
			up = append(up, n)
		}
	}
	slices.SortFunc(up, func(a, b sim.Node) int {
		if engine.Closer(channel, w.Peer(a).ID, w.Peer(b).ID) {
			return -1
		}
		return 1
	})
	return up[:min(k, len(up))]
}

// Pollers returns the nodes that poll a channel now, in order.
func (w *World) Pollers(channel engine.ID) (pollers []sim.Node) {
	for n := range sim.Node(w.Len()) {
		if w.Up(n) && w.Node(n).Poller.Polls(channel) {
			pollers = append(pollers, n)
		}
	}
	return pollers
}

// Subscribe subscribes a node for count readers, now and whenever it starts again. The node must be up.
func (w *World) Subscribe(n sim.Node, c corona.Channel, count int) {
	s := subscription{c, count}
	if i := w.wants(n, c.ID); i >= 0 {
		w.wanted[n][i] = s
	} else {
		w.wanted[n] = append(w.wanted[n], s)
		w.Watch.Report(n, check.Subscribed{Topic: c.ID})
	}
	w.Do(n, func(engine.Protocol) { w.Node(n).subscribe(s) })
}

// Unsubscribe ends what Subscribe began. The node must be up.
func (w *World) Unsubscribe(n sim.Node, channel engine.ID) {
	if i := w.wants(n, channel); i >= 0 {
		w.wanted[n] = slices.Delete(w.wanted[n], i, i+1)
		w.Watch.Report(n, check.Unsubscribed{Topic: channel})
		w.Do(n, func(engine.Protocol) { w.Node(n).unsubscribe(channel) })
	}
}

func (w *World) wants(n sim.Node, channel engine.ID) int {
	return slices.IndexFunc(w.wanted[n], func(s subscription) bool { return s.channel.ID == channel })
}

// forget reports to the checkers that a node has lost its disk. Its subscriptions remain: people remember.
func (w *World) forget(n sim.Node) {
	w.Watch.Report(n, check.Forgot{})
	for _, s := range w.wanted[n] {
		w.Watch.Report(n, check.Subscribed{Topic: s.channel.ID})
	}
	for _, p := range w.follows[n] {
		w.Watch.Report(n, check.Subscribed{Topic: p.Topic()})
	}
}

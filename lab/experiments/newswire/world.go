package newswire

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/settled"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/routers/spidercast/graph"
	"tidings/network/sim"
)

// newswireWorld is a world of nodes that subscribe and begin at rest.
type newswireWorld struct {
	*sim.World
	run      *lab.Run
	work     *graph.Interests
	zones    *settled.Network
	topics   []engine.ID
	items    map[uint64]*newswireItem // by number
	counting bool                     // forwarded items count
	reach    newswireReach
	sent     map[sim.Node]int // items that a node has sent on, once for each receiver
}

// newswireItem is a published item, and the nodes to which it is due.
type newswireItem struct {
	at      time.Duration
	from    sim.Node
	due     map[sim.Node]bool // nodes that lack it; those that crashed are removed at the end
	counted bool
}

// newswireReach is what became of items.
type newswireReach struct {
	due, lost int
	seconds   []float64 // deliveries' delays
	recovered int       // by nodes that requested what they had missed
	publisher int       // items that the publishers sent on, or had sent again
	busiest   int       // items that the busiest node sent on
	sendings  int       // of all nodes
	unwanted  int       // items that came to members that do not subscribe
	formula   float64   // which share that is by the formula for filters
	known     float64   // seconds until a subscription is known at the root
	gossip    float64   // bytes a node and second
}

type newsNode struct {
	*engine.Stack
	zones *astrolabe.Node
	wire  *newswire.Node
}

const (
	newswireTopics    = 1000
	newswireFollows   = 10
	newswireBits      = 1024
	newswireLate      = 100 * time.Second // when an item that has not come is lost
	newswireObservers = 100
)

var newswireCodec = engine.NewCodec(astrolabe.Vocabulary, newswire.Vocabulary, testnet.NoteVocabulary)

// newNewswireWorld returns a world with all nodes up.
func newNewswireWorld(run *lab.Run, nodes int, loss float64, rate int) *newswireWorld {
	c := sim.Default(newswireCodec)
	c.Seed, c.Latency, c.Faults.Loss = run.Seed(), testnet.PlanetLab(run.Seed()), loss
	w := &newswireWorld{
		World: sim.New(c), run: run, items: make(map[uint64]*newswireItem), sent: make(map[sim.Node]int),
		work: graph.DrawInterests(rand.New(rand.NewPCG(run.Seed(), 0x3e)), nodes, newswireTopics, newswireFollows,
			newswireFollows, graph.RSS),
	}
	for t := range newswireTopics {
		w.topics = append(w.topics, testnet.TopicID(t))
	}
	zones, wire := astrolabe.Default(), newswire.Default()
	wire.Shape.Bits = newswireBits
	if rate > 0 {
		wire.Rate = rate
	}
	chance := rand.New(rand.NewPCG(run.Seed(), 0x3f))
	for i := range nodes {
		w.Add(engine.DrawID(chance),
			func(env engine.Env, _ *sim.Disk) engine.Protocol { return w.start(env, i, zones, wire) })
	}
	w.zones = testnet.ZonesAtRest(w.World, c.Epoch, zones, nodes,
		func(i int) attr.Row { return attr.Of(newswire.Attributes(wire.Shape.Filter(w.follows(i)))...) })
	w.Observe(w.observe)
	w.BootAll(0)
	return w
}

func (w *newswireWorld) follows(node int) (topics []engine.ID) {
	for _, t := range w.work.Follows[node] {
		topics = append(topics, w.topics[t])
	}
	return topics
}

func (w *newswireWorld) start(env engine.Env, node int, zones astrolabe.Config, wire newswire.Config) engine.Protocol {
	n := &newsNode{Stack: engine.NewStack(env)}
	keys := w.Keys(sim.Node(node))
	n.zones = astrolabe.New(env, zones, astrolabe.Seams{Keys: keys, Settled: w.zones.Of(node)})
	n.Add(engine.Astrolabe, n.zones)
	n.wire = newswire.New(env, wire, newswire.Seams{Member: testnet.Reader{}, Keys: keys}, n.zones)
	n.zones.Watch(n.wire)
	n.Add(engine.NewsWire, n.wire)
	for _, topic := range w.follows(node) {
		n.wire.Join(topic)
	}
	return n
}

func (w *newswireWorld) observe(at time.Duration, n sim.Node, event any) {
	if e, is := event.(newswire.Delivered); is {
		if i := w.items[e.Item]; i != nil && i.due[n] {
			delete(i.due, n)
			if i.counted {
				w.reach.seconds = append(w.reach.seconds, (at - i.at).Seconds())
			}
		}
	}
	if !w.counting {
		return
	}
	switch e := event.(type) {
	case newswire.Forwarded:
		w.reach.sendings++
		w.sent[n]++
		if i := w.items[e.Item]; i != nil && i.from == n {
			w.reach.publisher++
		}
	case newswire.Unwanted:
		w.reach.unwanted++
	case newswire.Recovered:
		w.reach.recovered++
	}
}

func (w *newswireWorld) node(n sim.Node) *newsNode {
	p, _ := w.Protocol(n).(*newsNode)
	return p
}

func (w *newswireWorld) publish(number uint64, from sim.Node, topic int, counted bool) {
	i := &newswireItem{at: w.Now(), from: from, due: make(map[sim.Node]bool), counted: counted}
	for _, n := range w.work.Followers[topic] {
		if w.Up(sim.Node(n)) {
			i.due[sim.Node(n)] = true
		}
	}
	if counted {
		w.reach.due += len(i.due)
	}
	w.items[number] = i
	w.Do(from, func(engine.Protocol) { w.node(from).wire.Publish(w.topics[topic], testnet.NewNote(int(number))) })
}

// done ends the world and returns what became of items. What is due to nodes that are up, but for some, is lost.
func (w *newswireWorld) done(but map[sim.Node]bool) newswireReach {
	for _, i := range w.items {
		for n := range i.due {
			if i.counted && w.Up(n) && !but[n] {
				w.reach.lost++
			}
		}
	}
	for _, sent := range w.sent {
		w.reach.busiest = max(w.reach.busiest, sent)
	}
	w.run.Ran(w.World)
	slices.Sort(w.reach.seconds)
	return w.reach
}

func (w *newswireWorld) anyNode() sim.Node {
	for {
		if n := sim.Node(w.Rand().IntN(w.Len())); w.Up(n) {
			return n
		}
	}
}

// measureReach publishes items in a world of some size, in some trouble.
func measureReach(run *lab.Run, s newswireSizes, nodes int, t newswireTrouble) newswireReach {
	w := newNewswireWorld(run, nodes, t.loss, 0)
	if t.name == "reach" {
		w.measureRest(s)
	} else {
		run.Advance(w.World, 5*time.Second)
	}
	w.counting = true
	publishers := make([]sim.Node, s.Items)
	for i := range publishers {
		publishers[i] = w.anyNode()
	}
	w.fail(t.failed, publishers)
	for i, p := range publishers {
		w.publish(uint64(i+1), p, i, true)
		run.Advance(w.World, time.Second)
	}
	w.await(newswireLate, nil)
	w.reach.formula = w.expectedUnwanted(s.Items)
	return w.done(nil)
}

// await lets time pass until all but some have what is due to them, at most so long.
func (w *newswireWorld) await(most time.Duration, but map[sim.Node]bool) {
	w.run.Until(w.World, most, time.Second, func() bool { return !w.isDue(but) })
}

// isDue reports whether a node that is up lacks an item, but for some.
func (w *newswireWorld) isDue(but map[sim.Node]bool) bool {
	for _, i := range w.items {
		for n := range i.due {
			if w.Up(n) && !but[n] {
				return true
			}
		}
	}
	return false
}

// fail crashes a share of the zones' representatives, but none of some.
func (w *newswireWorld) fail(share float64, but []sim.Node) {
	for n := range sim.Node(w.Len()) {
		if w.speaks(n) && !slices.Contains(but, n) && w.Rand().Float64() < share {
			w.Crash(n)
		}
	}
}

// speaks reports whether a node is a representative of a zone.
func (w *newswireWorld) speaks(n sim.Node) bool {
	zones := w.node(n).zones
	p, _ := zones.Path()
	for ; p != zone.Root; p = p.Parent() {
		if r, ok := zones.Table(p.Parent()).Get(p.Label()); ok &&
			slices.ContainsFunc(astrolabe.Representatives(r), func(q engine.Peer) bool {
				return q.ID == w.Peer(n).ID
			}) {
			return true
		}
	}
	return false
}

// measureRest measures what zones cost when nothing is published, and after how long a new subscription is known at the
// root.
func (w *newswireWorld) measureRest(s newswireSizes) {
	w.run.Advance(w.World, s.Rest/2)
	before := w.controlBytes()
	began := w.Now()
	w.run.Advance(w.World, s.Rest/2)
	w.reach.gossip = float64(w.controlBytes()-before) / float64(w.Len()) / (w.Now() - began).Seconds()

	observers := make([]sim.Node, newswireObservers)
	for i := range observers {
		observers[i] = w.anyNode()
	}
	subscriber := w.anyNode()
	bit := 0
	w.Do(subscriber, func(engine.Protocol) {
		zones := w.node(subscriber).zones
		filter := zones.Says(newswire.AttrFilter).Bytes
		bit = 8 * len(filter) // that no topic has
		zones.Set(attr.Attribute{Name: newswire.AttrFilter, Value: attr.Bytes(append(slices.Clone(filter), 1))})
	})
	w.reach.known = w.run.Until(w.World, 2*time.Minute, 250*time.Millisecond, func() bool {
		return !slices.ContainsFunc(observers, func(n sim.Node) bool { return !seesBit(w.node(n).zones, bit) })
	}).Seconds()
}

// controlBytes returns how many bytes were sent that do not carry items.
func (w *newswireWorld) controlBytes() (bytes uint64) {
	for kind, c := range w.Counters().Kinds {
		if kind.Protocol() == engine.Astrolabe || kind == new(newswire.CatchUp).Kind() {
			bytes += c.Bytes
		}
	}
	return bytes
}

// expectedUnwanted returns the share of unwanted items among those that come to members, by the formula. A member with
// s of T topics in a filter of m bits is claimed to want one that it does not with a chance of 1-(1-1/m)^s.
func (w *newswireWorld) expectedUnwanted(items int) float64 {
	claim := 1 - math.Pow(1-1./newswireBits, newswireFollows)
	wanted, unwanted := 0.0, 0.0
	for t := range items {
		n := float64(len(w.work.Followers[t]))
		wanted += n
		unwanted += (float64(w.Len()) - n) * claim
	}
	return unwanted / (wanted + unwanted)
}

// measureCutOff publishes items while one representative of a zone after the other is cut off.
func measureCutOff(run *lab.Run, s newswireSizes) newswireReach {
	w := newNewswireWorld(run, s.Flooded, 0, 0)
	run.Advance(w.World, 5*time.Second)
	off := make(map[sim.Node]bool)
	connected := func(speaks bool) sim.Node {
		for {
			if n := w.anyNode(); !off[n] && (!speaks || w.speaks(n)) {
				return n
			}
		}
	}
	for number := range uint64(s.CutOff) {
		n := connected(true)
		off[n] = true
		w.Partition([]sim.Node{n})
		w.publish(number+1, connected(false), int(number)%newswireTopics, true)
		run.Advance(w.World, 2*time.Second)
	}
	w.await(newswireLate, off)
	return w.done(off)
}

// measureFlood publishes items of ten publishers, while another publishes a hundred times as many, or not.
func measureFlood(run *lab.Run, s newswireSizes, flooded bool) newswireReach {
	w := newNewswireWorld(run, s.Flooded, 0, 5)
	run.Advance(w.World, 5*time.Second)
	const (
		publishers = 10
		every      = 5 * time.Second
	)
	var from [publishers]sim.Node
	for i := range from {
		from[i] = w.anyNode()
	}
	flooder := w.anyNode()
	number := uint64(0)
	for end := w.Now() + s.Flood; w.Now() < end; {
		for i, p := range from {
			number++
			w.publish(number, p, i, true)
			for range 10 {
				if flooded { // a hundred in the time of one
					number++
					w.publish(number, flooder, 20, false)
				}
				run.Advance(w.World, every/publishers/10)
			}
		}
	}
	run.Advance(w.World, newswireLate)
	return w.done(nil)
}

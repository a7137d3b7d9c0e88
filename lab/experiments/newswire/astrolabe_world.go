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
	astrotable "tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
	"tidings/network/sim/churn"
)

// astrolabeWorld is a world of nodes that run Astrolabe alone.
type astrolabeWorld struct {
	*sim.World
	run    *lab.Run
	config astrolabe.Config
	chance *rand.Rand
	rest   *settled.Network // nil: there is none
	frozen int              // so many nodes are at rest when they first start
	begun  map[sim.Node]bool
	way    astrolabeWay

	learned []sim.Node // nodes with copies of the root's table that have changed since the last request for it
}

// newAstrolabeWorld returns a world in which some nodes are up and at rest, and others are down.
func newAstrolabeWorld(run *lab.Run, frozen, others int, way astrolabeWay) *astrolabeWorld {
	c := sim.Default(engine.NewCodec(astrolabe.Vocabulary))
	c.Seed, c.Latency, c.Faults.Loss = run.Seed(), sim.Uniform{Min: 5 * time.Millisecond, Max: 100 * time.Millisecond},
		way.loss
	w := &astrolabeWorld{
		World: sim.New(c), run: run, config: astrolabe.Default(), chance: rand.New(rand.NewPCG(run.Seed(), 0xa5)),
		frozen: frozen, begun: make(map[sim.Node]bool), way: way,
	}
	for i := range frozen + others {
		w.Add(engine.DrawID(w.chance),
			func(env engine.Env, _ *sim.Disk) engine.Protocol { return w.start(env, sim.Node(i)) })
	}
	if frozen > 0 {
		w.rest = testnet.ZonesAtRest(w.World, c.Epoch, w.config, frozen, func(int) attr.Row { return nil })
		for i := range frozen {
			w.Boot(sim.Node(i))
		}
	}
	return w
}

func (w *astrolabeWorld) start(env engine.Env, n sim.Node) engine.Protocol {
	seams := astrolabe.Seams{Keys: w.Keys(n)}
	if int(n) < w.frozen && !w.begun[n] {
		seams.Settled = w.rest.Of(int(n))
	} else {
		seams.Contacts = w.contacts(n)
	}
	w.begun[n] = true
	if !w.way.compareOnly {
		return astrolabe.New(env, w.config, seams)
	}
	c := &comparer{Env: env}
	c.Node = astrolabe.New(c, w.config, seams)
	return c
}

func (w *astrolabeWorld) contacts(but sim.Node) (peers []engine.Peer) {
	up := slices.DeleteFunc(w.up(), func(n sim.Node) bool { return n == but })
	for range min(3, len(up)) {
		peers = append(peers, w.Peer(up[w.chance.IntN(len(up))]))
	}
	return peers
}

// comparer is a node that sends rows only in answer to a message: what others want after a comparison. News that it
// would pass on by itself, or say first, waits until somebody compares tables with it.
type comparer struct {
	engine.Env
	*astrolabe.Node
	answering bool
}

func (c *comparer) Receive(from engine.Peer, m engine.Message) {
	c.answering = true
	c.Node.Receive(from, m)
	c.answering = false
}

// Send sends what may be sent.
func (c *comparer) Send(to engine.Peer, m engine.Message) {
	if _, rows := m.(*astrolabe.Rows); rows && !c.answering {
		return
	}
	c.Env.Send(to, m)
}

// node returns a node; nil: it is down.
func (w *astrolabeWorld) node(n sim.Node) *astrolabe.Node {
	if !w.Up(n) {
		return nil
	}
	if c, ok := w.Protocol(n).(*comparer); ok {
		return c.Node
	}
	return w.Protocol(n).(*astrolabe.Node)
}

func (w *astrolabeWorld) up() (nodes []sim.Node) {
	for n := range sim.Node(w.Len()) {
		if w.Up(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// astrolabeLate is when a node that does not know what was said is one that never will.
const astrolabeLate = 15 * time.Minute

// measureFrozen changes attributes of members of a network at rest, one after the other. It returns after how many
// seconds nodes knew of it, ascending.
func measureFrozen(run *lab.Run, nodes, changes int, way astrolabeWay) (seconds []float64) {
	w := newAstrolabeWorld(run, nodes, 0, way)
	run.AdvancePart(w.World, 2*w.config.Interval, 0, changes+1)
	w.Observe(w.observe)
	for i := range changes {
		said, aware := w.Now(), make(map[sim.Node]bool, nodes)
		by := sim.Node(w.chance.IntN(nodes))
		w.Do(by, func(engine.Protocol) {
			w.node(by).Set(attr.Attribute{Name: newswire.AttrFilter, Value: attr.Bytes(bitOf(i))})
		})
		run.Until(w.World, astrolabeLate, 100*time.Millisecond, func() bool {
			for _, n := range w.learned {
				if !aware[n] && seesBit(w.node(n), i) {
					aware[n] = true
					seconds = append(seconds, (w.Now() - said).Seconds())
				}
			}
			w.learned = w.learned[:0]
			return len(aware) == nodes
		})
		run.Part(i+2, changes+1)
	}
	slices.Sort(seconds)
	run.Ran(w.World)
	return seconds
}

func (w *astrolabeWorld) observe(_ time.Duration, n sim.Node, event any) {
	switch e := event.(type) {
	case astrolabe.Learned:
		if e.Zone == zone.Root {
			w.learned = append(w.learned, n)
		}
	case astrolabe.Issued:
		w.learned = append(w.learned, n)
	}
}

// bitOf returns a filter with one bit.
func bitOf(i int) []byte {
	b := make([]byte, i/8+1)
	b[i/8] = 1 << (i % 8)
	return b
}

// seesBit reports whether a node sees a bit of a filter in the root's table.
func seesBit(n *astrolabe.Node, bit int) bool {
	for r := range n.Table(zone.Root).Children() {
		if f := r.Attributes.Get(newswire.AttrFilter).Bytes; bit/8 < len(f) && f[bit/8]>>(bit%8)&1 == 1 {
			return true
		}
	}
	return false
}

// astrolabeJoined is what became of a network that has formed by joining.
type astrolabeJoined struct {
	agree           float64 // seconds
	zones           []int   // members of the leaf zones
	messages, bytes float64 // a node and second, at rest
}

// measureJoined has nodes join one by one, and looks at what they become.
func measureJoined(run *lab.Run, nodes int) (j astrolabeJoined) {
	const step, settle, rest = 50 * time.Millisecond, 2 * time.Minute, 2 * time.Minute
	w := newAstrolabeWorld(run, 0, nodes, astrolabeWay{})
	for n := range sim.Node(nodes) {
		w.Boot(n)
		run.Pass(w.World, step)
		run.Part(int(n), 4*nodes)
	}
	j.agree = run.Until(w.World, 30*time.Minute, time.Second, w.agree).Seconds()
	members := make(map[zone.Path]int)
	for n := range sim.Node(nodes) {
		if p, ok := w.node(n).Path(); ok {
			members[p]++
		}
	}
	for _, m := range members {
		j.zones = append(j.zones, m)
	}
	run.AdvancePart(w.World, settle, 1, 3)
	messages, bytes := w.sent()
	run.AdvancePart(w.World, rest, 2, 3)
	after, bytesAfter := w.sent()
	each := float64(nodes) * rest.Seconds()
	j.messages, j.bytes = float64(after-messages)/each, float64(bytesAfter-bytes)/each
	run.Ran(w.World)
	return j
}

func (w *astrolabeWorld) sent() (messages, bytes uint64) {
	for _, c := range w.Counters().Kinds {
		messages += c.Sent
		bytes += c.Bytes
	}
	return messages, bytes
}

// agree reports whether all nodes that are up have a place, all copies of one table are equal, and the root's counts
// each node once.
func (w *astrolabeWorld) agree() bool {
	nodes := w.up()
	tables := make(map[zone.Path]*astrotable.Table)
	for _, n := range nodes {
		p, ok := w.node(n).Path()
		if !ok || w.counted(n) != len(nodes) {
			return false
		}
		if r, ok := w.node(n).Table(p).Get(zone.Member(w.Peer(n).ID)); !ok || movedOn(r) {
			return false
		}
		for depth := range p.Depth() + 1 {
			q := p.At(depth)
			t := w.node(n).Table(q)
			if tables[q] == nil {
				tables[q] = t
			}
			if !sameContent(tables[q], t) {
				return false
			}
		}
	}
	return true
}

// counted returns how many members there are by a node's copy of the root's table.
func (w *astrolabeWorld) counted(n sim.Node) (members int) {
	t := w.node(n).Table(zone.Root)
	if t == nil {
		return 0
	}
	for r := range t.Children() {
		if !movedOn(r) {
			members += int(r.Attributes.Get(astrolabe.AttrMembers).Integer)
		}
	}
	return members
}

// movedOn reports whether a row is what a member has left behind that is in another zone now.
func movedOn(r astrotable.Row) bool { return r.Attributes.Get("moved").Integer != 0 }

// sameContent reports whether two copies of a table say the same. Stamps may differ: there is always one on its way.
func sameContent(a, b *astrotable.Table) bool {
	if a.Sum() == b.Sum() {
		return true
	}
	if a.Len() != b.Len() {
		return false
	}
	for r := range a.All() {
		if s, ok := b.Get(r.Label); !ok || s.Stamp.Content != r.Stamp.Content {
			return false
		}
	}
	return true
}

// astrolabeFailed is after how many seconds other representatives are named, and the gone member is forgotten.
type astrolabeFailed struct{ named, forgotten float64 }

// measureFailed has the representatives of a leaf zone crash, and then a member of another.
func measureFailed(run *lab.Run, nodes int) (m astrolabeFailed) {
	w := newAstrolabeWorld(run, nodes, 0, astrolabeWay{})
	run.AdvancePart(w.World, time.Minute, 0, 3)
	orphaned, _ := w.node(0).Path()
	row, _ := w.node(0).Table(orphaned.Parent()).Get(orphaned.Label())
	for _, p := range astrolabe.Representatives(row) {
		n, _ := w.NodeAt(p)
		w.Crash(n)
	}
	m.named = run.Until(w.World, 10*time.Minute, 100*time.Millisecond, func() bool {
		return !slices.ContainsFunc(w.up(), func(n sim.Node) bool { return !w.represented(n, orphaned) })
	}).Seconds()
	run.Part(2, 3)

	member := w.plainMember(orphaned)
	p, _ := w.node(member).Path()
	label := zone.Member(w.Peer(member).ID)
	w.Crash(member)
	m.forgotten = run.Until(w.World, 2*w.config.Lifetime, time.Second, func() bool {
		return !slices.ContainsFunc(w.up(), func(n sim.Node) bool {
			t := w.node(n).Table(p)
			if t == nil {
				return false
			}
			_, ok := t.Get(label)
			return ok
		})
	}).Seconds()
	run.Ran(w.World)
	return m
}

// represented reports whether a node's copy of a zone's row, if it has one, names a representative, and none that is
// down.
func (w *astrolabeWorld) represented(n sim.Node, p zone.Path) bool {
	t := w.node(n).Table(p.Parent())
	if t == nil {
		return true
	}
	row, ok := t.Get(p.Label())
	reps := astrolabe.Representatives(row)
	return ok && len(reps) > 0 && !slices.ContainsFunc(reps, func(q engine.Peer) bool {
		m, ok := w.NodeAt(q)
		return !ok || !w.Up(m)
	})
}

// plainMember returns a member of another zone that does not represent its own.
func (w *astrolabeWorld) plainMember(but zone.Path) sim.Node {
	for _, n := range w.up() {
		p, _ := w.node(n).Path()
		row, ok := w.node(n).Table(p.Parent()).Get(p.Label())
		if p != but && ok && !slices.ContainsFunc(astrolabe.Representatives(row),
			func(q engine.Peer) bool { return q.ID == w.Peer(n).ID }) {
			return n
		}
	}
	panic("experiments: all members represent their zones")
}

// astrolabeChurn is what was measured while nodes were replaced.
type astrolabeChurn struct {
	replaced   int
	off, agree float64 // by what share counts differ, and seconds until all agree afterwards
}

// measureAstrolabeChurn has a tenth of the nodes of a network at rest replaced.
func measureAstrolabeChurn(run *lab.Run, nodes int) (m astrolabeChurn) {
	const long, every = 10 * time.Minute, 10 * time.Second
	w := newAstrolabeWorld(run, nodes, max(1, nodes/10), astrolabeWay{})
	run.AdvancePart(w.World, time.Minute, 0, 3)
	all := make([]sim.Node, w.Len())
	for i := range all {
		all[i] = sim.Node(i)
	}
	churn.Replacement{Hourly: 0.1 * float64(time.Hour/long), For: long}.Drive(w.World, all)
	off, polls := 0.0, 0
	for end := w.Now() + long; w.Now() < end; polls++ {
		run.Pass(w.World, every)
		up := w.up()
		n := up[w.chance.IntN(len(up))]
		for _, ok := w.node(n).Path(); !ok; _, ok = w.node(n).Path() {
			n = up[w.chance.IntN(len(up))]
		}
		off += math.Abs(float64(w.counted(n)-len(up))) / float64(len(up))
	}
	run.Part(2, 3)
	m.replaced, m.off = len(w.begun)-nodes, off/float64(polls)
	m.agree = run.Until(w.World, 30*time.Minute, time.Second, w.agree).Seconds()
	run.Ran(w.World)
	return m
}

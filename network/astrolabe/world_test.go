package astrolabe_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
)

// setup says what nodes a world has.
type setup struct {
	seed   uint64 // 0: 1
	config func(*astrolabe.Config)
	homes  []zone.Path
	step   time.Duration // between the starts of two nodes
	sim    func(*sim.Config)
	before func(w *world) // is called before the nodes start
	// seams changes what a node is started with. It has its keys, its home, and up to three contacts among those before
	// it.
	seams func(w *world, n sim.Node, s *astrolabe.Seams)
}

// world is nodes that run Astrolabe.
type world struct {
	*sim.World
	setup
	aggregation astrolabe.Config
	chance      *rand.Rand
}

func newWorld(s setup) *world {
	config := sim.Default(engine.NewCodec(astrolabe.Vocabulary))
	config.Seed = max(1, s.seed)
	config.Latency = sim.Uniform{Min: 5 * time.Millisecond, Max: 100 * time.Millisecond}
	if s.sim != nil {
		s.sim(&config)
	}
	w := &world{sim.New(config), s, astrolabe.Default(), rand.New(rand.NewPCG(config.Seed, 7))}
	if s.config != nil {
		s.config(&w.aggregation)
	}
	for i := range s.homes {
		w.Add(engine.IDOf(fmt.Append(nil, "node ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			return astrolabe.New(env, w.aggregation, w.seamsOf(sim.Node(i)))
		})
	}
	if s.before != nil {
		s.before(w)
	}
	w.BootAll(s.step)
	return w
}

func (w *world) seamsOf(n sim.Node) astrolabe.Seams {
	s := astrolabe.Seams{Keys: w.Keys(n), Home: w.homes[n]}
	for range min(3, n) {
		s.Contacts = append(s.Contacts, w.Peer(sim.Node(w.chance.IntN(int(n)))))
	}
	if w.setup.seams != nil {
		w.setup.seams(w, n, &s)
	}
	return s
}

// node returns a node; nil: it is down.
func (w *world) node(n sim.Node) *astrolabe.Node {
	p, _ := w.Protocol(n).(*astrolabe.Node)
	if !w.Up(n) {
		return nil
	}
	return p
}

// up returns the nodes that run.
func (w *world) up() (nodes []sim.Node) {
	for n := range sim.Node(w.Len()) {
		if w.Up(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// until lets time pass until there is no fault, at most so long. It fails with the one that is left.
func (w *world) until(t testing.TB, within time.Duration, fault func() error) {
	t.Helper()
	from := w.Now()
	for {
		err := fault()
		if err == nil {
			return
		}
		if w.Now()-from >= within {
			t.Fatalf("seed %d, %v later: %v", w.Seed(), w.Now()-from, err)
		}
		w.Run(5 * time.Second)
	}
}

// speaksOf returns how many members the node's copy of a zone's table speaks of.
func (w *world) speaksOf(n sim.Node, p zone.Path) (members int) {
	t := w.node(n).Table(p)
	if t == nil {
		return 0
	}
	for r := range t.Children() {
		if r.Attributes.Get("moved").Integer == 0 {
			members += int(r.Attributes.Get(astrolabe.AttrMembers).Integer)
		}
	}
	return members
}

// agreed returns what is wrong with a network at rest of some nodes. All must have a place and their rows in their
// zones' tables, and all copies of one table must say the same. No zone is too full, the root's table has all members
// and no others, and no node that is down represents any.
func (w *world) agreed(nodes []sim.Node) error {
	tables := make(map[zone.Path]*table.Table)
	for _, n := range nodes {
		p, ok := w.node(n).Path()
		if !ok {
			return fmt.Errorf("node %d has no place", n)
		}
		if r, ok := w.node(n).Table(p).Get(zone.Member(w.Peer(n).ID)); !ok || r.Attributes.Get("moved").Integer != 0 {
			return fmt.Errorf("node %d has no row of its own in %s", n, p)
		}
		for depth := range p.Depth() + 1 {
			q := p.At(depth)
			t := w.node(n).Table(q)
			if tables[q] == nil {
				tables[q] = t
				if err := w.sound(t, q); err != nil {
					return fmt.Errorf("at node %d: %w", n, err)
				}
			}
			if err := same(tables[q], t); err != nil {
				return fmt.Errorf("two copies of the table of %s, one at node %d: %w", q, n, err)
			}
		}
		if members := w.speaksOf(n, zone.Root); members != len(nodes) {
			return fmt.Errorf("the root's table at node %d speaks of %d members, not %d", n, members, len(nodes))
		}
	}
	return nil
}

// same returns in which row two copies of a table differ. Stamps may: there is always one on its way.
func same(a, b *table.Table) error {
	if a.Sum() == b.Sum() {
		return nil
	}
	if a.Len() != b.Len() {
		return fmt.Errorf("one has %d rows, the other %d", a.Len(), b.Len())
	}
	for r := range a.All() {
		if s, ok := b.Get(r.Label); !ok || s.Stamp.Content != r.Stamp.Content {
			return fmt.Errorf("the row %q is not the same in both", r.Label)
		}
	}
	return nil
}

// sound returns what is wrong with a table of a network at rest.
func (w *world) sound(t *table.Table, p zone.Path) error {
	if t.Len() > w.aggregation.Full {
		return fmt.Errorf("%d rows in the table of %s", t.Len(), p)
	}
	for r := range t.Children() {
		for _, rep := range astrolabe.Representatives(r) {
			if n, ok := w.NodeAt(rep); !ok || !w.Up(n) {
				return fmt.Errorf("%s, which is down, represents %q in %s", rep.ID.Short(), r.Label, p)
			}
		}
	}
	return nil
}

// all returns so many homes that are the same.
func all(n int, home zone.Path) []zone.Path {
	homes := make([]zone.Path, n)
	for i := range homes {
		homes[i] = home
	}
	return homes
}

// perMinute returns how many messages a node sends in a minute, as they are in the next two.
func (w *world) perMinute() float64 {
	before := w.sent()
	w.Run(2 * time.Minute)
	return float64(w.sent()-before) / 2 / float64(len(w.up()))
}

func (w *world) sent() (messages uint64) {
	for _, c := range w.Counters().Kinds {
		messages += c.Sent
	}
	return messages
}

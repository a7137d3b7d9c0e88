package forward_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/sim"
)

// town is a world of nodes most of which are private, and an oracle of what they say to each other.
type town struct {
	world  *sim.World
	config forward.Config
	said   map[uint64]saying
	down   map[[2]engine.ID]bool // whom a node believes down
	wrong  []string
	heard  map[uint64]int
	refuse map[[2]sim.Node]bool // the first keeps the second out
}

// refuser is the world of a node that keeps others out.
type refuser struct {
	engine.Env
	town *town
	node sim.Node
}

func (r refuser) Link(id engine.ID) (engine.Peer, bool) { return engine.LinkOf(r.Env, id) }

func (r refuser) Refuses(id engine.ID) bool {
	for pair := range r.town.refuse {
		if pair[0] == r.node && r.town.world.Peer(pair[1]).ID == id {
			return true
		}
	}
	return false
}

// saying is a word, and between whom.
type saying struct{ from, to sim.Node }

func newTown(seed uint64, public, private int) *town {
	c := sim.Default(codec)
	c.Seed, c.Latency = seed, sim.Uniform{Min: 10 * time.Millisecond, Max: 120 * time.Millisecond}
	connections(&c)
	w := &town{world: sim.New(c), config: forward.Default(), said: make(map[uint64]saying),
		down: make(map[[2]engine.ID]bool), heard: make(map[uint64]int), refuse: make(map[[2]sim.Node]bool)}
	for i := range public + private {
		n := w.world.Add(engine.IDOf(fmt.Append(nil, seed, i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			return start(refuser{env, w, sim.Node(i)}, w.world.Keys(sim.Node(i)), w.config)
		})
		if i >= public {
			sim.HomesOf(w.world).Add(n)
		}
		w.world.Boot(n)
	}
	w.world.Observe(w.observe)
	return w
}

// observe holds what protocols see against what was said.
func (w *town) observe(at time.Duration, n sim.Node, event any) {
	self := w.world.Peer(n).ID
	switch e := event.(type) {
	case heard:
		s, ok := w.said[e.Number]
		if !ok || s.to != n || w.world.Peer(s.from) != e.From {
			w.fault("%v: node %d heard word %d from %v, which was %+v", at, n, e.Number, e.From, s)
		}
		if w.heard[e.Number]++; w.heard[e.Number] > 2 {
			w.fault("%v: node %d heard word %d %d times", at, n, e.Number, w.heard[e.Number])
		}
		delete(w.down, [2]engine.ID{self, e.From.ID})
	case down:
		if w.down[[2]engine.ID{self, e.Peer.ID}] {
			w.fault("%v: node %d was told that %v is down, and knew", at, n, e.Peer)
		}
		w.down[[2]engine.ID{self, e.Peer.ID}] = true
	}
}

func (w *town) fault(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// say has a node say a word to another, which may name others, and returns its number. Nothing is said if the node is
// down.
func (w *town) say(from, to sim.Node, of ...sim.Node) uint64 {
	p := w.world.Protocol(from)
	if p == nil || from == to {
		return 0
	}
	number := uint64(len(w.said) + 1)
	w.said[number] = saying{from, to}
	m := &word{Number: number}
	for _, n := range of {
		m.Of = append(m.Of, w.world.Peer(n))
	}
	p.(member).say(w.world.Peer(to), m)
	return number
}

func (w *town) end(n sim.Node) {
	for pair := range w.down {
		if pair[0] == w.world.Peer(n).ID {
			delete(w.down, pair)
		}
	}
}

// step is one thing that happens.
type step struct {
	What     string
	From, To int
	Of       int
	For      time.Duration
}

var steps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
	return step{
		What: rapid.SampledFrom([]string{"say", "say", "say", "say", "crash", "restart", "cut", "heal", "punch",
			"lose"}).Draw(t, "what"),
		From: rapid.IntRange(0, 9).Draw(t, "from"), To: rapid.IntRange(0, 9).Draw(t, "to"),
		Of:  rapid.IntRange(0, 9).Draw(t, "of"),
		For: time.Duration(rapid.IntRange(0, 15_000).Draw(t, "ms")) * time.Millisecond,
	}
}), 1, 60)

func (w *town) play(s step) {
	from, to, of := sim.Node(s.From), sim.Node(s.To), sim.Node(s.Of)
	switch s.What {
	case "say":
		w.say(from, to, of)
	case "crash":
		w.world.Crash(from)
		w.end(from)
	case "restart":
		w.world.Restart(from)
		w.end(from)
	case "cut":
		w.world.CutBetween([]sim.Node{from}, []sim.Node{to})
	case "heal":
		w.world.Heal()
	case "punch":
		if homes := sim.HomesOf(w.world); homes.Has(from) && homes.Has(to) {
			homes.Punch(from, to)
		}
	case "lose":
		w.world.SetFaults(sim.Faults{Loss: 0.2})
	}
	w.world.Run(s.For)
}

// gather has a public node come to know all the others, and name each of them to all.
func (w *town) gather(through sim.Node) {
	for n := range sim.Node(w.world.Len()) {
		w.say(n, through)
	}
	w.world.Run(10 * time.Second)
	for n := range sim.Node(w.world.Len()) {
		for of := range sim.Node(w.world.Len()) {
			w.say(through, n, of)
		}
	}
	w.world.Run(10 * time.Second)
}

// Whatever happens to nodes and links: nobody hears what was not said to it, from whom it is said to come, nor anything
// three times; nobody is told twice that a peer is down. Once there is peace and somebody knows all, everybody hears
// everybody.
func TestScenarios(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newTown(rapid.Uint64().Draw(t, "seed"), 3, 7)
		w.gather(0)
		for _, s := range steps.Draw(t, "steps") {
			w.play(s)
		}
		w.world.Heal()
		w.world.SetFaults(sim.Faults{})
		w.world.BootAll(0)
		w.world.Run(time.Minute)
		w.gather(1)
		w.world.Run(time.Minute)
		w.everybodyHears(t)
		if len(w.wrong) > 0 {
			t.Fatalf("%s", w.wrong[0])
		}
	})
}

// everybodyHears has all nodes speak to all, twice, as the first words may find a route that one side has forgotten.
func (w *town) everybodyHears(t interface{ Fatalf(string, ...any) }) {
	for round := range 2 {
		var numbers []uint64
		for from := range sim.Node(w.world.Len()) {
			for to := range sim.Node(w.world.Len()) {
				if from != to {
					numbers = append(numbers, w.say(from, to))
				}
			}
		}
		w.world.Run(30 * time.Second)
		for _, n := range numbers {
			if s := w.said[n]; round == 1 && w.heard[n] == 0 {
				t.Fatalf("node %d did not hear node %d", s.to, s.from)
			}
		}
	}
}

// With forwarders that come and go, most of what private nodes say to each other arrives, and nobody is told that a
// peer is down that is not.
func TestForwardersComeAndGo(t *testing.T) {
	t.Parallel()
	for _, seed := range sim.Seeds(1, 20) {
		const public, private = 4, 6
		w := newTown(seed, public, private)
		w.gather(0)
		w.gather(1)
		chance := rand.New(rand.NewPCG(seed, 1))
		said, arrived := 0, 0
		for range 200 {
			if chance.IntN(10) == 0 {
				n := sim.Node(chance.IntN(public))
				w.world.Restart(n)
				w.end(n)
				w.gather(n)
			}
			from, to := sim.Node(public+chance.IntN(private)), sim.Node(public+chance.IntN(private))
			if number := w.say(from, to); number != 0 {
				w.world.Run(10 * time.Second)
				said++
				arrived += min(w.heard[number], 1)
			}
		}
		if arrived < said*9/10 {
			t.Errorf("seed %d: %d of %d words arrived", seed, arrived, said)
		}
		if len(w.wrong) > 0 {
			t.Errorf("seed %d: %s", seed, w.wrong[0])
		}
		for pair := range w.down {
			if private := w.privates(public); slices.Contains(private, pair[0]) && slices.Contains(private, pair[1]) {
				t.Errorf("seed %d: %v believes %v down at the end", seed, pair[0].Short(), pair[1].Short())
			}
		}
	}
}

func (w *town) privates(public int) (ids []engine.ID) {
	for n := public; n < w.world.Len(); n++ {
		ids = append(ids, w.world.Peer(sim.Node(n)).ID)
	}
	return ids
}

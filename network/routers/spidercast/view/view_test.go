package view_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/view"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

var codec = engine.NewCodec(engine.Vocabulary{Protocol: engine.SpiderCast, Name: "spidercast", Messages: view.Messages})

func topic(i int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", i)) }

// watched is a View and what its watcher received.
type watched struct {
	*view.View
	known map[engine.ID]view.Entry
	wrong string
}

func (w *watched) Put(e view.Entry) { w.known[e.Peer.ID] = e }

func (w *watched) Remove(id engine.ID) {
	if _, ok := w.known[id]; !ok {
		w.wrong = "an entry was removed that was not there"
	}
	delete(w.known, id)
}

// world is nodes that follow topics and know their views alone; each begins with one contact, which
// came before it.
type world struct {
	*sim.World
	follows [][]engine.ID
	version []uint32
}

func newWorld(w *sim.World, c view.Config, follows [][]engine.ID) *world {
	x := &world{w, follows, make([]uint32, len(follows))}
	for i := range follows {
		n := sim.Node(i)
		w.Add(engine.IDOf(fmt.Append(nil, "node ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			v := &watched{known: make(map[engine.ID]view.Entry)}
			v.View = view.New(env, c, v)
			x.version[n]++
			v.Follow(x.follows[n], interest.Of(x.follows[n], 64), x.version[n])
			v.Meet(w.Peer(sim.Node(w.Rand().IntN(max(i, 1)))))
			return v
		})
	}
	for i := range follows {
		w.Boot(sim.Node(i))
	}
	return x
}

func (x *world) view(n int) *watched { v, _ := x.Protocol(sim.Node(n)).(*watched); return v }

// check returns an error if a watcher knows anything else than its view, or a view is too long.
func (x *world) check(most int) error {
	for i := range x.follows {
		v := x.view(i)
		if v == nil {
			continue
		}
		if v.wrong != "" {
			return fmt.Errorf("%s", v.wrong)
		}
		if len(v.known) != v.Len() || v.Len() > most {
			return fmt.Errorf("node %d has %d entries, its watcher knows %d, %d are allowed", i, v.Len(),
				len(v.known), most)
		}
		covers := make(map[engine.ID]int)
		for _, e := range v.Entries() {
			if k := v.known[e.Peer.ID]; k.Version != e.Version || string(k.Follows) != string(e.Follows) {
				return fmt.Errorf("a watcher was not notified of a change")
			}
			for _, t := range x.follows[i] {
				if e.Follows.Has(interest.NameOf(t)) {
					covers[t]++
				}
			}
		}
		for _, t := range x.follows[i] {
			if covers[t] != v.Covers(t) {
				return fmt.Errorf("node %d knows %d that follow a topic, and counts %d", i, covers[t], v.Covers(t))
			}
		}
	}
	return nil
}

// some draws interests of nodes: five topics of forty each.
func some(seed uint64, nodes int) (list [][]engine.ID) {
	chance := rand.New(rand.NewPCG(seed, 4))
	for range nodes {
		var ids []engine.ID
		for _, i := range chance.Perm(40)[:5] {
			ids = append(ids, topic(i))
		}
		list = append(list, ids)
	}
	return list
}

// short has short views of a large network, so that a view holds a part of it alone.
func short() view.Config {
	c := view.Default()
	c.Least, c.Most, c.Cover = 24, 56, 3
	return c
}

// Views stay within their bounds. They know K followers of each topic if there are as many, even of a topic that five
// nodes in 150 follow (section 2.2).
func TestViewsCoverTopics(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		follows := some(t.Seed(), 150)
		rare := []int{3, 40, 77, 100, 149}
		for _, i := range rare {
			follows[i] = append(follows[i], topic(99))
		}
		x := newWorld(t.World(sim.Default(codec)), short(), follows)
		x.SetFaults(sim.Faults{Loss: 0.05, Duplicate: 0.02, Reorder: 0.05, ReorderBy: time.Second})
		for range 5 {
			x.Run(time.Minute)
			if err := x.check(57); err != nil {
				t.Fatal(err)
			}
		}
		for i := range follows {
			for _, topic := range follows[i] {
				if n := x.view(i).Covers(topic); n < 3 {
					t.Errorf("node %d knows %d that follow one of its topics", i, n)
				}
			}
		}
	})
}

// The size of the network is known within a factor of two.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	for _, nodes := range []int{50, 400} {
		w := sim.New(sim.Default(codec))
		x := newWorld(w, view.Default(), some(1, nodes))
		w.Run(5 * time.Minute)
		off := 0
		for i := range nodes {
			if n := x.view(i).Size(); n < nodes/2 || n > nodes*2 {
				off++
			}
		}
		if off > nodes/10 {
			t.Errorf("%d of %d nodes are wrong about how many there are; the first says %d", off, nodes,
				x.view(0).Size())
		}
	}
}

// The dead are forgotten: those that a node asks itself at once, all others after MaxAge at the latest. No live node
// is.
func TestDeadAgeOut(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		const nodes, dead = 80, 40
		c := view.Default()
		c.MaxAge = 3 * time.Minute
		x := newWorld(t.World(sim.Default(codec)), c, some(t.Seed(), nodes))
		x.Run(5 * time.Minute)
		for i := range dead {
			x.Crash(sim.Node(i))
		}
		x.Run(c.MaxAge + c.Round)
		if err := x.check(90); err != nil {
			t.Fatal(err)
		}
		for i := dead; i < nodes; i++ {
			living := 0
			for _, e := range x.view(i).Entries() {
				if n, _ := x.NodeAt(e.Peer); int(n) < dead {
					t.Errorf("node %d knows the dead node %d, of %d s", i, n, e.Age)
				} else {
					living++
				}
			}
			if living < (nodes-dead)/2 {
				t.Errorf("node %d knows %d of %d others", i, living, nodes-dead-1)
			}
		}
	})
}

// A change of interest spreads: ten minutes later, no node has the former interest.
func TestChangesSpread(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		const nodes = 60
		x := newWorld(t.World(sim.Default(codec)), view.Default(), some(t.Seed(), nodes))
		x.Run(5 * time.Minute)
		x.follows[7] = []engine.ID{topic(77)}
		x.version[7]++
		x.view(7).Follow(x.follows[7], interest.Of(x.follows[7], 64), x.version[7])
		x.Run(10 * time.Minute)
		if err := x.check(90); err != nil {
			t.Fatal(err)
		}
		knows := 0
		for i := range nodes {
			for _, e := range x.view(i).Entries() {
				if n, _ := x.NodeAt(e.Peer); n == 7 {
					if knows++; !e.Follows.Has(interest.NameOf(topic(77))) {
						t.Errorf("node %d believes what was %d s ago", i, e.Age)
					}
				}
			}
		}
		if knows < nodes/2 {
			t.Errorf("only %d know the node", knows)
		}
	})
}

// Two halves of a network that have forgotten each other find together again.
func TestHalvesMeet(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		const nodes = 60
		c := view.Default()
		c.MaxAge = 2 * time.Minute
		x := newWorld(t.World(sim.Default(codec)), c, some(t.Seed(), nodes))
		x.Run(3 * time.Minute)
		var half []sim.Node
		for i := range sim.Node(nodes / 2) {
			half = append(half, i)
		}
		other := func(i int) (count int) {
			for _, e := range x.view(i).Entries() {
				if n, _ := x.NodeAt(e.Peer); (int(n) < nodes/2) != (i < nodes/2) {
					count++
				}
			}
			return count
		}
		cut := x.Partition(half)
		x.Run(10 * time.Minute)
		for i := range nodes {
			if n := other(i); n > 0 {
				t.Fatalf("node %d knows %d of the other half", i, n)
			}
		}
		cut.Heal()
		x.Run(5 * time.Minute)
		for i := range nodes {
			if n := other(i); n < nodes/4 {
				t.Errorf("node %d knows %d of the other half", i, n)
			}
		}
	})
}

// What a node keeps and sends in a round is bounded by known values: the bounds of Config, and two messages of up to 3
// KB.
func TestBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	c := sim.Default(codec)
	w := sim.New(c)
	const nodes = 300
	newWorld(w, view.Default(), some(1, nodes))
	w.Run(5 * time.Minute)
	sent := func() (bytes uint64) {
		for _, k := range w.Counters().Kinds {
			bytes += k.Bytes
		}
		return bytes
	}
	before := sent()
	const minutes = 5
	w.Run(minutes * time.Minute)
	if rate := float64(sent()-before) / nodes / minutes / 60; rate > 700 {
		t.Errorf("a node sends %.0f bytes a second at rest", rate)
	} else {
		t.Logf("a node sends %.0f bytes a second at rest", rate)
	}
}

package overlay_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/ideal"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

var codec = engine.NewCodec(vocabulary)

func topic(i int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", i)) }

// deaf is notified of links and does nothing.
type deaf struct{}

func (deaf) LinkUp(engine.Peer, []engine.ID)      {}
func (deaf) LinkChanged(engine.Peer, []engine.ID) {}
func (deaf) LinkDown(engine.Peer)                 {}

// crowd is overlays that know each other by an ideal membership.
type crowd struct {
	*sim.World
	table   *ideal.Table
	follows [][]engine.ID
}

func newCrowd(w *sim.World, c overlay.Config, follows [][]engine.ID) *crowd {
	table := ideal.NewTable()
	for i, topics := range follows {
		id := engine.IDOf(fmt.Append(nil, "node ", i))
		n := w.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol {
			o := overlay.New(env, c, table.View(id, 1, env.Rand()), deaf{})
			for _, t := range topics {
				o.Join(t)
			}
			return o
		})
		table.Set(w.Peer(n), topics)
	}
	for i := range follows {
		w.Boot(sim.Node(i))
	}
	return &crowd{w, table, follows}
}

func (c *crowd) node(i int) *overlay.Overlay {
	o, _ := c.Protocol(sim.Node(i)).(*overlay.Overlay)
	return o
}

// parts returns in how many parts a topic's followers are.
func (c *crowd) parts(topic engine.ID) (parts int) {
	seen := make(map[int]bool)
	var visit func(i int)
	visit = func(i int) {
		seen[i] = true
		for _, v := range c.node(i).Neighbors() {
			for _, t := range v.Shared {
				if n, _ := c.NodeAt(v.Peer); t == topic && !seen[int(n)] {
					visit(int(n))
				}
			}
		}
	}
	for i := range c.follows {
		for _, t := range c.follows[i] {
			if t == topic && !seen[i] {
				parts++
				visit(i)
			}
		}
	}
	return parts
}

// Two groups share nine topics and have a tenth of their own. With (3,0)-coverage no node is better than a member of
// its own group. So the nine topics fall into two parts (as in table 6 a). Adaptive K_r connects them (section 3.3.1),
// and stops at MaxRandom.
func TestAdaptive(t *testing.T) {
	var follows [][]engine.ID
	for i := range 120 {
		var ids []engine.ID
		for k := range 9 {
			ids = append(ids, topic(k))
		}
		follows = append(follows, append(ids, topic(10+i%2)))
	}
	simtest.Run(t, 4, func(t *simtest.T) {
		apart := newCrowd(t.World(sim.Default(codec)), overlay.Paper(), follows)
		apart.Run(2 * time.Minute)
		together := newCrowd(t.World(sim.Default(codec)), overlay.Default(), follows)
		together.Run(2 * time.Minute)
		if n := apart.parts(topic(0)); n < 2 {
			t.Errorf("with (3,0)-coverage a topic is in %d parts: this shows nothing", n)
		}
		for k := range 9 {
			if n := together.parts(topic(k)); n != 1 {
				t.Errorf("with adaptive K_r topic %d is in %d parts", k, n)
			}
		}
		for i := range follows {
			if r := together.node(i).Random(); r < 1 || r > 3 {
				t.Errorf("node %d has a K_r of %d", i, r)
			}
		}
		together.Run(15 * time.Minute)
		for k := range 9 {
			if n := together.parts(topic(k)); n != 1 {
				t.Errorf("a quarter of an hour later topic %d is in %d parts", k, n)
			}
		}
	})
}

// For a while all nodes follow the same topics, so that K_r rises. It falls again when they follow others, and what it
// has brought goes. No link stays that neither end has a use for, and a node has about as many as before.
func TestAdaptedForAWhile(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		w := t.World(sim.Default(codec))
		var follows, alike [][]engine.ID
		for i := range 36 {
			var ids []engine.ID
			for _, k := range w.Rand().Perm(20)[:4+i%5] {
				ids = append(ids, topic(k))
			}
			follows, alike = append(follows, ids),
				append(alike, []engine.ID{topic(20), topic(21), topic(22), topic(23), topic(24)})
		}
		x := newCrowd(w, overlay.Default(), follows)
		x.Run(10 * time.Minute)
		before := x.links()
		x.follow(alike)
		x.Run(5 * time.Minute)
		raised := 0
		for i := range alike {
			raised += x.node(i).Random()
		}
		if raised == 0 {
			t.Error("nobody covers topics at random: this shows nothing")
		}
		x.follow(follows)
		x.Run(20 * time.Minute)
		if after := x.links(); 4*after > 5*before {
			t.Errorf("there are %d ends of links, where there were %d before", after, before)
		}
		for i := range follows {
			for _, v := range x.node(i).Neighbors() {
				n, _ := x.NodeAt(v.Peer)
				if v.Random && !v.Greedy && x.node(i).Random() == 0 && x.node(int(n)).Random() == 0 {
					t.Errorf("nodes %d and %d cover no topic at random, and keep a link for it", i, n)
				}
			}
		}
	})
}

// If a node's neighbours were like it, and no longer are, it still covers its topics at random for five minutes.
func TestAdaptedToNeighboursThatChange(t *testing.T) {
	w := sim.New(sim.Default(codec))
	topics := []engine.ID{topic(0), topic(1), topic(2), topic(3), topic(4), topic(5)}
	alike, apart := make([][]engine.ID, 36), make([][]engine.ID, 36)
	for i := range alike {
		alike[i], apart[i] = topics, []engine.ID{topics[i%6], topics[(i+1)%6]}
	}
	apart[0] = topics
	x := newCrowd(w, overlay.Default(), alike)
	x.Run(5 * time.Minute)
	if r := x.node(0).Random(); r == 0 {
		t.Fatal("it does not cover its topics at random where all are alike")
	}
	x.follow(apart)
	x.Run(3 * time.Minute)
	before := x.node(0).Random()
	x.Run(10 * time.Minute)
	if after := x.node(0).Random(); before == 0 || after != 0 {
		t.Errorf("K_r is %d after three minutes and %d after thirteen", before, after)
	}
}

// follow has nodes follow other topics.
func (c *crowd) follow(all [][]engine.ID) {
	for i, topics := range all {
		o := c.node(i)
		for _, t := range c.follows[i] {
			if !slices.Contains(topics, t) {
				o.Leave(t)
			}
		}
		for _, t := range topics {
			o.Join(t) // once, if it has joined before
		}
		c.table.Set(c.Peer(sim.Node(i)), topics)
	}
	c.follows = all
}

// links returns how many neighbours all nodes have.
func (c *crowd) links() (count int) {
	for i := range c.follows {
		count += len(c.node(i).Neighbors())
	}
	return count
}

// Where interests differ K_r stays 0: (3,0)-coverage settles (section 3.3.1).
func TestNotAdapted(t *testing.T) {
	w := sim.New(sim.Default(codec))
	var follows [][]engine.ID
	for range 200 {
		var ids []engine.ID
		for _, k := range w.Rand().Perm(60)[:10] {
			ids = append(ids, topic(k))
		}
		follows = append(follows, ids)
	}
	c := newCrowd(w, overlay.Default(), follows)
	c.Run(2 * time.Minute)
	for i := range follows {
		if r := c.node(i).Random(); r > 0 {
			t.Errorf("node %d has a K_r of %d", i, r)
		}
		if u := c.node(i).Uncovered(); len(u) > 0 {
			t.Errorf("node %d lacks cover of %d topics", i, len(u))
		}
	}
}

// A partition outlasts everything but Config.Return. Then topics are in one part again as they were before, though each
// half covered them by itself. In the paper's way they stay apart.
func TestHalvesMeet(t *testing.T) {
	var follows [][]engine.ID
	for i := range 60 {
		var ids []engine.ID
		for k := range 4 {
			ids = append(ids, topic((i*7+k*3)%12))
		}
		follows = append(follows, ids)
	}
	simtest.Run(t, 4, func(t *simtest.T) {
		for _, returns := range []bool{true, false} {
			c := overlay.Default()
			if !returns {
				c.Return = 0
			}
			x := newCrowd(t.World(sim.Default(codec)), c, follows)
			x.Run(2 * time.Minute)
			var half []sim.Node
			for i := range sim.Node(30) {
				half = append(half, i)
			}
			cut := x.Partition(half)
			x.Run(45 * time.Minute)
			apart := 0
			for k := range 12 {
				if x.parts(topic(k)) > 1 {
					apart++
				}
			}
			if apart < 12 {
				t.Errorf("only %d topics are apart", apart)
			}
			cut.Heal()
			x.Run(3 * time.Minute)
			still := 0
			for k := range 12 {
				if x.parts(topic(k)) > 1 {
					still++
				}
			}
			if returns && still > 0 || !returns && still == 0 {
				t.Errorf("with return %v %d topics stay apart", returns, still)
			}
		}
	})
}

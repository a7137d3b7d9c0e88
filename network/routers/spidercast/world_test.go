package spidercast_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tidings/network/engine"
	"tidings/network/routers/routertest"
	"tidings/network/routers/spidercast"
	"tidings/network/routers/spidercast/graph"
	"tidings/network/sim"
)

// interests draws for each node count different topics of all, the i-th with a weight of 1/√i (section 3.1).
func interests(chance *rand.Rand, nodes, all, count int) (list [][]engine.ID) {
	for _, follows := range graph.DrawInterests(chance, nodes, all, count, count, graph.RSS).Follows {
		var ids []engine.ID
		for _, t := range follows {
			ids = append(ids, routertest.Topic(int(t)))
		}
		list = append(list, ids)
	}
	return list
}

// testnet is nodes that find each other by gossip, each from three contacts, without a checker.
type testnet struct {
	*sim.World
	interests [][]engine.ID
}

func newTestnet(w *sim.World, interests [][]engine.ID,
	start func(n sim.Node, env engine.Env, contacts []engine.Peer) engine.Protocol) *testnet {
	c := &testnet{w, interests}
	for i := range interests {
		n := sim.Node(i)
		w.Add(engine.IDOf(fmt.Append(nil, "node ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			var contacts []engine.Peer
			for range 3 {
				contacts = append(contacts, w.Peer(sim.Node(w.Rand().IntN(len(interests)))))
			}
			p := start(n, env, contacts)
			if r, ok := p.(*spidercast.Node); ok {
				for _, t := range interests[n] {
					r.Join(t)
				}
			}
			return p
		})
	}
	for i := range interests {
		w.Boot(sim.Node(i))
	}
	return c
}

func (c *testnet) node(n sim.Node) *spidercast.Node {
	r, _ := c.Protocol(n).(*spidercast.Node)
	return r
}

// degree returns how many links nodes have on average, and the most.
func (c *testnet) degree() (average float64, most int) {
	count := 0
	for i := range c.interests {
		if n := c.node(sim.Node(i)); n != nil {
			d := len(n.Neighbors())
			average, most, count = average+float64(d), max(most, d), count+1
		}
	}
	return average / float64(count), most
}

// shapes returns the shape of the parts for each of the first topics: of the counting nodes that follow it, by links
// that both ends have for it.
func (c *testnet) shapes(topics int, counts func(sim.Node) bool) []graph.Shape {
	number := make(map[engine.ID]int32)
	for i := range topics {
		number[routertest.Topic(i)] = int32(i)
	}
	follows, links := make([][]int32, len(c.interests)), make([][]int32, len(c.interests))
	shared := make(map[[3]int32]bool) // by topic, and the nodes of which the first says so
	for i := range c.interests {
		node := c.node(sim.Node(i))
		if node == nil || !counts(sim.Node(i)) {
			continue
		}
		for _, topic := range c.interests[i] {
			if t, ok := number[topic]; ok {
				follows[i] = append(follows[i], t)
			}
		}
		slices.Sort(follows[i])
		for _, v := range node.Neighbors() {
			if o, ok := c.NodeAt(v.Peer); ok {
				links[i] = append(links[i], int32(o))
				for _, topic := range v.Shared {
					if t, ok := number[topic]; ok {
						shared[[3]int32{t, int32(i), int32(o)}] = true
					}
				}
			}
		}
	}
	g := graph.Graph{Interests: graph.NewInterests(topics, follows), Links: links}
	g.Carries = func(topic, a, b int32) bool { return shared[[3]int32{topic, a, b}] && shared[[3]int32{topic, b, a}] }
	return g.Shapes(false)
}

// cutOff returns which share of the subscriptions are of nodes outside the largest part of their topic.
func (c *testnet) cutOff(topics int, counts func(sim.Node) bool) float64 {
	all, off := 0, 0
	for _, s := range c.shapes(topics, counts) {
		all, off = all+s.Followers, off+s.Outside
	}
	return float64(off) / float64(all)
}

// partitioned returns how many of so many topics are in more than one part.
func (c *testnet) partitioned(topics int, counts func(sim.Node) bool) int {
	return graph.Partitioned(c.shapes(topics, counts))
}

func everybody(sim.Node) bool { return true }

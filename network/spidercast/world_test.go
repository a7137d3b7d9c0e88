package spidercast_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tidings/network/engine"
	"tidings/network/routertest"
	"tidings/network/sim"
	"tidings/network/spidercast"
)

// interests draws for each node count different topics of all, the i-th with a weight of 1/i^alpha (section 3.1).
func interests(chance *rand.Rand, nodes, all, count int, alpha float64) (list [][]engine.ID) {
	for range nodes {
		weights := make([]float64, all)
		for i := range weights {
			weights[i] = math.Pow(float64(i+1), -alpha)
		}
		var ids []engine.ID
		for len(ids) < count {
			sum := 0.0
			for _, w := range weights {
				sum += w
			}
			x := chance.Float64() * sum
			for i, w := range weights {
				if x -= w; x < 0 && w > 0 {
					ids, weights[i] = append(ids, routertest.Topic(i)), 0
					break
				}
			}
		}
		list = append(list, ids)
	}
	return list
}

// crowd is nodes that find each other by gossip, each from three contacts, without a checker.
type crowd struct {
	*sim.World
	interests [][]engine.ID
}

func newCrowd(w *sim.World, interests [][]engine.ID, start func(n sim.Node, env engine.Env, contacts []engine.Peer) engine.Protocol) *crowd {
	c := &crowd{w, interests}
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

func (c *crowd) node(n sim.Node) *spidercast.Node {
	r, _ := c.Protocol(n).(*spidercast.Node)
	return r
}

// degree returns how many links nodes have on average, and the most.
func (c *crowd) degree() (average float64, most int) {
	count := 0
	for i := range c.interests {
		if n := c.node(sim.Node(i)); n != nil {
			d := len(n.Neighbors())
			average, most, count = average+float64(d), max(most, d), count+1
		}
	}
	return average / float64(count), most
}

// parts returns the sizes of the components that the nodes form that follow a topic, by links that both ends have.
func (c *crowd) parts(topic engine.ID, counts func(sim.Node) bool) (sizes []int) {
	leader := make(map[sim.Node]sim.Node)
	var root func(n sim.Node) sim.Node
	root = func(n sim.Node) sim.Node {
		if leader[n] != n {
			leader[n] = root(leader[n])
		}
		return leader[n]
	}
	follows := func(n sim.Node) bool {
		if c.node(n) == nil || !counts(n) {
			return false
		}
		for _, t := range c.interests[n] {
			if t == topic {
				return true
			}
		}
		return false
	}
	shares := func(a, b sim.Node) bool {
		for _, v := range c.node(a).Neighbors() {
			if v.Peer.ID == c.Peer(b).ID {
				for _, t := range v.Shared {
					if t == topic {
						return true
					}
				}
			}
		}
		return false
	}
	for i := range c.interests {
		if n := sim.Node(i); follows(n) {
			leader[n] = n
		}
	}
	for i := range c.interests {
		n := sim.Node(i)
		if !follows(n) {
			continue
		}
		for _, v := range c.node(n).Neighbors() {
			if o, ok := c.NodeAt(v.Peer); ok && follows(o) && shares(n, o) && shares(o, n) {
				leader[root(n)] = root(o)
			}
		}
	}
	size := make(map[sim.Node]int)
	for i := range c.interests {
		if n := sim.Node(i); follows(n) {
			size[root(n)]++
		}
	}
	for _, n := range size {
		sizes = append(sizes, n)
	}
	return sizes
}

// cutOff returns which share of the subscriptions are of nodes outside the largest part of their topic.
func (c *crowd) cutOff(topics int, counts func(sim.Node) bool) float64 {
	all, off := 0, 0
	for i := range topics {
		sizes := c.parts(routertest.Topic(i), counts)
		most := 0
		for _, n := range sizes {
			all += n
			off += n
			most = max(most, n)
		}
		off -= most
	}
	return float64(off) / float64(all)
}

// partitioned returns how many of so many topics are in more than one part.
func (c *crowd) partitioned(topics int, counts func(sim.Node) bool) (partitioned int) {
	for i := range topics {
		if len(c.parts(routertest.Topic(i), counts)) > 1 {
			partitioned++
		}
	}
	return partitioned
}

func everybody(sim.Node) bool { return true }

package params

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// testNode is a node with nothing but the ring and what it agrees on.
type testNode struct {
	*engine.Stack
	ring    *pastry.Node
	settler *Settler
	uses    Agreement
	refuses map[Agreement]bool
	refused int
}

func (n *testNode) Adopt(a Agreement) error {
	if n.refuses[a] {
		return errors.New("not here")
	}
	n.uses = a
	return nil
}

func (n *testNode) Agreed(Agreed)       {}
func (n *testNode) Disagreed(Disagreed) { n.refused++ }

// settling is a Settler as one of a node's protocols.
type settling struct{ *Settler }

func (settling) PeerDown(engine.Peer) {}
func (settling) Stop()                {}

var codec = engine.NewCodec(pastry.Vocabulary,
	engine.Vocabulary{Protocol: engine.Corona, Name: "corona", Messages: Messages})

// usual is what nodes of these tests use, but for the policy.
var usual = Agreement{Interval: 30 * time.Minute, Maintenance: time.Hour, HostCeiling: 18_000, Router: network.Scribe}

// mergingNets is a world of nodes in several networks, each of which begins by itself.
type mergingNets struct {
	*sim.World
	t         *simtest.T
	nodes     []sim.Node
	ring      []int // by node: the network it begins in
	own       []Agreement
	refuse    map[Agreement]bool // by those that start from now on
	attackers map[sim.Node]bool
	lie       func(n sim.Node, to engine.Peer) *Params
}

func newMergingNets(t *simtest.T) *mergingNets {
	c := sim.Default(codec)
	c.Wire = true
	return &mergingNets{World: t.World(c), t: t, attackers: make(map[sim.Node]bool)}
}

// lyingParams says something else of its parameters.
type lyingParams struct {
	engine.Env
	say func(to engine.Peer) *Params
}

func (l lyingParams) Send(to engine.Peer, m engine.Message) {
	if _, ok := m.(*Params); ok {
		m = l.say(to)
	}
	l.Env.Send(to, m)
}

// settle adds nodes of one network, with the policies that they were started with.
func (v *mergingNets) settle(ring int, policies ...string) (added []sim.Node) {
	for _, text := range policies {
		own := usual
		var err error
		if own.Policy, err = honeycomb.ParsePolicy(text); err != nil {
			v.t.Fatal(err)
		}
		added = append(added, v.addNode(ring, own))
	}
	return added
}

// addNode adds a node.
func (v *mergingNets) addNode(ring int, own Agreement) sim.Node {
	var id engine.ID
	for i := range id {
		id[i] = byte(v.Rand().Uint32())
	}
	number := sim.Node(v.Len())
	v.nodes, v.ring, v.own = append(v.nodes, number), append(v.ring, ring), append(v.own, own)
	n := v.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol {
		if v.attackers[number] {
			env = lyingParams{env, func(to engine.Peer) *Params { return v.lie(number, to) }}
		}
		quiet := pastry.Default()
		quiet.KeepAlive, quiet.TablePeriod = 10*time.Minute, 20*time.Minute // rings cost less
		n := &testNode{Stack: engine.NewStack(env), ring: pastry.New(env, quiet), uses: own, refuses: v.refuse}
		n.settler = New(machine.Base{Env: env, Ring: n.ring}, n, own)
		n.ring.OnNeighbours(n.settler.NeighboursChanged)
		n.Add(engine.Pastry, n.ring)
		n.Add(engine.Corona, settling{n.settler})
		if seeds := v.active(v.ring[number]); len(seeds) == 0 {
			n.ring.Create()
		} else {
			n.ring.Join(v.Peer(seeds[v.Rand().IntN(len(seeds))]))
		}
		return n
	})
	v.Boot(n)
	v.Run(3 * time.Second)
	return n
}

func (v *mergingNets) at(n sim.Node) *testNode { return v.Protocol(n).(*testNode) }

func (v *mergingNets) active(ring int) (nodes []sim.Node) {
	for i, n := range v.nodes {
		if v.ring[i] == ring && v.Up(n) && v.at(n).ring.Active() {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// meet makes one network of all.
func (v *mergingNets) meet(a, b sim.Node) {
	v.Do(a, func(engine.Protocol) { v.at(a).ring.Join(v.Peer(b)) })
	for _, ring := range v.ring {
		for i := range v.ring {
			v.ring[i] = ring
		}
	}
}

// honest returns how many of the honest nodes use each policy; "?" if they have not settled.
func (v *mergingNets) honest() map[string]int {
	count := make(map[string]int)
	for _, n := range v.nodes {
		if v.attackers[n] || !v.Up(n) {
			continue
		}
		a, settled := v.at(n).settler.Params()
		name := a.Policy.String()
		if !settled {
			name = "?"
		}
		count[name]++
	}
	return count
}

// agree waits until all honest nodes go by a policy.
func (v *mergingNets) agree(within time.Duration, policy string) {
	v.t.Helper()
	for end := v.Now() + within; ; v.Run(time.Second) {
		count := v.honest()
		if len(count) == 1 && count[policy] > 0 {
			v.t.Logf("agreed on %s at %v", policy, v.Now())
			return
		}
		if v.Now() > end {
			v.t.Fatalf("after %v not all go by %s: %v", within, policy, count)
		}
	}
}

// several returns so many of one policy.
func several(n int, policy string) (all []string) {
	for range n {
		all = append(all, policy)
	}
	return all
}

// A node that joins adopts the network's settings, whatever its own were, within seconds, and plans by them. A node
// alone keeps its own.
func TestJoinWithAnotherPolicy(t *testing.T) {
	simtest.Run(t, 5, func(t *simtest.T) {
		v := newMergingNets(t)
		v.settle(0, "fair")
		v.agree(10*time.Second, "fair")
		v.settle(0, "lite", "fast:30s", "fair-log", "fair", "fair-sqrt")
		v.settle(0, several(20, "lite")...)
		v.agree(10*time.Second, "fair")
		for _, n := range v.nodes {
			if at := v.at(n); at.uses.Policy.Goal != honeycomb.Fair ||
				at.settler.changed == (v.own[n].Policy.Goal == honeycomb.Fair) {
				t.Errorf("node %d goes by %v", n, at.uses.Policy)
			}
		}
		v.Run(3 * time.Hour)
		v.agree(time.Second, "fair")
	})
}

// The ceiling of a host is the network's too: a node that joins adopts it, whatever its own was.
func TestJoinWithAnotherCeiling(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newMergingNets(t)
		for _, ceiling := range []int{500, 500, 0, 1 << 20} {
			own := usual
			own.HostCeiling = ceiling
			v.addNode(0, own)
			v.Run(10 * time.Second)
		}
		for _, n := range v.nodes {
			if at := v.at(n); at.uses.HostCeiling != 500 || at.settler.changed != (v.own[n].HostCeiling != 500) {
				t.Errorf("node %d goes by a ceiling of %d", n, at.uses.HostCeiling)
			}
		}
	})
}

// Whether a network volunteers is agreed on like its policy: a node that joins adopts it. Of two networks that become
// one the larger one's choice holds.
func TestVolunteeringIsAgreedOn(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		volunteers := usual
		volunteers.Volunteers = true
		v := newMergingNets(t)
		way := func() (count [2]int) {
			for _, n := range v.nodes {
				a, _ := v.at(n).settler.Params()
				if a.Volunteers != v.at(n).uses.Volunteers {
					t.Errorf("node %d says %v, and goes by the contrary", n, a.Volunteers)
				}
				if a.Volunteers {
					count[1]++
				} else {
					count[0]++
				}
			}
			return count
		}
		first := v.addNode(0, volunteers)
		v.settle(0, several(5, "lite")...)
		v.Run(10 * time.Second)
		if got := way(); got != [2]int{0, 6} {
			t.Fatalf("%d of the joined nodes plan, %d volunteer", got[0], got[1])
		}
		other := v.settle(1, several(9, "lite")...)[0]
		v.Run(time.Minute)
		v.meet(first, other)
		for end := v.Now() + 2*time.Hour; way() != [2]int{15, 0}; v.Run(time.Second) {
			if v.Now() > end {
				t.Fatalf("in the end %v", way())
			}
		}
	})
}

// A node that is started again alone goes by its own choice, and by the network's once it is back.
func TestRestartAlone(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newMergingNets(t)
		v.settle(0, several(8, "fair")...)
		back := v.settle(0, "fast:30s")[0]
		v.agree(10*time.Second, "fair")
		for _, n := range v.nodes {
			v.Crash(n)
		}
		v.ring[back] = 1
		v.Run(5 * time.Minute)
		v.Boot(back)
		v.Run(10 * time.Second)
		if a, settled := v.at(back).settler.Params(); !settled || a.Policy.String() != "fast:30s" {
			t.Errorf("alone it goes by %v, settled: %v", a.Policy, settled)
		}
		for _, n := range v.nodes[:back] {
			v.Boot(n)
			v.Run(3 * time.Second)
		}
		v.meet(back, 0)
		v.agree(5*time.Minute, "fair")
	})
}

// When networks become one, the larger one's parameters hold at all nodes in the end; of two equally large ones those
// that were set earlier.
func TestNetworksMergeIntoOneWithTheSameParams(t *testing.T) {
	for _, c := range []struct {
		older, younger int
		want           string // empty: any one
	}{{1, 1, "fair"}, {2, 2, "fair"}, {8, 8, "fair"}, {1, 12, "fast:1m"}, {12, 2, "fair"}, {30, 30, ""},
		{15, 45, "fast:1m"}} {
		t.Run(fmt.Sprintf("%d and %d", c.older, c.younger), func(t *testing.T) {
			if testing.Short() && c.older+c.younger > 20 {
				t.Skip("with -short fewer nodes merge")
			}
			simtest.Run(t, 5, func(t *simtest.T) {
				v := newMergingNets(t)
				older := v.settle(0, several(c.older, "fair")...)
				v.Run(time.Minute)
				younger := v.settle(1, several(c.younger, "fast:1m")...)
				v.Run(time.Minute)
				if got := v.honest(); got["fair"] != c.older || got["fast:1m"] != c.younger {
					t.Fatalf("before they meet: %v", got)
				}
				v.meet(younger[0], older[0])
				if c.want != "" {
					v.agree(2*time.Hour, c.want)
					return
				}
				for end := v.Now() + 5*time.Hour; len(v.honest()) > 1; v.Run(time.Second) {
					if v.Now() > end {
						t.Fatalf("they do not agree: %v", v.honest())
					}
				}
				t.Logf("agreed on %v", v.honest())
			})
		})
	}
}

// One node in ten lies: each reports something else all the time, or all report the same, older than anything. No node
// follows them, nor do later ones (hostile 42).
func TestMaliciousNodesDoNotSetParams(t *testing.T) {
	for name, lie := range map[string]func(v *mergingNets, n sim.Node) *Params{
		"each something": func(v *mergingNets, n sim.Node) *Params {
			return &Params{Goal: uint8(v.Rand().IntN(8)), Target: uint32(v.Rand().IntN(3)),
				Interval: uint32(v.Rand().IntN(1 << 30)), Maintenance: uint32(v.Rand().IntN(1 << 30)),
				Since: uint64(v.Rand().IntN(1000)), Settled: true}
		},
		"all the same": func(*mergingNets, sim.Node) *Params {
			return &Params{Goal: uint8(honeycomb.FairLog), Interval: 10_000, Maintenance: 20_000, Since: 1,
				Settled: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			simtest.Run(t, 6, func(t *simtest.T) {
				v := newMergingNets(t)
				v.lie = func(n sim.Node, _ engine.Peer) *Params { return lie(v, n) }
				nodes := 40
				for i := range nodes {
					if i%10 == 9 {
						v.attackers[sim.Node(i)] = true
					}
					v.settle(0, []string{"fair", "lite"}[min(i, 1)])
				}
				v.agree(time.Minute, "fair")
				hours := 6
				if testing.Short() {
					hours = 2
				}
				for range hours {
					v.Run(time.Hour)
					v.settle(0, "lite")
					v.agree(15*time.Second, "fair")
				}
			})
		})
	}
}

// A node reports each agreement that it does not adopt. It uses its own meanwhile, and adopts what it can later.
func TestRefusedParams(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newMergingNets(t)
		fair := usual
		fair.Policy.Goal = honeycomb.Fair
		v.settle(0, several(4, "fair")...)
		v.refuse = map[Agreement]bool{fair: true}
		at := v.at(v.settle(0, "lite")[0])
		v.Run(time.Minute)
		if a, settled := at.settler.Params(); settled || a.Policy.Goal != honeycomb.Lite || at.refused < 3 {
			t.Fatalf("it goes by %v, settled: %v, after refusing %d times", a, settled, at.refused)
		}
		at.refuses = nil
		v.agree(2*time.Minute, "fair")
	})
}

package spidercast_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// Nodes that know three others find neighbours for all their topics by gossip alone. Every topic is connected (sections
// 2.2 and 3.7). That needs fewer links than views of the same length that are drawn at random.
func TestGossip(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	simtest.Run(t, 2, func(t *simtest.T) {
		const nodes, topics = 400, 100
		x := newTestnet(t.World(sim.Default(codec)), interests(rand.New(rand.NewPCG(t.Seed(), 1)), nodes, topics, 10),
			plain)
		x.Run(90 * time.Second)
		degree, most := x.degree()
		uncovered := 0
		for i := range sim.Node(nodes) {
			uncovered += len(x.node(i).Uncovered())
		}
		if parted := x.partitioned(topics, everybody); parted > 0 || uncovered > nodes/100 || degree > 15.5 ||
			most > 35 {
			t.Errorf("degree %.2f, at most %d; %d topics in parts; cover is lacking %d times", degree, most, parted,
				uncovered)
		}
	})
}

func plain(_ sim.Node, env engine.Env, contacts []engine.Peer) engine.Protocol {
	return spidercast.New(env, spidercast.Default(), spidercast.Seams{Contacts: contacts})
}

// Nodes come and go for a mean of 100 seconds, as in section 3.8, with views by gossip. At any time nearly all
// subscriptions that are older than half a minute are in one part. When it is over, all of them are.
func TestChurn(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	simtest.Run(t, 2, func(t *simtest.T) {
		const nodes, topics = 150, 30
		x := newTestnet(t.World(sim.Default(codec)), interests(rand.New(rand.NewPCG(t.Seed(), 1)), nodes, topics, 6),
			plain)
		x.Run(2 * time.Minute)
		since := make([]time.Duration, nodes)
		for round := range 60 {
			for i := range sim.Node(nodes) {
				if up := x.Up(i); up && x.Rand().IntN(20) == 0 {
					x.Crash(i)
				} else if !up && x.Rand().IntN(5) == 0 {
					x.Restart(i)
					since[i] = x.Now()
				}
			}
			x.Run(5 * time.Second)
			stays := func(n sim.Node) bool { return since[n]+30*time.Second < x.Now() }
			if off := x.cutOff(topics, stays); round%6 == 5 && off > 0.05 {
				t.Errorf("after %v %.3f of the subscriptions are cut off", x.Now(), off)
			}
		}
		for i := range sim.Node(nodes) {
			if !x.Up(i) {
				x.Restart(i)
			}
		}
		x.Run(2 * time.Minute)
		if parted := x.partitioned(topics, everybody); parted > 0 {
			t.Errorf("%d topics are in parts when all is over", parted)
		}
	})
}

package ideal_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/spidercast/ideal"
	"tidings/network/spidercast/overlay"
)

// BestPair finds what a look at all nodes and all that they need finds; who is down needs nothing.
func TestBestPairAgainstModel(t *testing.T) {
	const nodes, topics = 8, 6
	peer := func(i int) engine.Peer {
		return engine.Peer{ID: engine.IDOf(fmt.Append(nil, i)), Address: engine.Address(fmt.Sprint(i))}
	}
	rapid.Check(t, func(t *rapid.T) {
		table := ideal.NewTable()
		var views [nodes]*ideal.View
		var follows, needs [nodes]map[int]bool
		boot := func(n int) {
			views[n], needs[n] = table.View(peer(n).ID, 1, rand.New(rand.NewPCG(1, 1))), make(map[int]bool)
		}
		for n := range nodes {
			follows[n] = make(map[int]bool)
			var ids []engine.ID
			for i := range topics {
				if follows[n][i] = rapid.Bool().Draw(t, "follows"); follows[n][i] {
					ids = append(ids, topic(i))
				}
			}
			table.Set(peer(n), ids)
			boot(n)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			n, i := rapid.IntRange(0, nodes-1).Draw(t, "node"), rapid.IntRange(0, topics-1).Draw(t, "topic")
			switch rapid.IntRange(0, 9).Draw(t, "action") {
			case 0:
				boot(n)
			case 1:
				table.Set(peer(n), nil)
				follows[n] = make(map[int]bool)
				boot(n)
			default:
				if on := rapid.Bool().Draw(t, "on"); follows[n][i] {
					needs[n][i] = on
					views[n].Need(overlay.Greedy, topic(i), on)
				}
			}
		}
		gain := func(a, b int) (worth int) { // of a, by b
			for i := range topics {
				if needs[a][i] && follows[b][i] {
					worth += views[0].Worth(topic(i))
				}
			}
			return worth
		}
		up, lacking := 0, 0
		for a := range nodes {
			most := 0
			for b := range nodes {
				if ours := gain(a, b); b != a && ours > 0 {
					most = max(most, ours+gain(b, a))
				}
			}
			p, ours, theirs, ok := views[a].BestPair(overlay.Greedy)
			if ok != (most > 0) || ours+theirs != most {
				t.Fatalf("node %d: a pair worth %d and %d (%v), want %d", a, ours, theirs, ok, most)
			}
			for b := range nodes {
				if p == peer(b) && (ours != gain(a, b) || theirs != gain(b, a)) {
					t.Fatalf("node %d: %d is worth %d and %d, not %d and %d", a, b, gain(a, b), gain(b, a), ours, theirs)
				}
			}
			need := false
			for i := range topics {
				need = need || needs[a][i]
			}
			if len(follows[a]) > 0 && anyOf(follows[a]) {
				up++
			}
			if need {
				lacking++
			}
		}
		if got, want := views[0].Unsettled(overlay.Greedy), float64(lacking)/float64(max(up, 1)); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v of the nodes lack cover, want %v", got, want)
		}
	})
}

func anyOf(set map[int]bool) bool {
	for _, on := range set {
		if on {
			return true
		}
	}
	return false
}

// Rare topics are worth more; on average over what nodes follow, cover is worth MeanWorth.
func TestWorth(t *testing.T) {
	table := ideal.NewTable()
	for n := range 100 {
		topics := []engine.ID{topic(0)}
		if n < 25 {
			topics = append(topics, topic(1))
		}
		table.Set(engine.Peer{ID: engine.IDOf(fmt.Append(nil, n)), Address: "x"}, topics)
	}
	v := table.View(engine.ID{}, 1, rand.New(rand.NewPCG(1, 1)))
	common, rare := v.Worth(topic(0)), v.Worth(topic(1))
	if average := float64(100*common+25*rare) / 125; math.Abs(average-overlay.MeanWorth) > 1 || rare < 2*common-1 || rare > 2*common+2 {
		t.Errorf("a topic of all is worth %d, one of a quarter %d", common, rare)
	}
}

package corona

import (
	"context"
	"testing"
	"time"

	"tidings/lab"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
)

// A ring that is built complete is like a ring of the same nodes that has grown by joins. All leaf sets are the same,
// and the same slots of routing tables are filled. Their nodes are about as near: a fifth farther, as measured, so
// figures are not flattered.
func TestCompleteRingIsLikeOneThatHasGrown(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	t.Parallel()
	const nodes = 300
	grown, built := tableOf(t, nodes, false), tableOf(t, nodes, true)
	filled, missing, more := 0, 0, 0
	var near, nearGrown time.Duration
	for n := range nodes {
		a, b := grown[n], built[n]
		for i, p := range a.leaves {
			if p != b.leaves[i] {
				t.Fatalf("node %d: neighbour %d is %v in a ring that has grown, and %v in one that was built", n, i, p,
					b.leaves[i])
			}
		}
		for slot, rtt := range a.slots {
			filled++
			if other, ok := b.slots[slot]; ok {
				near, nearGrown = near+other, nearGrown+rtt
			} else {
				missing++
			}
		}
		for slot := range b.slots {
			if _, ok := a.slots[slot]; !ok {
				more++
			}
		}
	}
	ratio := near.Seconds() / nearGrown.Seconds()
	t.Logf("%d slots filled in a ring that has grown; in one that was built %d of them are not, and %d others "+
		"are; round trips %.3f times as long",
		filled, missing, more, ratio)
	if missing+more > filled/100 {
		t.Errorf("of %d slots %d are not filled in a ring that was built, and %d others are", filled, missing, more)
	}
	if ratio < 0.8 || ratio > 1.25 {
		t.Errorf("contacts of a ring that was built are %.2f times as far away as in one that has grown", ratio)
	}
}

// slot is one of a routing table.
type slot struct{ row, digit int }

// table is what a node knows.
type table struct {
	leaves []engine.Peer
	slots  map[slot]time.Duration // the round trip to the fastest
}

// tableOf returns what the nodes of a ring know when it has been at rest for a while.
func tableOf(t *testing.T, nodes int, complete bool) (tables []table) {
	t.Helper()
	e := lab.Experiment[struct{}]{
		Name: "table", Title: "what nodes know", Source: "-", About: "-",
		Expect: func(struct{}) []lab.Expected { return []lab.Expected{{Name: "done", Within: lab.Exactly(1)}} },
		Run: func(run *lab.Run, _ struct{}) error {
			w := newHotWorld(run, hotSizes{Nodes: nodes, Upkeep: 1}, 0)
			w.signs = false
			if !complete {
				w.complete = nil
				for i, n := range w.first {
					w.At(time.Duration(i)*50*time.Millisecond, func() { w.Boot(n) })
				}
			} else {
				for _, n := range w.first {
					w.Boot(n)
				}
			}
			run.Pass(w.World, 10*time.Minute)
			for n := range sim.Node(nodes) {
				tables = append(tables, knowledgeOf(w.Protocol(n).(*node).pastry, w.Peer(n).ID))
			}
			run.Figure("done", 1)
			return nil
		},
	}
	if _, err := lab.Try(context.Background(), e, lab.Options{Scale: lab.Tiny, Seed: 1, Seeds: 1}); err != nil {
		t.Fatal(err)
	}
	return tables
}

func knowledgeOf(n *pastry.Node, self engine.ID) table {
	below, above := n.LeafSet()
	k := table{leaves: append(below, above...), slots: make(map[slot]time.Duration)}
	digit := pastry.Default().Digit
	for _, p := range n.Known() {
		row := self.CommonDigits(p.ID, digit)
		at := slot{row, p.ID.Digit(row, digit)}
		rtt, _ := n.RTT(p.ID)
		if old, ok := k.slots[at]; !ok || rtt < old {
			k.slots[at] = rtt
		}
	}
	return k
}

package newswire_test

import (
	"slices"
	"testing"
	"time"

	"tidings/lab/effort"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
)

// speakers returns the representatives of a zone, as a node sees it.
func (w *testNet) speakers(at sim.Node, z zone.Path) (nodes []sim.Node) {
	r, _ := w.testNode(at).zones.Table(z.Parent()).Get(z.Label())
	for _, p := range astrolabe.Representatives(r) {
		n, _ := w.NodeAt(p)
		nodes = append(nodes, n)
	}
	return nodes
}

// row returns a node's own row.
func (w *testNet) row(n sim.Node) table.Row {
	r, _ := w.testNode(n).zones.Table(w.paths[n]).Get(zone.Member(w.Peer(n).ID))
	return r
}

// A node with much to forward represents its zone only until others are known to have less (section 5: "the load on
// each node"). Later the first representatives have no more than half of the places; without loads they would keep all.
// A row announces a load once a minute at most, and a bounded number of times in all. When it is over, all rows say
// that there is nothing to do, and none says anything new.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	seeds := 4
	if effort.All() {
		seeds = 16
	}
	for seed := uint64(7301); seed < 7301+uint64(seeds); seed++ {
		tryLoad(t, seed)
	}
}

func tryLoad(t *testing.T, seed uint64) {
	const minutes = 15

	p := newPlan(24, 12)
	p.world = func(c *sim.Config) { c.Seed = seed }
	p.config.Window = 1
	w := newTown(p)
	z := w.paths[23]
	w.Run(time.Minute)
	digests := func() (all []table.Digest) {
		for n := range sim.Node(24) {
			all = append(all, w.row(n).Stamp.Content)
		}
		return all
	}
	before, first := digests(), w.speakers(0, z)
	changes, kept, places := make(map[sim.Node]int), 0, 0
	for minute := range minutes {
		then := digests()
		for range 60 {
			for publisher := range sim.Node(4) {
				for range 5 {
					w.publish(t, publisher, zone.Root, 0, "")
				}
			}
			w.Run(time.Second)
		}
		for n, digest := range digests() {
			if digest != then[n] {
				changes[sim.Node(n)]++
			}
		}
		if minute < 3 {
			continue
		}
		for _, n := range w.speakers(0, z) {
			places++
			if slices.Contains(first, n) {
				kept++
			}
		}
	}
	t.Logf("seed %d: kept %d of %d", seed, kept, places)
	if 2*kept > places {
		t.Errorf("seed %d: the first representatives kept %d of %d places", seed, kept, places)
	}
	for n, count := range changes {
		if count > 8 {
			t.Errorf("seed %d: node %d has changed its row in %d of %d minutes", seed, n, count, minutes)
		}
	}
	if len(changes) == 0 {
		t.Errorf("seed %d: no row says how busy a node is", seed)
	}
	w.Run(15 * time.Minute)
	if after := digests(); !slices.Equal(after, before) {
		t.Errorf("seed %d: not all rows say that there is nothing to do", seed)
	}
	sent := false
	w.Tap(func(m sim.Delivery) { sent = sent || carriesContent(m.Message) })
	w.Run(10 * time.Minute)
	if sent {
		t.Errorf("seed %d: rows are sent anew, in which nothing has changed", seed)
	}
}

func carriesContent(m engine.Message) bool {
	rows, ok := m.(*astrolabe.Rows)
	return ok && slices.ContainsFunc(rows.Rows, func(u astrolabe.Update) bool { return u.Content != nil })
}

// A load that a person has set stands until it is removed.
func TestLoadThatWasSaid(t *testing.T) {
	w := newTown(newPlan(8, 8))
	for _, said := range []attr.Value{attr.Float(0.3), attr.Int(1), attr.Float(0.3)} {
		w.testNode(0).zones.Set(attr.Attribute{Name: astrolabe.AttrLoad, Value: said})
		w.testNode(0).wire.Join(sub(1))
		w.Run(time.Second)
		if got := w.row(0).Attributes.Get(astrolabe.AttrLoad); !got.Equal(said) {
			t.Errorf("it was said to be %v, and the row says %v", said, got)
		}
		w.testNode(0).zones.Set(attr.Attribute{Name: astrolabe.AttrLoad})
		w.testNode(0).wire.Leave(sub(1))
		w.Run(time.Second)
		if got := w.row(0).Attributes.Get(astrolabe.AttrLoad); !got.Equal(attr.Float(0)) {
			t.Errorf("nothing is said, and the row says %v", got)
		}
	}
}

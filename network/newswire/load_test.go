package newswire_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
)

// speakers returns who speaks for a zone, as a node sees it.
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

// Who has much to forward speaks for its zone no longer than until others are known to have less (section 5: "the load on each node"). A row tells that once a
// minute at most, and no more than a few times in all; when it is over all say that they have nothing to do, and none says anything new.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	p := newPlan(24, 12)
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
	changes, spoke := make(map[sim.Node]int), 0
	for minute := range 15 {
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
		if now := w.speakers(0, z); minute >= 3 && !slices.ContainsFunc(now, func(n sim.Node) bool { return slices.Contains(first, n) }) {
			spoke++
		}
	}
	if spoke < 4 {
		t.Errorf("for %d of 12 minutes others spoke for %s than in the beginning", spoke, z)
	}
	for n, count := range changes {
		if count > 8 {
			t.Errorf("node %d has changed its row in %d of 15 minutes", n, count)
		}
	}
	if len(changes) == 0 {
		t.Error("nobody has told how busy it is")
	}
	w.Run(15 * time.Minute)
	if after := digests(); !slices.Equal(after, before) {
		t.Error("not all tell that they have nothing to do")
	}
	sent := false
	w.Tap(func(m sim.Delivery) { sent = sent || carriesContent(m.Message) })
	w.Run(10 * time.Minute)
	if sent {
		t.Error("rows are told anew, in which nothing has changed")
	}
}

func carriesContent(m engine.Message) bool {
	rows, ok := m.(*astrolabe.Rows)
	return ok && slices.ContainsFunc(rows.Rows, func(u astrolabe.Update) bool { return u.Content != nil })
}

// What people have said of a node's load stands, until they take it back.
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

package newswire_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
)

// speakers returns who speaks for a zone, as a node sees it.
func (w *town) speakers(at sim.Node, z zone.Path) (nodes []sim.Node) {
	r, _ := w.house(at).zones.Table(z.Parent()).Get(z.Label())
	for _, p := range astrolabe.Representatives(r) {
		n, _ := w.NodeAt(p)
		nodes = append(nodes, n)
	}
	return nodes
}

// row returns a node's own row.
func (w *town) row(n sim.Node) table.Row {
	r, _ := w.house(n).zones.Table(w.paths[n]).Get(zone.Member(w.Peer(n).ID))
	return r
}

// Who has much to forward speaks for its zone no longer than until others are known to have less (section 5: "the load on each node"). A row tells that once a
// minute at most, and no more than a few times in all; when it is over all say that they have nothing to do, and none says anything new.
func TestLoad(t *testing.T) {
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
	for minute := range 20 {
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
	if spoke < 5 {
		t.Errorf("for %d of 17 minutes others spoke for %s than in the beginning", spoke, z)
	}
	for n, count := range changes {
		if count > 12 {
			t.Errorf("node %d has changed its row in %d of 20 minutes", n, count)
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
	w.Tap(func(m sim.Passage) { sent = sent || carriesContent(m.Message) })
	w.Run(10 * time.Minute)
	if sent {
		t.Error("rows are told anew, in which nothing has changed")
	}
}

func carriesContent(m engine.Message) bool {
	rows, ok := m.(*astrolabe.Rows)
	return ok && slices.ContainsFunc(rows.Rows, func(u astrolabe.Update) bool { return u.Content != nil })
}

package routertest

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Nodes learn of another root soon after the root has gone, and after it is back.
func TestRootChangesAreReported(t *testing.T) {
	p, notified := directWith(""), 0
	p.RootChanged = func(*direct, engine.ID) { notified++ }
	w := New(sim.New(p.SimConfig()), p, Settings{Nodes: 5})
	w.Join(0, Topic(0))
	w.Run(time.Minute)
	if notified > 0 {
		t.Error("the root has changed by itself")
	}
	root := w.Root(Topic(0))
	w.Crash(root)
	w.Run(2 * time.Second)
	if notified != 4 {
		t.Errorf("%d nodes were notified of another root, want 4", notified)
	}
	if other := w.Host(w.Live()[0]).Root(Topic(0)); other == w.Peer(root) {
		t.Error("the root is down")
	}
	w.Boot(root)
	w.Run(2 * time.Second)
	if notified != 4+5 {
		t.Errorf("%d nodes were notified of roots, want 9", notified)
	}
}

// A node begins with other nodes that are up, each once.
func TestContacts(t *testing.T) {
	p := directWith("")
	w := New(sim.New(p.SimConfig()), p, Settings{Nodes: 8})
	w.Crash(3)
	contacts := w.Host(0).Contacts(6)
	slices.SortFunc(contacts, func(a, b engine.Peer) int { return a.ID.Compare(b.ID) })
	if len(slices.Compact(contacts)) != 6 || slices.Contains(contacts, w.Peer(0)) ||
		slices.Contains(contacts, w.Peer(3)) {
		t.Errorf("contacts are %v", contacts)
	}
	if got := w.Host(0).Contacts(20); len(got) != 6 {
		t.Errorf("%d contacts of 6 that there are", len(got))
	}
}

// Messages are under way as long as coordinates say.
func TestSpace(t *testing.T) {
	p := directWith("")
	c := p.SimConfig()
	c.Seed, c.Latency = 7, Space(7)
	w := New(sim.New(c), p, Settings{Nodes: 30})
	var least, most time.Duration = time.Hour, 0
	for n := range sim.Node(30) {
		here := w.Host(n).Coordinate()
		if err := here.Validate(3); err != nil {
			t.Fatal(err)
		}
		for m := range n {
			rtt := here.Distance(w.Host(m).Coordinate())
			if got := 2 * Space(7).Between(nil, n, m); rtt-got > time.Microsecond || got > rtt {
				t.Errorf("a round trip lasts %v, where coordinates say %v", got, rtt)
			}
			least, most = min(least, rtt), max(most, rtt)
		}
	}
	if least < 4*time.Millisecond || least > 40*time.Millisecond || most > 178*time.Millisecond ||
		most < 120*time.Millisecond {
		t.Errorf("round trips last %v to %v", least, most)
	}
}

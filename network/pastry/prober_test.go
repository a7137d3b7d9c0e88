package pastry

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// probes is the node of a prober: it keeps the peers of address "kept", and has met none else.
type probes struct {
	ended []*probe
	sure  []bool
}

func (*probes) probeFor(_ engine.Peer, leaf bool) (*Probe, uint64) { return &Probe{Leaf: leaf}, 0 }
func (*probes) met(p engine.Peer) bool                             { return p.Address == "kept" }
func (*probes) keeps(p engine.Peer) bool                           { return p.Address == "kept" }
func (*probes) Patience() time.Duration                            { return 0 }
func (n *probes) unanswered(q *probe, sure bool) {
	n.ended, n.sure = append(n.ended, q), append(n.sure, sure)
}

// A peer is asked as often as what depends on its life wants.
func TestProberAsksAsOftenAsNeeded(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	tries := r.config.ProbeTries
	kept, hearsay := engine.Peer{ID: r.key(), Address: "kept"}, engine.Peer{ID: r.key(), Address: "hearsay"}
	for _, c := range []struct {
		name  string
		ask   func(*prober)
		tries int
	}{
		{"hearsay", func(a *prober) { a.ask(hearsay, false) }, 2},
		{"hearsay of a neighbour", func(a *prober) { a.ask(hearsay, true) }, tries},
		{"hearsay, then of a neighbour", func(a *prober) { a.ask(hearsay, false); a.ask(hearsay, true) }, tries},
		{"kept", func(a *prober) { a.ask(kept, false) }, tries},
		{"where it was before", func(a *prober) { a.askElder(hearsay) }, tries},
		{"down", func(a *prober) { a.down(kept, true) }, (tries + 1) / 2},
		{"claimed to be dead", func(a *prober) { a.claim(kept, false, hearsay) }, tries},
	} {
		n := &probes{}
		a := &prober{env: r.envOf(), config: &r.config, node: n}
		c.ask(a)
		r.world.Run(time.Minute)
		if len(n.ended) != 1 || n.ended[0].tries() != c.tries || n.sure[0] != (c.tries == tries) {
			t.Errorf("%s: %+v, %v; want %d tries", c.name, n.ended, n.sure, c.tries)
		}
		if a.answerLate(n.ended[0].peer.ID, n.ended[0].nonce) == nil {
			t.Errorf("%s: a late answer is not known", c.name)
		}
		if a.answerLate(n.ended[0].peer.ID, n.ended[0].nonce) != nil {
			t.Errorf("%s: a late answer counts twice", c.name)
		}
	}
}

// Whatever is asked and answered: a peer has at most one probe, and peers not met have at most MaxProbes. The
// neighbours among the probed are counted, and each probe ends once.
func TestProberEndsEachProbeOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := newRing(t, 1)
		r.config.MaxProbes = 3
		n := &probes{}
		a := &prober{env: r.envOf(), config: &r.config, node: n}
		begun, ended := 0, 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			p := engine.Peer{ID: engine.ID{byte(rapid.IntRange(1, 5).Draw(t, "peer"))}, Address: "hearsay"}
			if p.ID[0] == 1 {
				p.Address = "kept"
			}
			before := len(a.probes)
			switch rapid.SampledFrom([]string{"ask", "leaf", "doubt", "claim", "down", "answer", "cancel",
				"wait"}).Draw(t, "step") {
			case "ask":
				if a.ask(p, false) == nil && p.Address == "kept" {
					t.Fatal("there is no room for a peer that was met")
				}
			case "leaf":
				a.ask(p, true)
			case "doubt":
				a.doubt(p, true)
			case "claim":
				a.claim(p, false, engine.Peer{ID: engine.ID{9}})
			case "down":
				a.down(p, false)
			case "answer":
				if q := a.answer(p, 0); q != nil && q.peer != p {
					t.Fatalf("%v has answered %+v", p, q)
				} else if q != nil {
					ended++
				}
			case "cancel":
				if a.cancel(p) != nil {
					ended++
				}
			case "wait":
				r.world.Run(time.Second)
			}
			begun += max(0, len(a.probes)-before)
			leaves, unmet := 0, 0
			for i, q := range a.probes {
				if a.find(q.peer) != a.probes[i] {
					t.Fatalf("two probes to %v", q.peer)
				}
				if q.leaf {
					leaves++
				}
				if q.peer.Address == "hearsay" {
					unmet++
				}
			}
			if leaves != a.leaves || unmet > r.config.MaxProbes || begun != ended+len(n.ended)+len(a.probes) {
				t.Fatalf("%d of %d neighbours, %d of hearsay; %d begun, %d and %d ended", leaves, a.leaves, unmet,
					begun, ended, len(n.ended))
			}
		}
	})
}

package scribe

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// noTrees are the groups of a node that is in none.
type noTrees struct{}

func (noTrees) spreadOwn(Group, *Event, uint64, int) (parent engine.Peer)       { return parent }
func (noTrees) receiveAsRoot(Group, *Event, engine.Peer) (name uint64, ok bool) { return 0, false }
func (noTrees) knownRoots(Group) []engine.Peer                                  { return nil }

// Whatever is published and accepted in whatever order: each event ends once, as known to all roots or as given up, and
// no more than MaxUntaken wait.
func TestEachPublishedEventEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := enginetest.NewEnv(enginetest.NewPeer("10"))
		ring := &place{owners: peers("80", "81", "7f"), sure: rapid.Bool().Draw(t, "sure")}
		c := Default()
		c.MaxUntaken = 4
		w := newPublisher(env, finder{env, ring, c.Roots}, anything{}, noTrees{}, c)
		name := Group{Topic: engine.PrefixID("80")}
		acks, gaveUp, last := make(map[uint64]int), 0, uint64(0)
		w.onRootAcked = func(a RootAcked) { acks[a.Event.(*numbered).digest]++ }
		t.Repeat(map[string]func(*rapid.T){
			"publish": func(*rapid.T) {
				last++
				w.publish(name, &numbered{digest: last})
			},
			"accept": func(t *rapid.T) {
				root := rapid.SampledFrom(ring.owners).Draw(t, "root")
				digest := rapid.Uint64Range(1, last+1).Draw(t, "digest")
				w.receiveTaken(root, &Taken{Group: name, Name: digest, Roots: ring.owners})
			},
			"wait": func(*rapid.T) { env.Advance(time.Second) },
			"": func(t *rapid.T) {
				gaveUp += len(tracedOf[RootTimedOut](env))
				p := w.index[name]
				if p == nil {
					return
				}
				if len(p.untaken) > c.MaxUntaken || p.number != last {
					t.Fatalf("%d events wait, and the last is number %d, not %d", len(p.untaken), p.number, last)
				}
				for _, u := range p.untaken {
					if len(u.taken) == len(ring.owners) && len(p.roots.list) > 0 {
						t.Fatalf("event %d waits though all roots have it", u.name)
					}
				}
			},
		})
		env.Advance(time.Hour)
		gaveUp += len(tracedOf[RootTimedOut](env))
		whole := 0
		for _, n := range acks {
			if n == len(ring.owners) {
				whole++
			}
			if n > len(ring.owners) {
				t.Fatalf("%d roots accepted an event, of %d", n, len(ring.owners))
			}
		}
		if p := w.index[name]; p != nil && len(p.untaken) > 0 {
			t.Fatalf("%d events wait for ever", len(p.untaken))
		}
		if whole+gaveUp < int(last) {
			t.Fatalf("of %d events all roots have %d, and %d were given up", last, whole, gaveUp)
		}
	})
}

// A probe ends once: by the answer of the node that was asked, or after probeWait. No more than maxProbes are under
// way.
func TestProbesEndOnce(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	s := newProber(env)
	asked := peers("20", "30")
	var got []time.Duration
	for _, p := range asked {
		s.probe(p, func(rtt time.Duration) { got = append(got, rtt) })
	}
	sent := sentOf[*Probe](env.Sent())
	env.Advance(time.Millisecond)
	s.receive(asked[1], &Probed{Number: sent[0].Number}) // of another node
	for range 2 {
		s.receive(asked[0], &Probed{Number: sent[0].Number})
	}
	env.Advance(probeWait)
	s.receive(asked[1], &Probed{Number: sent[1].Number}) // too late
	if want := []time.Duration{time.Millisecond, 0}; !slices.Equal(got, want) {
		t.Errorf("two probes end with %v, not %v", got, want)
	}
	for range maxProbes + 1 {
		s.probe(asked[0], func(time.Duration) {})
	}
	if len(s.open) != maxProbes || len(tracedOf[LimitHit](env)) != 1 {
		t.Errorf("%d probes are under way, not %d", len(s.open), maxProbes)
	}
}

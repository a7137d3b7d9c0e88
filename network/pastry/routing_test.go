package pastry

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// hopsTo is the node of a routing. All messages go to next, or, if that is zero, to this node.
type hopsTo struct {
	active    bool
	to        engine.Peer
	suspected int
}

func (h *hopsTo) ready() bool                                         { return h.active }
func (h *hopsTo) next(*Routed, []engine.ID) (engine.Peer, bool)       { return h.to, !h.to.IsZero() }
func (h *hopsTo) suspect(engine.Peer)                                 { h.suspected++ }
func (h *hopsTo) RTT(engine.ID) (time.Duration, bool)                 { return 0, false }
func (h *hopsTo) Patience() time.Duration                             { return 0 }
func (h *hopsTo) Forward(engine.ID, engine.Message, engine.Peer) bool { return true }
func (h *hopsTo) Deliver(engine.ID, engine.Peer, engine.Message, int) {}

// deliveries is an application that counts what is delivered, by note.
type deliveries struct {
	*hopsTo
	of map[uint64]int
}

func (d deliveries) Deliver(_ engine.ID, _ engine.Peer, m engine.Message, _ int) { d.of[m.(*note).N]++ }

// Whatever arrives, and whatever happens to the node and its hops, a message is delivered at most once, and bounds
// hold. Once all is quiet, nothing is left.
func TestRoutingDeliversOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := newRing(t, 1)
		r.config.MaxPending, r.config.MaxOutgoing, r.config.MaxHeld = 3, 3, 3
		node := &hopsTo{}
		d := deliveries{node, make(map[uint64]int)}
		routing := newRouting(r.envOf(), &r.config, node)
		routing.handle(engine.Experiment, d)
		next, other := engine.Peer{ID: r.key(), Address: "next"}, engine.Peer{ID: r.key(), Address: "other"}
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			number := uint64(rapid.IntRange(0, 5).Draw(t, "number"))
			switch rapid.SampledFrom([]string{"routed", "routed", "own", "ack", "sleep", "wake", "hop", "here",
				"wait"}).Draw(t, "step") {
			case "routed":
				routing.onRouted(other,
					&Routed{Origin: other, Number: number, Try: uint8(rapid.IntRange(0, 2).Draw(t, "try")),
						Payload: &note{number}})
			case "own":
				routing.originate(r.key(), &note{100 + uint64(len(d.of))})
			case "ack":
				from := rapid.SampledFrom([]engine.Peer{next, other}).Draw(t, "from")
				was := routing.pending[name{other.ID, number}] != nil
				if _, awaited := routing.onAck(from, &Ack{Origin: other.ID, Number: number}); awaited != (was &&
					from == next) {
					t.Fatalf("an acknowledgement by %v was awaited: %v", from, awaited)
				}
			case "sleep":
				node.active = false
			case "wake":
				node.active = true
				routing.release()
			case "hop":
				node.to = next
			case "here":
				node.to = engine.Peer{}
			case "wait":
				r.world.Run(time.Second)
			}
			if len(routing.pending) > 3 || len(routing.outgoing) > 3 || len(routing.held) > 3 {
				t.Fatalf("%d pending, %d of its own, %d held", len(routing.pending), len(routing.outgoing),
					len(routing.held))
			}
			for number, times := range d.of {
				if number < 100 && times > 1 {
					t.Fatalf("%d was delivered %d times", number, times)
				}
			}
		}
		node.active = true
		routing.release()
		r.world.Run(10 * time.Minute)
		if len(routing.pending)+len(routing.outgoing)+len(routing.held) > 0 {
			t.Fatalf("%d pending, %d of its own, %d held", len(routing.pending), len(routing.outgoing),
				len(routing.held))
		}
	})
}

// A hop that keeps silent is suspected at each try, up to HopTries; then the message is the origin's.
func TestRoutingTriesHops(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	node := &hopsTo{active: true, to: engine.Peer{ID: r.key(), Address: "next"}}
	routing := newRouting(r.envOf(), &r.config, node)
	origin := engine.Peer{ID: r.key(), Address: "origin"}
	routing.onRouted(origin, &Routed{Origin: origin, Payload: &note{}})
	if r.world.Run(time.Minute); node.suspected != r.config.HopTries || len(routing.pending) > 0 {
		t.Errorf("after %d tries %d are pending", node.suspected, len(routing.pending))
	}
}

// A message that comes twice goes on once, and is acknowledged twice; a further try of its origin's goes on.
func TestRoutingKnowsWhatItHasAccepted(t *testing.T) {
	t.Parallel()
	env := enginetest.NewEnv(enginetest.NewPeer("80"))
	config, next, origin := Default(), enginetest.NewPeer("a0"), enginetest.NewPeer("70")
	routing := newRouting(env, &config, &hopsTo{active: true, to: next})
	for _, c := range []struct {
		try  uint8
		goes bool
	}{{0, true}, {0, false}, {1, true}, {0, false}, {1, false}} {
		routing.onRouted(origin, &Routed{Origin: origin, Try: c.try, Payload: &note{}})
		goes, acks := false, 0
		for _, m := range env.Sent() {
			switch m.Message.(type) {
			case *Routed:
				goes = true
			case *Ack:
				acks++
			}
		}
		if goes != c.goes || acks != 1 {
			t.Errorf("try %d goes on: %v, with %d acknowledgements", c.try, goes, acks)
		}
	}
}

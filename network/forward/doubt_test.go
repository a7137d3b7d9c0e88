package forward_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/sim"
)

// stale is the world of a node that believes that it has a connection with a peer.
type stale struct {
	engine.Env
	peer    *engine.Peer
	doubted *[]engine.ID
}

func (s stale) Link(id engine.ID) (engine.Peer, bool) {
	if id == s.peer.ID {
		return *s.peer, true
	}
	return engine.LinkOf(s.Env, id)
}

func (s stale) Doubt(id engine.ID) { *s.doubted = append(*s.doubted, id) }

// Who comes by a forwarder has no connection any more: where there still seems to be one, it is looked after, and no
// other is.
func TestAConnectionIsDoubtedWhoseOtherEndComesByAForwarder(t *testing.T) {
	t.Parallel()
	c := sim.Default(codec)
	connections(&c)
	w := sim.New(c)
	var lost engine.Peer
	var doubted []engine.ID
	for i := range 3 {
		w.Add(engine.IDOf([]byte{byte(i)}), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			if i == 2 {
				env = stale{env, &lost, &doubted}
			}
			return start(env, w.Keys(sim.Node(i)), forward.Default())
		})
		w.Boot(sim.Node(i))
	}
	sim.HomesOf(w).Add(1, 2)
	of := func(n sim.Node) *talker { return w.Protocol(n).(member).talker }
	for _, n := range []sim.Node{1, 2} {
		of(n).say(w.Peer(0), &word{Number: 1})
	}
	w.Run(time.Second)
	of(0).say(w.Peer(1), &word{Number: 2, Of: []engine.Peer{w.Peer(2)}})
	w.Run(time.Second)
	if len(doubted) > 0 {
		t.Fatalf("%v is doubted", doubted)
	}
	lost = w.Peer(1)
	of(1).say(w.Peer(2), &word{Number: 3})
	w.Run(10 * time.Second)
	if len(doubted) == 0 || slices.ContainsFunc(doubted, func(id engine.ID) bool { return id != lost.ID }) {
		t.Errorf("the node doubts its connections with %v", doubted)
	}
}

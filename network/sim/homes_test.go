package sim

import (
	"testing"
	"time"

	"tidings/network/engine"
)

// homes is a world of recorders of which the first is public and the others are not.
func homes(n int) recorders {
	w := newRecorders(n, func(c *Config) { c.Connections = true })
	for i := 1; i < n; i++ {
		HomesOf(w.World).Add(Node(i))
	}
	return w
}

// sent has a node send a ping and returns whether it arrived.
func (w recorders) sent(from, to Node) bool {
	before := len(w.at(to).heard)
	w.ping(from, to, 1)
	w.Run(time.Second)
	return len(w.at(to).heard) > before
}

// linked reports whether a node knows of a connection with another.
func (w recorders) linked(n, peer Node) bool {
	p, linked := engine.LinkOf(w.at(n).env, w.Peer(peer).ID)
	return linked && p == w.Peer(peer)
}

func TestPrivateNodesAreReachedByTheirConnectionsAlone(t *testing.T) {
	t.Parallel()
	w := homes(3)
	if w.sent(0, 1) || w.linked(0, 1) {
		t.Error("somebody connects to a private node")
	}
	if w.Run(w.config.Detect); len(w.at(0).downs) != 1 || w.at(0).downs[0] != w.Peer(1) {
		t.Errorf("a node that sent to a private node was notified that %v is down", w.at(0).downs)
	}
	if !w.sent(1, 0) || !w.linked(0, 1) || !w.linked(1, 0) || !w.sent(0, 1) {
		t.Error("a connection that a private node has made is not used both ways")
	}
	if w.sent(2, 1) || w.sent(1, 2) {
		t.Error("two private nodes connect")
	}
	HomesOf(w.World).Punch(1, 2)
	if !w.sent(2, 1) || !w.linked(1, 2) {
		t.Error("two private nodes do not connect where a hole can be punched")
	}
	if w.Counters().Dropped[Unreachable] != 3 {
		t.Errorf("%d messages found no way, want 3", w.Counters().Dropped[Unreachable])
	}
}

// By a relay a private node can be connected to while the relay is up, by so many as it has room for. Their messages
// are longer under way.
func TestPrivateNodesAreReachedByRelays(t *testing.T) {
	t.Parallel()
	w := homes(4)
	HomesOf(w.World).Relay(1, 0, 1)
	began := w.Now()
	w.ping(2, 1, 1)
	w.RunUntil(func() bool { return len(w.at(1).heard) > 0 }, time.Minute)
	if elapsed := w.Now() - began; elapsed != 100*time.Millisecond || !w.linked(2, 1) || !w.linked(1, 2) {
		t.Errorf("by the relay it came after %v", elapsed)
	}
	if !w.sent(1, 2) || !w.sent(2, 1) || w.sent(3, 1) {
		t.Error("the relay does not carry both ways, or more than it has room for")
	}
	w.Crash(0)
	if w.sent(1, 2) || w.sent(2, 1) || w.linked(1, 2) {
		t.Error("a connection has outlived the relay")
	}
	w.Boot(0)
	if !w.sent(2, 1) {
		t.Error("nobody connects by the relay that is back")
	}
	w.Crash(2)
	w.Run(time.Second)
	if !w.sent(3, 1) {
		t.Error("a node that has gone uses room at the relay")
	}
}

// A connection ends with either node, with a cut and when nobody uses it. Only the private node can make it anew.
func TestConnectionsOfPrivateNodesEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w recorders){
		"the public node restarts":  func(w recorders) { w.Restart(0) },
		"the private node restarts": func(w recorders) { w.Restart(1) },
		"the link is cut": func(w recorders) {
			w.CutBetween([]Node{0}, []Node{1})
			w.Run(w.config.Detect)
			w.Heal()
		},
		"nobody uses it": func(w recorders) { w.Run(w.config.Idle) },
	} {
		w := homes(2)
		w.sent(1, 0)
		if end(w); w.linked(0, 1) || w.linked(1, 0) || w.sent(0, 1) {
			t.Errorf("%s: the connection is there still", name)
		}
		if !w.sent(1, 0) || !w.sent(0, 1) {
			t.Errorf("%s: the private node does not connect again", name)
		}
	}
}

// What a node sent before it crashed makes no connection with the one that starts after it.
func TestNoConnectionWithTheDead(t *testing.T) {
	t.Parallel()
	w := homes(2)
	w.ping(1, 0, 1)
	w.Restart(1)
	w.Run(time.Second)
	if len(w.at(0).heard) != 1 || w.linked(0, 1) || w.linked(1, 0) {
		t.Errorf("%d messages arrived, and there is a connection", len(w.at(0).heard))
	}
}

func TestNoConnectionsAreKnownWhereNoneAreKept(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	if w.sent(0, 1); w.linked(0, 1) {
		t.Error("a connection in a world without")
	}
	defer func() {
		if recover() == nil {
			t.Error("private nodes in a world without connections")
		}
	}()
	HomesOf(w.World)
}

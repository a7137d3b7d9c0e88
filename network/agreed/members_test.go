package agreed_test

import (
	"testing"

	"tidings/network"
	"tidings/network/agreed"
	"tidings/network/engine"
)

type (
	first  struct{ engine.Message }
	second struct{ engine.Message }
)

func (*first) Kind() engine.Kind  { return 1 }
func (*second) Kind() engine.Kind { return 2 }

// counter is a member that counts what it is asked.
type counter struct{ admitted, delivered int }

func (c *counter) Admit(engine.ID, engine.Message, engine.Peer) (uint64, int, bool) {
	c.admitted++
	return 0, 0, false
}
func (c *counter) Deliver(engine.ID, engine.Message, engine.Peer) { c.delivered++ }

// Each event goes to the member of its kind, and to no other.
func TestMembersDealWithTheirKinds(t *testing.T) {
	var one, others counter
	m := agreed.Members{Kinds: map[engine.Kind]network.Member{1: &one}, Others: &others}
	for _, c := range []struct {
		event engine.Message
		to    *counter
	}{{&first{}, &one}, {&second{}, &others}, {nil, &others}} {
		one, others = counter{}, counter{}
		m.Admit(engine.ID{}, c.event, engine.Peer{})
		m.Deliver(engine.ID{}, c.event, engine.Peer{})
		if (*c.to != counter{1, 1}) || one.admitted+others.admitted != 1 || one.delivered+others.delivered != 1 {
			t.Errorf("%T: %+v, %+v", c.event, one, others)
		}
	}
}

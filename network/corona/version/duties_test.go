package version

import (
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// second is a node that is the second owner of the channel of all tests, and neither polls it nor subscribes to it. It
// counts what it asks of the library.
type second struct {
	Roster
	Plan
	Library
	Owned
	relayed, released int
}

func (s *second) Channel() Channel                      { return news }
func (s *second) Primary() bool                         { return false }
func (s *second) Rank() int                             { return 1 }
func (s *second) Readers(engine.ID) int                 { return 0 }
func (s *second) Polled(engine.ID) (c Channel, is bool) { return c, false }
func (s *second) Relay(Channel)                         { s.relayed++ }
func (s *second) Release(engine.ID)                     { s.released++ }

type rosterOf struct{ *second }

func (r rosterOf) Owned(engine.ID) Owned { return r.second }

// A node that acts for the primary does so for actFor from when it was last asked to. The library keeps the channel
// meanwhile, and again each time that it acts later.
func TestActingForThePrimaryAgain(t *testing.T) {
	t.Parallel()
	env, s := enginetest.NewEnv(enginetest.NewPeer("51")), new(second)
	n := &duties{Base: machine.Base{Env: env}, roster: rosterOf{s}, plan: s, library: s,
		acting: make(map[engine.ID]time.Duration), relayed: make(map[engine.ID]struct{})}
	for round := 1; round <= 3; round++ {
		if n.makes(news.ID) {
			t.Fatal("it acts without being asked to")
		}
		n.act(news.ID)
		n.relay(news.ID)
		env.Advance(actFor / 2)
		n.act(news.ID)
		n.relay(news.ID)
		if env.Advance(actFor - 1); !n.makes(news.ID) || s.released != round-1 {
			t.Errorf("round %d: before its time is over it acts: %v, and has released the channel %d times",
				round, n.makes(news.ID), s.released)
		}
		if env.Advance(1); n.makes(news.ID) {
			t.Errorf("round %d: it acts on", round)
		}
		if env.Advance(2 * relayFor); s.relayed != round || s.released != round {
			t.Errorf("round %d: the library was to keep the channel %d times, and to release it %d times",
				round, s.relayed, s.released)
		}
	}
}

package scribe

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// held is a group of these tests.
type held struct {
	member bool
	names  []uint64
	avoid  []engine.ID
}

func (h *held) isMember() bool                    { return h.member }
func (h *held) wantsSince() time.Duration         { return 0 }
func (h *held) has(name uint64) bool              { return slices.Contains(h.names, name) }
func (h *held) namesSince(time.Duration) []uint64 { return h.names }
func (h *held) avoided(time.Duration) []engine.ID { return h.avoid }

func newComparer(roots []engine.Peer) (*enginetest.Env, *comparer, *comparison) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	c := Default()
	f := finder{env, &place{owners: roots, sure: true}, c.Roots}
	name := Group{Topic: engine.PrefixID("80")}
	return env, &comparer{env, f, anything{}, c}, &comparison{of: name, held: &held{member: true, names: []uint64{1}}}
}

// A member asks all roots but the closest, then the closest, and begins anew: in a round each answers once. Events from
// before a whole round are compared no more.
func TestEachRootIsComparedWithInARound(t *testing.T) {
	roots := peers("80", "81", "7f")
	env, c, s := newComparer(roots)
	for range 3 {
		var asked []engine.Peer
		began := env.Now()
		for range roots {
			c.compare(s)
			for _, m := range env.Sent() {
				if _, ok := m.Message.(*Compare); ok {
					asked = append(asked, m.To)
					c.receiveCompared(s, m.To, &Compared{Group: s.of})
				}
			}
		}
		if asked[len(asked)-1] != roots[0] {
			t.Errorf("the closest is not the last that is asked: %v", asked)
		}
		slices.SortFunc(asked, func(a, b engine.Peer) int { return a.ID.Compare(b.ID) })
		if want := []engine.Peer{roots[2], roots[0], roots[1]}; !slices.Equal(asked, want) {
			t.Errorf("asked in a round are %v, not %v", asked, want)
		}
		s.next.Stop()
		env.Advance(time.Minute)
		c.compare(s)
		if s.settled != began {
			t.Errorf("settled at %v, not when the round began, at %v", s.settled, began)
		}
		s.stop()
		s.answered, s.began = nil, env.Now()
		env.Sent()
	}
}

// A root that does not answer is left out, and another one is asked after gapWait. Where none answers the member waits.
func TestRootsThatDoNotAnswerAreLeftOut(t *testing.T) {
	env, c, s := newComparer(peers("80", "81", "7f"))
	c.compare(s)
	env.Advance(time.Minute / 2)
	if n := len(sentOf[*Compare](env.Sent())); n != compareTries {
		t.Errorf("%d roots are asked, not %d", n, compareTries)
	}
	if s.stop(); len(s.answered) > 0 || s.tries != 0 {
		t.Errorf("answered have %v, after %d tries", s.answered, s.tries)
	}
}

// A comparison in which less comes than was announced is repeated soon, and the round is not a whole one.
func TestWhatIsKeptBackIsAskedForAgain(t *testing.T) {
	for _, came := range []int{0, 1, 2} {
		env, c, s := newComparer(peers("80"))
		c.compare(s)
		s.next.Stop()
		s.partly = false
		env.Sent()
		for range came {
			s.countMissed()
		}
		c.receiveCompared(s, s.with, &Compared{Group: s.of, Missed: 2})
		env.Advance(2 * gapWait)
		if asked, want := len(sentOf[*Compare](env.Sent())) > 0, came < 2; asked != want || s.partly != want {
			t.Errorf("%d of 2 come: asked again %v, in part %v", came, asked, s.partly)
		}
	}
}

// A member that has compared with all roots looks back no further than that round. With another root it compares all
// that anybody keeps, until a whole round is over: where the ring was in parts, that root has what the others lack.
func TestANewRootIsComparedWithFromTheBeginning(t *testing.T) {
	env, c, s := newComparer(nil)
	env.Advance(10 * time.Hour)
	round := func(roots []engine.Peer) (least, most time.Duration) {
		c.finder.ring.(*place).owners = roots
		for i := range roots {
			env.Advance(time.Minute)
			c.compare(s)
			for _, m := range env.Sent() {
				if q, ok := m.Message.(*Compare); ok {
					back := time.Duration(q.Since) * time.Second
					if most = max(most, back); i == 0 || back < least {
						least = back
					}
					c.receiveCompared(s, m.To, &Compared{Group: s.of})
				}
			}
			s.next.Stop()
		}
		return least, most
	}
	for _, roots := range [][]engine.Peer{peers("80", "81", "7f"), peers("80", "82", "7f")} {
		if least, _ := round(roots); least < 10*time.Hour {
			t.Errorf("with new roots it looks back %v", least)
		}
		for range 3 {
			round(roots)
		}
		if _, most := round(roots); most > 10*time.Minute {
			t.Errorf("with known roots it looks back %v", most)
		}
	}
}

// A root that is asked too often names a longer wait. The wait grows with the load. As soon as the load is gone, it
// names none.
func TestABusyRootNamesAWait(t *testing.T) {
	env, c, s := newComparer(nil)
	c.config.CompareLoad = 10
	var paces []uint32
	for range 25 {
		paces = append(paces, c.pace(s))
	}
	minute := uint32(c.config.Compare / time.Second)
	if paces[9] != 0 || paces[10] != 2*minute || paces[24] != 3*minute {
		t.Errorf("the waits are %v", paces)
	}
	env.Advance(c.config.Compare)
	busy := c.pace(s) // the load of the time before counts
	env.Advance(c.config.Compare)
	if rested := c.pace(s); busy == 0 || rested != 0 {
		t.Errorf("the waits are %d s and %d s", busy, rested)
	}
}

package scribe

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

func newSearcher() (*enginetest.Env, *place, *searcher) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	ring := &place{owners: peers("80", "81", "7f")}
	return env, ring, &searcher{env, finder{env, ring, 3}, Default()}
}

// A search first asks the node that was named. Then it asks over random nodes while there are nodes to avoid, then on
// the way to the root. The waits double, up to JoinSlow.
func TestASearchTriesOtherWays(t *testing.T) {
	env, ring, w := newSearcher()
	var s search
	bad := enginetest.NewPeer("81")
	s.addAvoided(bad.ID, 0)
	s.askFirst(enginetest.NewPeer("30"))
	join := Join{Group: Group{Topic: engine.PrefixID("80")}, Child: env.Self()}
	tries, wait := 0, w.config.JoinRetry
	var again func()
	again = func() { tries++; w.try(&s, join, []engine.ID{engine.PrefixID("7f")}, again) }
	again()
	if sent := env.Sent(); len(sent) != 1 || sent[0].To != enginetest.NewPeer("30") {
		t.Errorf("first %v is asked", sent)
	}
	for try := 2; try <= 12; try++ {
		before, began := tries, env.Now()
		for tries == before {
			env.Advance(wait / 16)
		}
		if took := env.Now() - began; took < wait*7/8 || took > wait*9/8+wait/16 {
			t.Errorf("try %d comes after %v, with a wait of %v", try, took, wait)
		}
		detoured := len(sentOf[*Detour](env.Sent()))
		if want := try <= detours; want != (detoured == 1) || want == (len(ring.routed) == 1) {
			t.Errorf("try %d: %d detours, %d on the direct way", try, detoured, len(ring.routed))
		}
		ring.routed = nil
		wait = min(2*wait, w.config.JoinSlow)
	}
}

// A bad parent is avoided for avoidFor since it was the last time; of many the latest are.
func TestBadParentsAreAvoidedForAWhile(t *testing.T) {
	var s search
	nodes := peers("20", "30", "40", "50", "60")
	for i, p := range nodes {
		s.addAvoided(p.ID, time.Duration(i)*time.Second)
	}
	s.addAvoided(nodes[2].ID, 10*time.Second) // once more
	var latest []engine.ID
	for _, i := range []int{1, 3, 4, 2} {
		latest = append(latest, nodes[i].ID)
	}
	if got := s.avoided(10 * time.Second); !slices.Equal(got, latest) {
		t.Errorf("avoided are %v, not %v", got, latest)
	}
	if got := s.avoided(avoidFor + 9*time.Second); !slices.Equal(got, latest[3:]) {
		t.Errorf("later %v are avoided, not %v", got, latest[3:])
	}
}

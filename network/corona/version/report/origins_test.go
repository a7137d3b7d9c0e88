package report

import (
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/version/update"
	"tidings/network/engine/enginetest"
)

// A channel that seldom changes claims no polls out of turn, as hosts have one to spare. One that changes often claims
// enough for nearly all intervals, and for one more than in the interval before, but at most VerifiesPerSet.
func TestVerifiesWanted(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("05"))
	n := &origins{around: around{Base: machine.Base{Env: env}, config: update.Config{Interval: halfHour}}}
	changing := func(every time.Duration) *record {
		o := &record{}
		for at := env.Now() - 100*24*time.Hour; at < env.Now(); at += every {
			o.estimate.change(at, halfHour)
		}
		return o
	}
	env.Advance(100 * 24 * time.Hour)
	for _, test := range []struct {
		every time.Duration
		want  uint8
	}{
		{100 * 24 * time.Hour, 0},
		{24 * time.Hour, 0},
		{2 * time.Hour, 1},
		{time.Minute, VerifiesPerSet},
	} {
		if got := n.verifiesWanted(changing(test.every)); got != test.want {
			t.Errorf("of a channel that changes every %v %d are wanted, not %d", test.every, got, test.want)
		}
	}
	o := changing(24 * time.Hour)
	take := func(polls int) {
		for range polls {
			o.remember().verifies.Spend(env.Now(), halfHour, VerifiesPerSet)
		}
	}
	wants := func(want uint8, when string) {
		t.Helper()
		if got := n.verifiesWanted(o); got != want {
			t.Errorf("%s %d are wanted, not %d", when, got, want)
		}
	}
	take(1)
	wants(0, "after one")
	take(2)
	wants(4, "after three")
	env.Advance(halfHour)
	wants(4, "in the interval after it")
	take(VerifiesPerSet)
	wants(VerifiesPerSet, "after as many as there can be")
	env.Advance(halfHour)
	wants(VerifiesPerSet, "in the interval after it")
	env.Advance(halfHour)
	wants(0, "two intervals later")
}

package corona

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// signing are keys of which nothing is asked but that they are there.
type signing struct{ engine.Keys }

// What is signed for a time is believed where the clocks of who signed and who reads differ by five minutes, either way,
// and not much longer (hostile 34).
func TestSignaturesHoldWithFiveMinutesOfDifference(t *testing.T) {
	t.Parallel()
	env := enginetest.NewEnv(enginetest.NewPeer("05"))
	h := &loneNode{}
	n := New(env, h, signing{}, h, h, Default())
	for _, c := range []struct {
		ahead  time.Duration // the signer's clock, of this node's
		report bool          // a report of just now is believed to be one
	}{
		{0, true},
		{5 * time.Minute, true},
		{-5*time.Minute + time.Second, true},
		{5*time.Minute + time.Second, false},
		{-5*time.Minute - time.Second, false},
		{-24 * time.Hour, false},
	} {
		theirs := env.Wall().Add(c.ahead)
		if got := n.version.vouched(&Update{FoundAt: theirs.UnixMilli()}); got != c.report {
			t.Errorf("%v ahead: a report of just now is believed: %v", c.ahead, got)
		}
	}
}

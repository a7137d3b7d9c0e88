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
	lasts := grantLasts * n.config.Maintenance
	for _, c := range []struct {
		ahead  time.Duration // the signer's clock, of this node's
		report bool          // a report of just now is believed to be one
		fresh  bool          // a grant that was just given holds
		ending bool          // so does one that ends now, by the signer's clock
	}{
		{0, true, true, true},
		{5 * time.Minute, true, true, true},
		{-5*time.Minute + time.Second, true, true, true},
		{clockError + time.Second, false, false, true},
		{-clockError - time.Second, false, true, false},
		{-24 * time.Hour, false, false, false},
	} {
		theirs := env.Wall().Add(c.ahead)
		if got := n.version.vouched(&Update{FoundAt: theirs.UnixMilli()}); got != c.report {
			t.Errorf("%v ahead: a report of just now is believed: %v", c.ahead, got)
		}
		if got := n.budget.Holds(theirs.Add(lasts).Unix()); got != c.fresh {
			t.Errorf("%v ahead: a fresh grant holds: %v", c.ahead, got)
		}
		if got := n.budget.Holds(theirs.Unix()); got != c.ending {
			t.Errorf("%v ahead: a grant that ends now holds: %v", c.ahead, got)
		}
	}
}

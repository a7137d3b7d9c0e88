package corona

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// signing are keys of which nothing is asked but that they are there.
type signing struct{ engine.Keys }

// loneRing is a ring in which nobody else is.
type loneRing struct{ Ring }

func (loneRing) Nodes() int          { return 2 }
func (loneRing) OnNeighbours(func()) {}

// What is signed for a time is believed where the clocks of who signed and who reads differ by five minutes, either way,
// and not much longer (hostile 34).
func TestSignaturesHoldWithFiveMinutesOfDifference(t *testing.T) {
	t.Parallel()
	env := enginetest.NewEnv(enginetest.NewPeer("05"))
	n := New(env, loneRing{}, signing{}, idle{}, idle{}, Default())
	lasts := grantLasts * n.config.Maintenance
	for _, c := range []struct {
		ahead  time.Duration // the signer's clock, of this node's
		fresh  bool          // a grant that was just given holds
		ending bool          // so does one that ends now, by the signer's clock
	}{
		{0, true, true},
		{5 * time.Minute, true, true},
		{-5*time.Minute + time.Second, true, true},
		{clockError + time.Second, false, true},
		{-clockError - time.Second, true, false},
		{-24 * time.Hour, false, false},
	} {
		theirs := env.Wall().Add(c.ahead)
		if got := n.budget.Holds(theirs.Add(lasts).Unix()); got != c.fresh {
			t.Errorf("%v ahead: a fresh grant holds: %v", c.ahead, got)
		}
		if got := n.budget.Holds(theirs.Unix()); got != c.ending {
			t.Errorf("%v ahead: a grant that ends now holds: %v", c.ahead, got)
		}
	}
}

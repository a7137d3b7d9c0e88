package update

import (
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

type keys struct{ engine.Keys }

// The signature on a report of just now counts if the clocks differ by at most five minutes, either way (hostile 34).
func TestReportsHoldWithFiveMinutesOfDifference(t *testing.T) {
	t.Parallel()
	env := enginetest.NewEnv(enginetest.NewPeer("51"))
	b := &machine.Base{Env: env, Keys: keys{}}
	for ahead, want := range map[time.Duration]bool{
		0: true, 5 * time.Minute: true, -5 * time.Minute: true, 5*time.Minute + time.Second: false,
		-5*time.Minute - time.Second: false, -24 * time.Hour: false,
	} {
		if got := Vouched(b, &Update{FoundAt: env.Wall().Add(ahead).UnixMilli()}); got != want {
			t.Errorf("%v ahead: a report of just now is believed: %v", ahead, got)
		}
	}
}

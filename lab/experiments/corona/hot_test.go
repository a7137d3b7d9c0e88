package corona

import (
	"testing"

	"tidings/lab/labtest"
)

// All nodes subscribe to one channel. Every node that stays up receives each update: with trees, without them, and
// after a crash. A primary with trees sends less than one without. (Hostile 37, with few subscribers: the experiment
// itself has 10,000, and 100,000 at the scale paper.)
func TestHotChannelReachesAll(t *testing.T) {
	figures := labtest.Figures(t, Hot)
	for _, world := range []string{hotName, hotCrash, hotByDirect, hotByScribe} {
		if lost := figures[world+".lost"]; lost != 0 {
			t.Errorf("%s: %v updates were lost", world, lost)
		}
		if last := figures[world+".reach_last_seconds"]; last <= 0 || last > reachWithin.Seconds() {
			t.Errorf("%s: the last subscriber had an update after %v s", world, last)
		}
	}
	if trees, direct := figures[hotByScribe+".primary_messages"],
		figures[hotByDirect+".primary_messages"]; trees >= direct {
		t.Errorf("a primary sends %v messages with trees, %v without", trees, direct)
	}
}

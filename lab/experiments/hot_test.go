package experiments

import "testing"

// All nodes subscribe to one channel, and nobody who stays up lacks an update, with trees, without them, and after a crash. A
// primary with trees sends less than one without (hostile 37, with few subscribers: the experiment itself has 10,000, and 100,000 at the scale paper).
func TestHotChannelReachesAll(t *testing.T) {
	figures := make(map[string]float64)
	for _, f := range try(t, Hot, 1, 2).Figures {
		figures[f.Name] = f.Here
	}
	for _, world := range []string{hotName, hotCrash, hotByDirect, hotByScribe} {
		if lost := figures[world+hotLost]; lost != 0 {
			t.Errorf("%s: %v updates were lost", world, lost)
		}
		if last := figures[world+hotLast]; last <= 0 || last > lateAtMost.Seconds() {
			t.Errorf("%s: the last subscriber had an update after %v s", world, last)
		}
	}
	if trees, direct := figures[hotByScribe+hotPrimary], figures[hotByDirect+hotPrimary]; trees >= direct {
		t.Errorf("a primary sends %v messages with trees, %v without", trees, direct)
	}
}

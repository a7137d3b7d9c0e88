package corona

import (
	"testing"

	"tidings/lab"
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

// Nodes count a ring differently before their first counts are complete, and after many nodes have crashed. A reader's
// node that counts too many believes fewer witnesses. It polls for some versions itself, and then once a minute.
func TestHotChannelReachesAllSoon(t *testing.T) {
	half := []string{"nodes=200", "updates=20", "crashed=100", "crashed_updates=5"}
	for _, c := range []struct {
		world string
		seed  uint64
		with  []string
	}{
		// the ring is three times as dense around one node
		{hotName, 7904, []string{"nodes=1000", "updates=4", "crashed=1", "crashed_updates=1"}},
		{hotCrash, 7905, half}, // half of the nodes crash, and others still count them
		{hotCrash, 9405, half}, // all owners are among them: their successors know few subscribers
	} {
		if testing.Short() && c.world == hotName {
			continue
		}
		r, err := lab.Try(t.Context(), Hot, lab.Options{Seed: c.seed, Seeds: 1, Scale: lab.Quick,
			With: append(c.with, "compared_nodes=20", "compared_updates=1")})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Figures {
			if f.Name == c.world+".reach_last_seconds" && f.Here > 10 {
				t.Errorf("%s: the last subscriber had an update after %v s", c.world, f.Here)
			}
		}
	}
}

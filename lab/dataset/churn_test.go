package dataset

import (
	"testing"
	"time"
)

// The sessions of a trace add up to its population at every observation.
func TestSessionsAddUpToThePopulation(t *testing.T) {
	sessions, population := TorSessions(), TorPopulation()
	nodes := make(map[int]bool)
	for _, s := range sessions {
		nodes[s.Node] = true
	}
	if len(sessions) != 214385 || len(nodes) != 63170 || len(population) != 2741 {
		t.Errorf("%d sessions of %d nodes, %d observations", len(sessions), len(nodes), len(population))
	}
	checkPopulation(t, sessions, population)
}

func checkPopulation(t *testing.T, sessions []Session, population []Population) {
	t.Helper()
	change := make(map[time.Duration]int)
	for _, s := range sessions {
		change[s.Up]++
		if !s.UpAfter {
			change[s.Down]--
		}
	}
	up := 0
	for _, p := range population {
		up += change[p.At]
		if up != p.Up {
			t.Fatalf("at %v: sessions give %d nodes, the population %d", p.At, up, p.Up)
		}
	}
}

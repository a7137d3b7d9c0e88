package dataset

import (
	"path/filepath"
	"testing"
	"time"
)

// The sessions of a trace add up to its population at every observation.
func TestSessionsAddUpToThePopulation(t *testing.T) {
	folder := filepath.Join(NeedDir(t), "churn")
	for name, want := range map[string]struct{ nodes, sessions, observations int }{
		"tor-relays-2019": {63170, 214385, 2741},
		"open-proxies-a":  {58843, 182748, 0},
		"bt-trackers-a":   {732, 7075, 0},
	} {
		sessions, err := ReadSessions(filepath.Join(folder, name+"-sessions.csv.gz"))
		if err != nil {
			t.Fatal(err)
		}
		population, err := ReadPopulation(filepath.Join(folder, name+"-population.csv.gz"))
		if err != nil {
			t.Fatal(err)
		}
		nodes := make(map[int]bool)
		for _, s := range sessions {
			nodes[s.Node] = true
		}
		if len(sessions) != want.sessions || len(nodes) != want.nodes || want.observations > 0 && len(population) != want.observations {
			t.Errorf("%s: %d sessions of %d nodes, %d observations; want %v", name, len(sessions), len(nodes), len(population), want)
		}
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
				t.Fatalf("%s at %v: sessions give %d nodes, the population %d", name, p.At, up, p.Up)
			}
		}
	}
}

func TestAMissingOrWrongTableIsRefused(t *testing.T) {
	folder := filepath.Join(NeedDir(t), "churn")
	if _, err := ReadSessions(filepath.Join(folder, "nobody-sessions.csv.gz")); err == nil {
		t.Error("a missing trace is read")
	}
	if _, err := ReadSessions(filepath.Join(folder, "tor-relays-2019-population.csv.gz")); err == nil {
		t.Error("a population is read as sessions")
	}
}

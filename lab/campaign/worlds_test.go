package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tidings/lab/cost"
)

// worlds are the seeds of small worlds that ./test runs, four with each router. Under the race detector, which a world
// has no use for as it is one goroutine, it is every fifth.
var worlds = []uint64{1, 2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 19, 20, 21, 22, 23, 24}

func TestWorlds(t *testing.T) {
	kinds, routers, pushed := make(map[Kind]int), make(map[string]int), make(map[string]int)
	for i, seed := range worlds {
		w := Small(seed)
		routers[w.Router]++
		if len(w.Publishers) > 0 {
			pushed[w.Router]++
		}
		for k := range drawnOf(w).Faults {
			kinds[k]++
		}
		if cost.RaceDetector() && i%5 > 0 {
			continue
		}
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			passes(t, w)
		})
	}
	for _, k := range Kinds() {
		if kinds[k] == 0 {
			t.Errorf("no world has the fault %s", k)
		}
	}
	if len(routers) != 5 || len(pushed) < 4 {
		t.Errorf("the routers are %v, those of publishers %v", routers, pushed)
	}
}

// TestScenes runs worlds that have failed once. A campaign writes such files.
func TestScenes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "scenes", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { passes(t, w) })
	}
}

// passes runs a world, and fails the test if an oracle does.
func passes(t *testing.T, w *World) {
	t.Helper()
	o, err := Run(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if o.Bounded != "" {
		t.Errorf("it was not judged to its end: %s", o.Bounded)
	}
	for _, f := range o.Failures {
		t.Errorf("%s: %s", f.Oracle, f.What)
	}
	if t.Failed() {
		t.Logf("%s", w.Scene())
	}
}

package experiments

import (
	"slices"
	"testing"

	"tidings/lab"
	"tidings/lab/cost"
)

// promised lists, for each simulated experiment, which parameters are larger than at the scale tiny. They are as large
// as figures need to mean something, and small enough that three seeds need only some seconds of processor time.
var promised = map[string][]string{
	"engine":     {"nodes=[5000]", "events=50000"}, // a world's own memory does not count for much
	"pastry":     {"nodes=[100]", "lookups=1000", "crash_nodes=60", "trace_for_ns=10m"},
	"scribe":     {"nodes=100", "groups=12", "least=8", "trouble_groups=6"},
	"feedtree":   {"nodes=[10,100]", "items=3", "interior=60"},
	"rappel":     {"networks=32", "large=32", "updates=20", "recorded=24"},
	"spidercast": {"near=80", "viewing=[200]"},
	"astrolabe":  {"frozen=[100,1000]", "joined=[100]", "troubled=200"},
	"newswire":   {"nodes=[1000]", "items=3", "flooded=300", "cut_off=10"},
	"compare":    {"small=60", "topics=12", "events=20", "rows=[hot loss10 crash30 churn liars10]"},
	"corona":     {"nodes=48", "channels=150", "subscriptions=2400", "upkeep=6"},
	// fewer nodes are too few for gangs
	"trust":     {"nodes=200", "channels=30", "subscriptions=900", "upkeep=6", "for_ns=3h", "attacked=15"},
	"hot":       {"nodes=300", "updates=6", "crashed=12", "compared_nodes=100", "compared_updates=3"},
	"volunteer": {"nodes=24", "channels=30", "subscriptions=300"},
}

// missed are judged figures that are known to be outside their bounds at that size, by experiment and figure, with the
// reason.
var missed = map[[2]string]string{
	{"spidercast", "ours.messages_per_join.n60"}: "our overlay's joins need about twice the aim of " +
		"38 messages, also at the paper's scale",
	{"spidercast", "ours.crash20.partitioned_over_paper.n80"}: "more topics come apart than by the paper's rules, " +
		"about 4 more of 100 among 1,000 nodes",
	{"spidercast", "unequal40.degree_of_equal"}: "unequal interests need fewer links than equal ones, 0.89 of " +
		"them also among 1,000 nodes",
}

// TestPromises checks that every judged figure of every simulated experiment is within its bounds with three seeds, or
// with more where single seeds say little.
// Promised figures (Figures.Promise) must be so with each of them.
func TestPromises(t *testing.T) {
	if testing.Short() || cost.RaceDetector() {
		t.Skip("simulates for a minute and a half")
	}
	for _, e := range All() {
		name := e.Describe().Name
		if e.Describe().Live {
			continue
		}
		t.Run(name, func(t *testing.T) {
			with, ok := promised[name]
			if !ok {
				t.Fatal("it has no size here")
			}
			seeds := 3
			if name == "trust" { // so small a world's ratio of delays differs by a quarter from seed to seed
				seeds = 6
			}
			r, err := lab.Try(t.Context(), e, lab.Options{Scale: lab.Tiny, With: with, Seed: 101, Seeds: seeds})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d figures are judged, %.1f s of processor time", len(r.Judged()), r.CPUSeconds)
			for _, f := range r.Judged() {
				switch reason, known := missed[[2]string{name, f.Name}]; {
				case !f.OK && !known:
					t.Errorf("%s is %v: repeat it by %s", f.Name, f.Here, r.Command())
				case f.OK && known:
					t.Errorf("%s is as promised, and is still known to be missed: %s", f.Name, reason)
				}
			}
			for m := range missed {
				if m[0] == name && !slices.ContainsFunc(r.Judged(), func(f lab.Figure) bool { return f.Name == m[1] }) {
					t.Errorf("no figure is called %q", m[1])
				}
			}
		})
	}
}

package lab

import (
	"slices"
	"testing"
)

func TestComparisons(t *testing.T) {
	for _, c := range []struct {
		x, y float64
		want string
	}{
		{1, 1, "neither sooner nor later"}, {0, 0, "neither sooner nor later"}, {1.005, 1, "neither sooner nor later"},
		{0.995, 1, "neither sooner nor later"},
		{1.01, 1, "1 % later"}, {0.985, 1, "2 % sooner"}, {1.4, 1, "40 % later"}, {0.75, 1, "25 % sooner"},
		{1.5, 1, "1.5 times later"}, {1, 1.5, "1.5 times sooner"}, {17.22, 900.1, "52 times sooner"},
		{900, 0.1, "9,000 times later"},
		{0, 3, "sooner (0, not 3)"}, {3, 0, "later (3, not 0)"}, {-1, 2, "sooner (-1, not 2)"},
	} {
		if got := Sooner.of(c.x, c.y); got != c.want {
			t.Errorf("%v and %v: got %q, want %q", c.x, c.y, got, c.want)
		}
	}
}

func TestFindings(t *testing.T) {
	figures := []Figure{
		{Name: "hops.n10", Label: Label{Case: "10 nodes"}, Unit: "hops", Here: 1, Paper: new(2.0), Most: new(3.0)},
		{Name: "hops.n100", Label: Label{Case: "100 nodes"}, Unit: "hops", Here: 2.34567, Paper: new(2.5),
			Most: new(3.0)},
		{Name: "ours.time", Unit: "s", Here: 17.22, Paper: new(53.0), Least: new(15.2), Most: new(18.0)},
		{Name: "alone.time", Unit: "s", Here: 900.1, Paper: new(900.0), Aside: true},
		{Name: "slow.time", Unit: "s", Here: 1800, Aside: true},
		{Name: "right", Here: 0.99987, Least: new(0.999), Worst: true},
		{Name: "lost", Unit: "items", Here: 0, Least: new(0.0), Most: new(0.0)},
	}
	for _, c := range []struct {
		name         string
		finding      Finding
		text, detail string
	}{
		{"a figure, and the paper's", Finding{Figure: "hops.n10", Says: "It needs {}"},
			"It needs 1 hops; the paper says 2 hops.", "expected: at most 3 hops"},
		{"the largest network", Finding{Figure: "hops.*", Says: "It needs {} ({case})", By: "log N"},
			"It needs 2.35 hops (100 nodes); log N says 2.5 hops.", "expected: at most 3 hops"},
		{"a share that is nearly all, at the least with every seed", Finding{Figure: "right", Says: "{%} are right"},
			"99.99 % are right.", "expected: at least 99.9 %, with every seed"},
		{"a number alone", Finding{Figure: "hops.n10", Says: "It needs {#} times as long"},
			"It needs 1 times as long; the paper says 2.", "expected: at most 3"},
		{"nothing", Finding{Figure: "lost", Says: "{} were lost"}, "0 items were lost.", "expected: 0 items"},
		{"a figure that is not judged", Finding{Figure: "slow.time", Says: "It lasted {}"}, "It lasted 1,800 s.", ""},
		{"better", Finding{Figure: "ours.time", Against: "alone.time", Words: Sooner, Says: "News comes {} than alone"},
			"News comes 52 times sooner than alone; the paper says 17 times sooner.",
			"17.2 s and 900 s; expected: 15.2 s to 18 s"},
		{"worse, not judged, and the paper has one of them alone", Finding{Figure: "slow.time", Against: "alone.time",
			Words: Sooner, Says: "News comes {} than alone"},
			"News comes 2 times later than alone.", "1,800 s and 900 s"},
		{"equal", Finding{Figure: "alone.time", Against: "alone.time", Words: Sooner, Says: "News comes {} than alone"},
			"News comes neither sooner nor later than alone; the paper says neither sooner nor later.",
			"900 s and 900 s"},
		{"a missing figure", Finding{Figure: "gone", Says: "It lasted {}"}, "", ""},
		{"nothing to compare with", Finding{Figure: "ours.time", Against: "gone.*", Words: Sooner,
			Says: "News comes {} than alone"}, "", ""},
	} {
		got := Words{Findings: []Finding{c.finding}}.findings(figures)
		if c.text == "" {
			if len(got) != 0 {
				t.Errorf("%s: got %+v", c.name, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Text != c.text || got[0].Detail != c.detail {
			t.Errorf("%s: got %+v, want %q and %q", c.name, got, c.text, c.detail)
		}
	}
}

// A star stands for anything between two ends that do not overlap.
func TestNamesThatFit(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"a.b", "a.b", true}, {"a.b", "a.bc", false}, {"a.*", "a.b", true}, {"a.*.c", "a.b.c", true},
		{"a.*.c", "a.c", false}, {"*", "", true}, {"ab*ba", "aba", false}, {"", "a", false},
	} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("%q and %q: %v", c.pattern, c.name, got)
		}
	}
}

// Whatever is not as expected is said first thing, once, but for what is too much.
func TestSentencesOfAReport(t *testing.T) {
	r := Result{Figures: []Figure{
		{Name: "a.time", Unit: "s", Here: 5, Most: new(4.0)},
		{Name: "b.time", Unit: "s", Here: 3, Most: new(4.0), OK: true},
		{Name: "b.lost", Here: 1, Least: new(0.0), Most: new(0.0)},
		{Name: "c.time", Unit: "s", Here: 9, Aside: true, OK: true},
	}, Findings: []Found{{Text: "It lasted 5 s.", Figure: "a.time"}, {Text: "It lasted 9 s.", Figure: "c.time"},
		{Text: "Of an older result.", Figure: "gone"}}}
	want := []sentence{
		{Found{Text: "It lasted 5 s.", Figure: "a.time"}, bad},
		{Found{Text: "It lasted 9 s.", Figure: "c.time"}, aside},
		{Found{Text: "Lost, b: 1.", Figure: "b.lost", Detail: "expected: 0"}, bad},
	}
	if got := r.sentences(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for range maxFailedSaid + 1 {
		r.Figures = append(r.Figures, Figure{Name: "x", Most: new(1.0), Here: 2})
	}
	all := r.sentences()
	if last := all[len(all)-1]; len(all) != 2+maxFailedSaid+1 ||
		last.Text != "2 more figures are not as expected; they are marked in the tables below." {
		t.Errorf("%d sentences, the last is %q", len(all), last.Text)
	}
}

// Questions come in the order of their first figure, what nobody has grouped last, and each counts its own.
func TestGroupsOfFigures(t *testing.T) {
	label := func(question, measure, of string) Label { return Label{question, measure, of} }
	r := Result{Seeds: 1, Figures: []Figure{
		{Name: "odd", Aside: true},
		{Name: "a.x", Label: label("How?", "x", "a"), OK: true, Most: new(1.0), Paper: new(1.0)},
		{Name: "a.y", Label: label("Why?", "y", "a"), Here: 3, Most: new(1.0)},
		{Name: "b.x", Label: label("How?", "x", "b"), Aside: true},
	}}
	groups := r.groups()
	if len(groups) != 3 || groups[0].Question != "How?" || groups[1].Question != "Why?" ||
		groups[2].Question != otherFigures {
		t.Fatalf("got %+v", groups)
	}
	how, why := groups[0], groups[1]
	if len(how.Measures) != 1 || len(how.Measures[0].Rows) != 2 || how.Measures[0].One() != nil || how.Count != 2 ||
		how.Judged != 1 || how.Open() || how.Columns() != 4 {
		t.Errorf("got %+v", how)
	}
	if why.Measures[0].One() == nil || why.Failed != 1 || !why.Open() || why.Columns() != 3 {
		t.Errorf("got %+v", why)
	}
	if alone := (&Result{Figures: []Figure{{Name: "odd"}}}).groups(); len(alone) != 1 ||
		alone[0].Question != "All figures" {
		t.Errorf("got %+v", alone)
	}
}

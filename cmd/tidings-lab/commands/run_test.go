package commands

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings/cmd/console"
	"tidings/lab"
)

func TestLabTable(t *testing.T) {
	var b strings.Builder
	printResult(&console.Console{Out: &b}, &lab.Result{
		Experiment: "toy", Title: "Dice", Scale: lab.Quick, Seed: 3, Seeds: 10, WallSeconds: 1.2345, CPUSeconds: 2.3,
		Events: 36_000, PeakBytes: 12_345_678, TraceHash: "0123456789abcdef",
		Figures: []lab.Figure{
			{Name: "mean", Unit: "points", Paper: new(3.5), Here: 3.52, Low: 3.4, High: 3.64, OK: true, Least: new(3.3),
				Most: new(3.7)},
			{Name: "most", Unit: "points", Here: 7, Low: 6, High: 7, Most: new(6.0), Worst: true},
			{Name: "pace", Unit: "1/s", Here: 9, Low: 8, High: 10, OK: true, Aside: true},
		},
	})
	want := `toy  Dice
scale quick, seeds 3 to 12 · 1.234s (2 s of processor time) · 36,000 events · peak 12.35 MB · trace 0123456789abcdef
FIGURE       PAPER         HERE  95% INTERVAL  RATIO  EXPECTED                OK
mean    3.5 points  3.52 points  3.4 to 3.64    1.01  3.3 to 3.7 points       yes
most                   7 points  6 to 7               ≤ 6 points, every seed  NO
pace                      9 1/s  8 to 10              –                       –
mean of 10 seeds with its 95% confidence interval (Student's t); of worst cases, the worst seed and the range over seeds
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// What differs from the paper by more than the stated tolerance is said below the table, with the reason.
func TestLabTableHasTolerances(t *testing.T) {
	var b strings.Builder
	printResult(&console.Console{Out: &b}, &lab.Result{
		Experiment: "toy", Title: "Dice", Scale: lab.Quick, Seed: 3, Seeds: 1,
		Figures: []lab.Figure{
			{Name: "mean", Unit: "points", Paper: new(3.5), PaperLeast: new(3.4), PaperMost: new(3.6), Here: 3.5,
				OK: true, Aside: true},
			{Name: "most", Unit: "points", Paper: new(6.0), PaperMost: new(6.0), Here: 7, OK: true, Aside: true,
				Reason: "a die of ours has seven sides"},
			{Name: "pace", Here: 9, OK: true, Aside: true},
		},
		Remarks: []string{"A die fell off the table."},
	})
	want := `
FIGURE       PAPER  TOLERANCE                HERE  RATIO  EXPECTED  OK
mean    3.5 points  3.4 to 3.6 points  3.5 points   1.00  –         –
most      6 points  ≤ 6 points           7 points   1.17  –         –
pace                                            9         –         –
most is 7 points, not ≤ 6 points as in the paper: a die of ours has seven sides.
A die fell off the table.
`
	if got := b.String(); !strings.Contains(got, want) {
		t.Errorf("got\n%swant in it\n%s", got, want)
	}
}

func TestUnexpectedFiguresFailTheRun(t *testing.T) {
	if err := unexpected(
		[]*lab.Result{{Experiment: "toy", Figures: []lab.Figure{{Name: "most", OK: true}}}}); err != nil {
		t.Error(err)
	}
	result := func(experiment string, bad, good int) *lab.Result {
		r := &lab.Result{Experiment: experiment, Figures: make([]lab.Figure, bad+good)}
		for i := range r.Figures {
			r.Figures[i] = lab.Figure{Name: fmt.Sprint(i + 1), OK: i >= bad}
		}
		return r
	}
	for want, results := range map[string][]*lab.Result{
		"1 of 1 figure not as expected: toy: 1":               {result("toy", 1, 0)},
		"4 of 9 figures not as expected: a: 1; a: 2; b: 1; …": {result("a", 2, 1), result("b", 2, 4)},
	} {
		if err := unexpected(results); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// What is not as expected at one seed is listed at the end, though it may be over all seeds.
func TestUnexpectedSeeds(t *testing.T) {
	var b strings.Builder
	out := &console.Console{Out: &b}
	printUnexpected(out, []*lab.Result{{Experiment: "fair", Figures: []lab.Figure{{Name: "mean", OK: true}}}})
	if b.String() != "" {
		t.Errorf("without any: %q", b.String())
	}
	printUnexpected(out, []*lab.Result{{
		Experiment: "toy", Figures: []lab.Figure{
			{Name: "mean", Unit: "points", OK: true, Least: new(3.3), Most: new(3.7)},
			{Name: "most", Unit: "points", Most: new(6.0), Worst: true},
		},
		Unexpected: []lab.AtSeed{{Figure: "mean", Seed: 305, Here: 3.8}, {Figure: "most", Seed: 311, Here: 7}},
	}})
	want := `
Not as expected at single seeds:
EXPERIMENT  FIGURE  SEED        HERE  EXPECTED           OVER ALL SEEDS
toy         mean     305  3.8 points  3.3 to 3.7 points  as expected
toy         most     311    7 points  ≤ 6 points         NOT as expected
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestLabProgressIsOneLine(t *testing.T) {
	var b strings.Builder
	bar := &progressBar{out: &console.Console{Out: &b, Terminal: true, Width: 24}, name: "engine"}
	bar.clear()
	bar.show(lab.Progress{Done: 0.374, Stage: "100,000 nodes and more"})
	bar.clear()
	if want := "\r\x1b[Kengine  37% · 100,000…\r\x1b[K"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// Without a terminal, a long experiment is reported in plain lines, one for each tenth.
func TestLabProgressIsTenLines(t *testing.T) {
	var b strings.Builder
	bar := &progressBar{out: &console.Console{Out: &b}, name: "engine", began: time.Now()}
	bar.show(lab.Progress{Done: 0.2}) // too early
	bar.began = bar.began.Add(-time.Hour)
	for percent := range 101 {
		bar.show(lab.Progress{Done: float64(percent) / 100, Stage: "the table"})
	}
	bar.clear()
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 9 || !strings.HasPrefix(lines[0], "engine  10% · the table · 1h") ||
		!strings.HasPrefix(lines[8], "engine  90% · ") {
		t.Errorf("got %q", lines)
	}
}

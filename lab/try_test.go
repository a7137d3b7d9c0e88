package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

func try(t *testing.T, e Entry, o Options) *Result {
	t.Helper()
	r, err := Try(context.Background(), e, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestToy(t *testing.T) {
	r := try(t, toy(), Options{Scale: Quick, Seed: 1, Seeds: 12})
	if failed := r.Failed(); len(failed) > 0 {
		t.Errorf("not as expected: %+v", failed)
	}
	if r.Events != 12*3*1000 {
		t.Errorf("%d events, want one for each throw", r.Events)
	}
	for _, f := range r.Figures[1:] {
		if !(f.Low < f.Here && f.Here < f.High && f.High-f.Low < 0.2) {
			t.Errorf("%s: %v in %v to %v", f.Name, f.Here, f.Low, f.High)
		}
	}
	if r.PeakBytes < 1<<20 || r.PeakIs == "" || r.WallSeconds <= 0 {
		t.Errorf("peak %d (%s), %v s", r.PeakBytes, r.PeakIs, r.WallSeconds)
	}
}

func TestTraceIsAFunctionOfTheSeed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	first := try(t, toy(), Options{Scale: Tiny, Seed: 7, Seeds: 5})
	runtime.GOMAXPROCS(1)
	if again := try(t, toy(), Options{Scale: Tiny, Seed: 7, Seeds: 5}); again.TraceHash != first.TraceHash {
		t.Error("the same seeds left two traces")
	}
	if other := try(t, toy(), Options{Scale: Tiny, Seed: 8, Seeds: 5}); other.TraceHash == first.TraceHash {
		t.Error("other seeds left the same trace")
	}
}

// What depends on the machine is no part of the trace; all else is.
func TestTraceHoldsFiguresAndPlots(t *testing.T) {
	run := func(figure, ofMachine float64) string {
		e := toy()
		e.Expect = func(toySizes) []Expected {
			return []Expected{{Name: "a", Within: AtLeast(0)}, {Name: "b", Within: AtLeast(0), OfMachine: true}}
		}
		e.Run = func(r *Run, _ toySizes) error {
			r.Figure("a", figure)
			r.Figure("b", ofMachine)
			return nil
		}
		return try(t, e, Options{Scale: Quick, Seed: 1, Seeds: 1}).TraceHash
	}
	if run(1, 1) != run(1, 2) {
		t.Error("a figure of the machine is in the trace")
	}
	if run(1, 1) == run(2, 1) {
		t.Error("a figure is not in the trace")
	}
}

func TestExperimentsThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(*Run) error
		want string
	}{
		"an error": {func(*Run) error { return errToy }, errToy.Error()},
		"an error in a part": {func(r *Run) error {
			r.Each(3, func(part *Run, i int) { part.Must([]error{nil, errToy, nil}[i]) })
			return nil
		}, errToy.Error()},
		"a panic": {func(*Run) error { panic("dice with seven sides") },
			"the run with seed 4 broke: dice with seven sides"},
		"a panic in a part": {func(r *Run) error { r.Each(2, func(*Run, int) { panic("seven") }); return nil },
			"broke: seven"},
		"a missing figure": {func(*Run) error { return nil },
			"expected figures were not measured: most; mean of world 0"},
		"an unknown figure": {func(r *Run) error { r.Figure("least", 1); return nil },
			`figure "least" is not expected`},
		"a figure twice": {func(r *Run) error { r.Figure("most", 1); r.Figure("most", 1); return nil },
			"given twice"},
		"a figure of nothing": {func(r *Run) error { r.Figure("most", math.NaN()); return nil }, "is NaN"},
		"a figure of two parts": {func(r *Run) error {
			r.Each(2, func(part *Run, _ int) { part.Figure("most", 1) })
			return nil
		}, "given twice"},
	} {
		e := toy()
		e.Run = func(r *Run, _ toySizes) error { return c.run(r) }
		_, err := Try(context.Background(), e, Options{Scale: Tiny, Seed: 4, Seeds: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// A figure that one run has measured and another has not is missing.
func TestEveryRunMeasuresEveryFigure(t *testing.T) {
	e := toy()
	throw := e.Run
	e.Run = func(r *Run, s toySizes) error {
		if r.Seed() == 1 {
			return throw(r, s)
		}
		r.Figure("most", 6)
		r.Figure("mean of world 0", 3.5)
		return nil
	}
	if _, err := Try(context.Background(), e, Options{Scale: Tiny, Seed: 1, Seeds: 2}); err == nil ||
		!strings.Contains(err.Error(), "not measured: mean of world 1") {
		t.Error(err)
	}
}

// What runs remark is shown with their result, in the order of the seeds.
func TestRemarks(t *testing.T) {
	e := toy()
	silent := try(t, e, Options{Scale: Tiny, Seed: 1, Seeds: 2})
	throw := e.Run
	e.Run = func(r *Run, s toySizes) error {
		r.Remark(fmt.Sprintf("seed %d fell from the table", r.Seed()))
		if err := throw(r, s); err != nil {
			return err
		}
		r.Each(1, func(part *Run, _ int) { part.Remark("and was picked up") })
		return nil
	}
	r := try(t, e, Options{Scale: Tiny, Seed: 1, Seeds: 2})
	if want := []string{"seed 1 fell from the table", "and was picked up", "seed 2 fell from the table",
		"and was picked up"}; !slices.Equal(r.Remarks, want) {
		t.Errorf("remarks %q, want %q", r.Remarks, want)
	}
	if len(silent.Remarks) != 0 {
		t.Errorf("remarks of runs that made none: %q", silent.Remarks)
	}
	dir := t.TempDir()
	if _, err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	if page := report(t, dir); !strings.Contains(page, "<p>seed 2 fell from the table</p>") {
		t.Error("the report does not show a remark")
	}
}

func TestStopping(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	e := toy()
	e.Run = func(r *Run, s toySizes) error {
		stop()
		return throw(r, s)
	}
	if _, err := Try(ctx, e, Options{Scale: Paper, Seed: 1, Seeds: 20}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestWatching(t *testing.T) {
	var seen []Progress
	try(t, toy(), Options{Scale: Paper, Seed: 1, Seeds: 2, Watch: func(p Progress) { seen = append(seen, p) }})
	last := seen[len(seen)-1]
	if last.Done != 1 || last.Events != 600_000 {
		t.Errorf("at the end: %+v", last)
	}
	if !slices.IsSortedFunc(seen, func(a, b Progress) int { return int(math.Copysign(1, a.Done-b.Done+1e-12)) }) {
		t.Errorf("it went back: %v", seen)
	}
}

func TestAdvanceLetsExactlySoMuchTimePass(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 199, 200, 201, time.Second + 1, 400 * 24 * time.Hour} {
		e := toy()
		e.Run = func(r *Run, s toySizes) error {
			w := sim.New(sim.Default(engine.NewCodec()))
			w.After(d, func() {})
			r.Advance(w, d)
			if w.Now() != d || w.Counters().Events != 1 {
				t.Errorf("%v: it is %v after %d events", d, w.Now(), w.Counters().Events)
			}
			return throw(r, s)
		}
		try(t, e, Options{Scale: Tiny, Seed: 1, Seeds: 1})
	}
}

func TestWhatCannotBeTried(t *testing.T) {
	for _, o := range []Options{{Scale: "huge", Seeds: 1}, {Scale: Quick, Seeds: 0},
		{Scale: Quick, Seeds: MaxSeeds + 1}} {
		if _, err := Try(context.Background(), toy(), o); err == nil {
			t.Errorf("%+v was tried", o)
		}
	}
	for name, spoil := range map[string]func(*Experiment[toySizes]){
		"a name with a blank": func(e *Experiment[toySizes]) { e.Name = "a toy" },
		"no source":           func(e *Experiment[toySizes]) { e.Source = "" },
		"no figures":          func(e *Experiment[toySizes]) { e.Expect = func(toySizes) []Expected { return nil } },
		"a figure without bounds": func(e *Experiment[toySizes]) {
			e.Expect = func(toySizes) []Expected { return []Expected{{Name: "x"}} }
		},
		"a figure that anything passes": func(e *Experiment[toySizes]) {
			e.Expect = func(toySizes) []Expected { return []Expected{{Name: "x", Within: AtLeast(math.Inf(-1))}} }
		},
		"a figure twice": func(e *Experiment[toySizes]) {
			e.Expect = func(toySizes) []Expected {
				return []Expected{{Name: "x", Within: AtMost(1)}, {Name: "x", Within: AtMost(1)}}
			}
		},
		"a figure reported aside with bounds": func(e *Experiment[toySizes]) {
			e.Expect = func(toySizes) []Expected {
				return []Expected{{Name: "x", Within: AtMost(1)}, {Name: "y", Within: AtMost(1), Aside: true}}
			}
		},
		"a tolerance around nothing": func(e *Experiment[toySizes]) {
			e.Expect = func(toySizes) []Expected {
				return []Expected{{Name: "x", Within: AtMost(1), Tolerance: AtMost(1)}}
			}
		},
		"a tolerance that leaves out the paper's value": func(e *Experiment[toySizes]) {
			e.Expect = func(toySizes) []Expected {
				return []Expected{{Name: "x", Within: AtMost(1), Paper: new(2.0), Tolerance: AtMost(1)}}
			}
		},
		"a reason to differ without a tolerance": func(e *Experiment[toySizes]) {
			e.Expect = func(toySizes) []Expected {
				return []Expected{{Name: "x", Within: AtMost(1), Paper: new(2.0), Reason: "it rained"}}
			}
		},
		"figures that are all reported aside": func(e *Experiment[toySizes]) {
			e.Expect = func(toySizes) []Expected { return []Expected{{Name: "x", Aside: true}} }
		},
	} {
		e := toy()
		spoil(&e)
		if err := e.At(Quick).Validate(); err == nil {
			t.Errorf("%s passed", name)
		}
	}
}

// An experiment that cannot be run on a machine says so, and is not mistaken for one that has failed.
func TestSkipped(t *testing.T) {
	e := toy()
	e.Run = func(r *Run, _ toySizes) error {
		r.Skip("no dice")
		return errors.New("it goes on")
	}
	_, err := Try(context.Background(), e, Options{Scale: Tiny, Seed: 1, Seeds: 2})
	var skipped *Skipped
	if !errors.As(err, &skipped) || skipped.Why != "no dice" {
		t.Errorf("it ended with: %v", err)
	}
}

// Runs are given the folder for what is kept beside results, their parts too.
func TestDir(t *testing.T) {
	e := toy()
	e.Expect = func(toySizes) []Expected { return []Expected{{Name: "a", Within: AtLeast(0)}} }
	e.Run = func(r *Run, _ toySizes) error {
		dir := ""
		r.Each(1, func(part *Run, _ int) { dir = part.Dir() })
		if dir != "kept" || r.Dir() != dir {
			return fmt.Errorf("the folders are %q and %q", dir, r.Dir())
		}
		r.Figure("a", 1)
		return nil
	}
	try(t, e, Options{Scale: Tiny, Seed: 1, Seeds: 1, Dir: "kept"})
}

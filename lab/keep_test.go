package lab

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"testing"

	"tidings/lab/plot"
)

// countedToy is the toy, which counts its runs. Its run of one seed ends with an error when three others have ended.
type countedToy struct {
	Entry
	fail uint64

	mu    sync.Mutex
	ran   int
	ended chan struct{}
}

func newCountedToy() *countedToy {
	c := &countedToy{}
	e := toy()
	throw := e.Run
	e.Run = func(r *Run, s toySizes) error {
		c.mu.Lock()
		c.ran++
		c.mu.Unlock()
		if r.Seed() == c.fail {
			for range 3 {
				<-c.ended
			}
			return errToy
		}
		defer func() { c.ended <- struct{}{} }()
		r.Remark("thrown")
		r.Plot(plot.Plot{Name: "level", Title: "A level", X: plot.Axis{Label: "x"}, Y: plot.Axis{Label: "y"},
			Series: []plot.Series{{Label: "here", Points: []plot.Point{{Y: float64(r.Seed())}, {X: 1, Y: 3}}}},
			Said:   []plot.Reference{plot.Level("infinitely wide", 3.5)}})
		return throw(r, s)
	}
	c.Entry = e
	return c
}

// runs returns how many runs a trial makes.
func (c *countedToy) runs(t *testing.T, o Options) (n int, r *Result) {
	t.Helper()
	c.ran, c.ended = 0, make(chan struct{}, o.Seeds)
	r = try(t, c, o)
	return c.ran, r
}

// A trial that ends early has kept the runs that had ended. The next one makes the others, and what comes of all is as
// if it had never ended early.
func TestAnInterruptedTrialGoesOn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	e, o := newCountedToy(), Options{Scale: Tiny, Seed: 300, Seeds: 6}
	_, want := e.runs(t, o)
	o.Keep = filepath.Join(t.TempDir(), "runs")
	e.fail, e.ended = 305, make(chan struct{}, o.Seeds)
	if _, err := Try(context.Background(), e, o); !errors.Is(err, errToy) {
		t.Fatalf("the trial ends with %v", err)
	}
	e.fail = 0
	kept, err := Kept(e, o)
	if err != nil || kept < 3 || kept == o.Seeds {
		t.Fatalf("%d runs are kept, %v", kept, err)
	}
	made, r := e.runs(t, o)
	if made != o.Seeds-kept || r.Kept != kept {
		t.Errorf("%d of %d runs were made, though %d were kept; the result says %d", made, o.Seeds, kept, r.Kept)
	}
	made, again := e.runs(t, o)
	if made != 0 || again.Kept != o.Seeds {
		t.Errorf("with all runs kept %d were made; the result says that %d were kept", made, again.Kept)
	}
	for _, got := range []*Result{r, again} {
		if got.TraceHash != want.TraceHash || got.Events != want.Events ||
			!reflect.DeepEqual(got.Figures, want.Figures) || !reflect.DeepEqual(got.Remarks, want.Remarks) {
			t.Errorf("the result is %+v, and would be %+v", got, want)
		}
		drawn, err := got.plots[0].SVG()
		wanted, _ := want.plots[0].SVG()
		if err != nil || !reflect.DeepEqual(drawn, wanted) || !math.IsInf(got.plots[0].Said[0].Points[0].X, -1) {
			t.Errorf("the plots differ: %v", err)
		}
	}
}

// A run is made again if it is not the same, if its file cannot be read, or on request.
func TestRunsThatAreNotKept(t *testing.T) {
	dir := t.TempDir()
	e, o := newCountedToy(), Options{Scale: Tiny, Seed: 1, Seeds: 2, Keep: dir}
	e.runs(t, o)
	for name, change := range map[string]func(o *Options){
		"another scale":    func(o *Options) { o.Scale = Quick },
		"other parameters": func(o *Options) { o.With = []string{"throws=11"} },
		"other seeds":      func(o *Options) { o.Seed = 3 },
		"asked for":        func(o *Options) { o.Again = true },
		"another folder":   func(o *Options) { o.Keep = t.TempDir() },
		"kept nowhere":     func(o *Options) { o.Keep = "" },
	} {
		changed := o
		change(&changed)
		if made, _ := e.runs(t, changed); made != 2 {
			t.Errorf("%s: %d runs were made", name, made)
		}
	}
	if made, _ := e.runs(t, o); made != 0 {
		t.Errorf("unchanged: %d runs were made", made)
	}
	k, err := newKeeper(dir, e.At(Tiny))
	if err != nil {
		t.Fatal(err)
	}
	other := *k
	other.of.Code = "other"
	if k.find(1) == nil || other.find(1) != nil {
		t.Error("a run of other code counts")
	}
	whole, err := os.ReadFile(k.path(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, whole[:len(whole)/2], []byte("no run")} {
		if err := os.WriteFile(k.path(1), damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if made, _ := e.runs(t, o); made != 1 {
			t.Errorf("with a file of %d bytes: %d runs were made", len(damaged), made)
		}
	}
}

// A result with all runs kept has the times of the original runs.
func TestKeptRunsKeepTheirTimes(t *testing.T) {
	dir := t.TempDir()
	e, o := newCountedToy(), Options{Scale: Tiny, Seed: 1, Seeds: 2, Dir: dir, Keep: filepath.Join(dir, "runs")}
	_, first := e.runs(t, o)
	first.WallSeconds = 12345
	if _, err := first.Save(dir); err != nil {
		t.Fatal(err)
	}
	if made, again := e.runs(t, o); made != 0 || again.WallSeconds != 12345 || again.Kept != 0 {
		t.Errorf("%d runs were made, in %v s; %d were kept", made, again.WallSeconds, again.Kept)
	}
	o.Seeds = 3
	if made, more := e.runs(t, o); made != 1 || more.WallSeconds == 12345 || more.Kept != 2 {
		t.Errorf("%d runs were made, in %v s; %d were kept", made, more.WallSeconds, more.Kept)
	}
}

// What is out of bounds at one seed is listed, though the mean of all may be within.
func TestWhatIsUnexpectedAtOneSeed(t *testing.T) {
	e := toy()
	e.Expect = func(toySizes) []Expected {
		return []Expected{{Name: "a", Unit: "s", Within: AtMost(6)}, {Name: "b", Within: AtMost(100), Worst: true},
			{Name: "c", Aside: true}}
	}
	e.Run = func(r *Run, _ toySizes) error {
		r.Figure("a", float64(r.Seed()))
		r.Figure("b", float64(r.Seed()))
		r.Figure("c", 1000)
		return nil
	}
	r := try(t, e, Options{Scale: Quick, Seed: 4, Seeds: 4})
	if want := []AtSeed{{"a", 7, 7}}; !reflect.DeepEqual(r.Unexpected, want) || len(r.Failed()) != 0 {
		t.Errorf("%+v and %+v", r.Unexpected, r.Failed())
	}
	if want := []SeedRow{{"a", "7", "7 s", "≤ 6 s", true}}; !reflect.DeepEqual(r.UnexpectedRows(), want) {
		t.Errorf("%+v", r.UnexpectedRows())
	}
}

package lab

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"tidings/lab/cpu"
	"tidings/lab/plot"
)

// Options say how an experiment is tried.
type Options struct {
	Scale Scale
	With  []string // parameters that are not the scale's: see Entry.With
	Seed  uint64   // of the first run; the others follow
	Seeds int      // how many runs, at most MaxSeeds
	Dir   string   // for what runs keep beside their results (Run.Dir); empty: they keep nothing

	// Watch, if not nil, is called with how far the experiment has come, ten times a
	// second and at the end, by one goroutine at a time.
	Watch func(Progress)
}

// MaxSeeds bounds the runs of one trial.
const MaxSeeds = 10_000

// Validate reports what cannot be run.
func (o Options) Validate() error {
	if _, err := ParseScale(string(o.Scale)); err != nil {
		return err
	}
	if o.Seeds < 1 || o.Seeds > MaxSeeds {
		return fmt.Errorf("%d seeds: it takes from 1 to %d", o.Seeds, MaxSeeds)
	}
	return nil
}

// Try runs an experiment on all seeds that o asks for, side by side on all cores, or one
// after the other where figures depend on the machine. It returns what came of it, or why
// it ended early.
func Try(ctx context.Context, e Entry, o Options) (*Result, error) {
	t, err := e.With(o.Scale, o.With)
	if err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all := &trial{Trial: t, runs: make([]*Run, o.Seeds), slots: make(chan struct{}, t.room())}
	whole := newProgress(&all.events)
	for i, p := range whole.divide(o.Seeds) {
		all.runs[i] = newRun(ctx, o.Seed+uint64(i), o.Dir, t, all.slots, p)
	}
	peak := watchPeak()
	free := t.keepToMemory()
	began, used := time.Now(), cpu.Time()
	err = all.run(whole, o.Watch, stop)
	wall, processor := time.Since(began), cpu.Time()-used
	free()
	most, kind := peak()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	result, err := all.result(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	result.CPUSeconds = processor.Seconds()
	result.WallSeconds, result.PeakBytes, result.PeakIs = wall.Seconds(), most, kind
	return result, nil
}

// trial is an experiment as it is tried.
type trial struct {
	Trial
	runs   []*Run
	slots  chan struct{}
	events atomic.Uint64 // for those who watch
}

// room returns how many runs may go side by side.
func (t Trial) room() int {
	if t.alone() {
		return 1
	}
	room := runtime.GOMAXPROCS(0)
	if free := freeMemory(); t.Memory > 0 && free > 0 {
		room = min(room, int(free/t.Memory))
	}
	return max(room, 1)
}

// rarely is how much garbage there may be for each byte in use, in percent: worlds make much of it and
// keep little, and collecting it as often as by default takes a tenth of the time.
const rarely = 400

// keepToMemory has the garbage collector work rarely, but harder before the runs take more than the experiment
// says, or than was allowed before (GOMEMLIMIT), until free is called; and has that memory be of large pages.
func (t Trial) keepToMemory() (free func()) {
	if t.Memory == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(-1)
	limit := min(before, int64(min(t.Memory*uint64(t.room()), math.MaxInt64)))
	enlargePages(min(uint64(limit), freeMemory()))
	debug.SetMemoryLimit(limit)
	percent := debug.SetGCPercent(rarely)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(before)
	}
}

// run runs all runs and returns why one of them ended early.
func (t *trial) run(whole *progress, watch func(Progress), stop func()) error {
	ended := make(chan error, len(t.runs))
	for _, r := range t.runs {
		go func() { ended <- r.guarded(func() error { return t.Run(r) }) }()
	}
	ticks := time.NewTicker(100 * time.Millisecond)
	defer ticks.Stop()
	show := func() {
		if watch != nil {
			done, stage := whole.poll()
			watch(Progress{done, stage, t.events.Load()})
		}
	}
	var first error
	for left := len(t.runs); left > 0; {
		select {
		case <-ticks.C:
			show()
		case err := <-ended:
			left--
			if err != nil && first == nil {
				first = err
				stop()
			}
		}
	}
	show()
	return first
}

// result puts together what the runs handed over.
func (t *trial) result(o Options) (*Result, error) {
	r := &Result{
		Experiment: t.Name, Scale: o.Scale, Seed: o.Seed, Seeds: o.Seeds,
		Title: t.Title, Source: t.Source, About: t.About, Parameters: t.Parameters, With: t.With,
		Machine: ThisMachine(), Finished: time.Now().UTC().Truncate(time.Second),
	}
	trace := fnv.New64a()
	plots := make([][]plot.Plot, len(t.runs))
	for i, run := range t.runs {
		fmt.Fprintf(trace, "%x\n", run.trace.Sum64())
		r.Events += run.events
		r.Remarks = append(r.Remarks, run.remarks...)
		plots[i] = run.plots
	}
	r.TraceHash = fmt.Sprintf("%016x", trace.Sum64())
	if err := t.judge(r); err != nil {
		return nil, err
	}
	var err error
	r.plots, err = mergePlots(plots)
	return r, err
}

// judge adds the figures to r.
func (t *trial) judge(r *Result) error {
	var missing []string
	for _, e := range t.Expected {
		values := make([]float64, 0, len(t.runs))
		for _, run := range t.runs {
			if x, ok := run.figures[e.Name]; ok {
				values = append(values, x)
			}
		}
		if len(values) < len(t.runs) {
			missing = append(missing, e.Name)
			continue
		}
		f := e.judge(values)
		f.Label = t.Words.label(e.Name)
		r.Figures = append(r.Figures, f)
	}
	r.Findings = t.Words.findings(r.Figures)
	if len(missing) > 0 {
		return fmt.Errorf("expected figures were not measured: %s", strings.Join(missing, "; "))
	}
	return nil
}

func mergePlots(runs [][]plot.Plot) ([]plot.Plot, error) {
	merged := make([]plot.Plot, len(runs[0]))
	for i := range merged {
		alike := make([]plot.Plot, len(runs))
		for j, plots := range runs {
			if len(plots) != len(merged) {
				return nil, fmt.Errorf("runs with different seeds made %d and %d plots", len(merged), len(plots))
			}
			alike[j] = plots[i]
		}
		var err error
		if merged[i], err = plot.Merge(alike, meanInterval); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

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

	// Keep is a folder in which each run is kept when it has ended. A kept run of the same experiment, scale,
	// parameters, seed and code is not run again, unless Again is set. Empty: no run is kept.
	Keep  string
	Again bool

	// Watch, if not nil, is called with the progress of the experiment, ten times a second and at the end, by one
	// goroutine at a time.
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
		return fmt.Errorf("%d seeds: from 1 to %d are possible", o.Seeds, MaxSeeds)
	}
	return nil
}

// Try runs an experiment on all seeds that o names, side by side on all cores, or one after the other where figures
// depend on the machine. It returns the result, or why it ended early.
func Try(ctx context.Context, e Entry, o Options) (*Result, error) {
	t, err := e.With(o.Scale, o.With)
	if err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	keeper, err := newKeeper(o.Keep, t)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all := &trial{Trial: t, keeper: keeper, outcomes: make([]*outcome, o.Seeds), slots: make(chan struct{}, t.room())}
	due := all.due(o)
	whole := newProgress(&all.events)
	for i, p := range whole.divide(len(due)) {
		all.runs = append(all.runs, newRun(ctx, due[i], o.Dir, t, all.slots, p))
	}
	peak := watchPeak()
	free := t.keepToMemory()
	began, used := time.Now(), cpu.Time()
	err = all.run(whole, o, stop)
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
	if result.Kept = o.Seeds - len(due); result.Kept == o.Seeds {
		result.timesOf(o.Dir)
	}
	return result, nil
}

// Trace returns the trace hash of an experiment at the scale tiny, with one seed that is always the same. If it
// changes, so may every figure of the experiment. It is empty where the experiment is live.
func Trace(ctx context.Context, e Entry) (string, error) {
	if e.Describe().Live {
		return "", nil
	}
	r, err := Try(ctx, e, Options{Scale: Tiny, Seed: 1, Seeds: 1})
	if err != nil {
		return "", err
	}
	return r.TraceHash, nil
}

// trial is an experiment as it is tried.
type trial struct {
	Trial
	keeper   *keeper
	runs     []*Run     // those that were not kept
	outcomes []*outcome // of all, by seed
	slots    chan struct{}
	events   atomic.Uint64 // for displays of the progress
}

// due finds the outcomes that are kept, and returns the seeds of the other runs.
func (t *trial) due(o Options) (seeds []uint64) {
	for i := range t.outcomes {
		seed := o.Seed + uint64(i)
		if !o.Again {
			t.outcomes[i] = t.keeper.find(seed)
		}
		if t.outcomes[i] == nil {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// one runs a run, and keeps what came of it.
func (t *trial) one(r *Run, first uint64) error {
	if err := r.guarded(func() error { return t.Run(r) }); err != nil {
		return err
	}
	o := r.outcome()
	t.outcomes[r.seed-first] = o
	return t.keeper.keep(r.seed, o)
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

// rarely is how much garbage there may be for each byte in use, in percent. Worlds make much of it and keep little, and
// collecting it as often as by default needs a tenth of the time.
const rarely = 400

// keepToMemory makes the garbage collector work rarely, but harder before the runs use more than the experiment says,
// or than was allowed before (GOMEMLIMIT), until free is called. It asks for large pages for that memory.
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
func (t *trial) run(whole *progress, o Options, stop func()) error {
	if len(t.runs) == 0 {
		return nil
	}
	ended := make(chan error, len(t.runs))
	go func() {
		// No more runs than slots are begun, so that they end one after the other: what has ended is kept.
		begun := make(chan struct{}, cap(t.slots))
		for _, r := range t.runs {
			begun <- struct{}{}
			go func() {
				ended <- t.one(r, o.Seed)
				<-begun
			}()
		}
	}()
	ticks := time.NewTicker(100 * time.Millisecond)
	defer ticks.Stop()
	show := func() {
		if o.Watch != nil {
			done, stage := whole.poll()
			o.Watch(Progress{done, stage, t.events.Load()})
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
	plots := make([][]plot.Plot, len(t.outcomes))
	for i, run := range t.outcomes {
		fmt.Fprintf(trace, "%x\n", run.Trace)
		r.Events += run.Events
		r.Remarks = append(r.Remarks, run.Remarks...)
		plots[i] = run.Plots
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
		values := make([]float64, 0, len(t.outcomes))
		for _, run := range t.outcomes {
			if x, ok := run.Figures[e.Name]; ok {
				values = append(values, x)
			}
		}
		if len(values) < len(t.outcomes) {
			missing = append(missing, e.Name)
			continue
		}
		f := e.judge(values)
		f.Label = t.Words.label(e.Name)
		r.Figures = append(r.Figures, f)
		for i, x := range values {
			if !e.Aside && !e.Within.Hold(x) {
				r.Unexpected = append(r.Unexpected, AtSeed{e.Name, r.Seed + uint64(i), x})
			}
		}
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

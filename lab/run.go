package lab

import (
	"context"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"time"

	"tidings/lab/plot"
	"tidings/network/sim"
)

// Run is one run of an experiment on one seed: its input, and the place of its results. It belongs to the goroutine
// that the experiment was called on.
type Run struct {
	ctx      context.Context
	seed     uint64
	dir      string
	expected map[string]Expected
	slots    chan struct{} // one for each run that may work at a time
	progress *progress

	figures map[string]float64
	remarks []string
	plots   []plot.Plot
	trace   hash.Hash64
	events  uint64
}

func newRun(ctx context.Context, seed uint64, dir string, t Trial, slots chan struct{}, p *progress) *Run {
	r := &Run{ctx: ctx, seed: seed, dir: dir, expected: make(map[string]Expected), slots: slots, progress: p}
	for _, e := range t.Expected {
		r.expected[e.Name] = e
	}
	r.clear()
	return r
}

func (r *Run) clear() {
	r.figures, r.remarks, r.plots = make(map[string]float64), nil, nil
	r.trace, r.events = fnv.New64a(), 0
}

// Seed is what all chance of the run comes from.
func (r *Run) Seed() uint64 { return r.seed }

// Dir is the folder for what people may want to read beside the results, such as logs; empty: nobody does.
func (r *Run) Dir() string { return r.dir }

// Skip ends the run, and with it the trial, because the experiment cannot be run on this machine: for a reason that
// follows "skipped: ". It does not return.
func (r *Run) Skip(why string) { r.Must(&Skipped{why}) }

// Skipped is an experiment that cannot be run on this machine.
type Skipped struct{ Why string }

func (s *Skipped) Error() string { return "skipped: " + s.Why }

// Err returns why the run should end early; nil: it should go on. Long loops in which no time
// passes ask for it now and then. Others need not: Advance, Pass and Each end the run.
func (r *Run) Err() error { return r.ctx.Err() }

// Must ends the run with an error, if there is one: it does not return then.
func (r *Run) Must(err error) {
	if err != nil {
		panic(ended{err})
	}
}

// Context ends when the run should. It is for runs on real connections; others ask Err.
func (r *Run) Context() context.Context { return r.ctx }

// Stage reports that the next part of the run begins, and about which share of the whole run it is.
func (r *Run) Stage(name string, share float64) { r.progress.begin(name, share) }

// Part reports that n of total steps of the present stage are done.
func (r *Run) Part(n, total int) { r.progress.set(float64(n) / float64(max(total, 1))) }

// pieces is in how many pieces Advance cuts time, to show progress and to stop early.
const pieces = 200

// Advance lets time pass in w. It is all of the present stage; see AdvancePart. It does not return if
// the run is to end early.
func (r *Run) Advance(w *sim.World, d time.Duration) { r.AdvancePart(w, d, 0, 1) }

// AdvancePart is Advance as the n-th of total steps of the present stage, n from 0.
func (r *Run) AdvancePart(w *sim.World, d time.Duration, n, total int) {
	start := w.Now()
	for i := range pieces {
		r.goOn()
		until := start + d/pieces*time.Duration(i+1)
		if i == pieces-1 {
			until = start + d
		}
		r.pass(w, until-w.Now())
		r.progress.set((float64(n) + float64(i+1)/pieces) / float64(total))
	}
}

// Pass lets a little time pass in w; the caller counts Parts. It does not return if the run is to end
// early.
func (r *Run) Pass(w *sim.World, d time.Duration) {
	r.pass(w, d)
	r.goOn()
}

// Until lets time pass in w, as Pass does, until a condition holds, which is asked every step; at most so long. It
// returns how long that was.
func (r *Run) Until(w *sim.World, most, step time.Duration, condition func() bool) time.Duration {
	from := w.Now()
	for w.Now()-from < most && !condition() {
		r.Pass(w, step)
	}
	return w.Now() - from
}

func (r *Run) pass(w *sim.World, d time.Duration) {
	before := w.Counters().Events
	w.Run(d)
	r.progress.events.Add(w.Counters().Events - before)
}

// Ran notes a world that has run to its end: its trace becomes part of the run's.
func (r *Run) Ran(w *sim.World) {
	r.note("world", fmt.Sprintf("%016x", w.TraceHash()))
	r.events += w.Counters().Events
}

// Figure hands over what was measured. It panics if no figure of the name is expected, or
// if the value is no number.
func (r *Run) Figure(name string, value float64) {
	e := r.due(name)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		panic(fmt.Sprintf("lab: figure %q is %v", name, value))
	}
	r.figures[name] = value
	if !e.OfMachine {
		r.note(name, traced(value))
	}
}

// Remark has a sentence shown below the figures: what went wrong, say, that a figure only counts. It is no part
// of the trace.
func (r *Run) Remark(text string) { r.remarks = append(r.remarks, text) }

// due returns what is expected of a figure that has not been handed over.
func (r *Run) due(name string) Expected {
	e, ok := r.expected[name]
	_, given := r.figures[name]
	if !ok || given {
		panic(fmt.Sprintf("lab: figure %q is not expected, or given twice", name))
	}
	return e
}

// Plot hands over a plot. Runs with other seeds hand over one of the same name and series.
func (r *Run) Plot(p plot.Plot) {
	r.plots = append(r.plots, p)
	if p.OfMachine {
		return
	}
	for _, s := range p.Series {
		for _, at := range s.Points {
			r.note(p.Name, traced(at.X), traced(at.Y))
		}
	}
}

// note adds to the trace.
func (r *Run) note(name string, words ...string) {
	fmt.Fprintln(r.trace, name, strings.Join(words, " "))
}

// traced writes a number as traces have it: nine digits. The last bits differ between kinds of processors, of which
// some round once where others round twice.
func traced(x float64) string { return strconv.FormatFloat(x, 'e', 8, 64) }

package lab

import (
	"context"
	"fmt"
	"runtime"
)

// Each runs f n times, on all cores that other runs leave free. It is for parts of the run that do not need one
// another, such as worlds of different sizes. Each part has a Run of its own, and their results are added to r's in the
// order of their numbers. It is the present stage. It does not return if a part ends early: the run ends with it.
func (r *Run) Each(n int, f func(part *Run, i int)) {
	parts := make([]*Run, n)
	errs := make(chan error, n)
	r.release()
	defer r.acquire()
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	for i, p := range r.progress.divide(n) {
		part := &Run{ctx: ctx, seed: r.seed, dir: r.dir, expected: r.expected, slots: r.slots, progress: p}
		part.clear()
		parts[i] = part
		go func() { errs <- part.guarded(func() error { f(part, i); return nil }) }()
	}
	var first error
	for range n {
		if err := <-errs; err != nil && first == nil {
			first = err
			stop()
		}
	}
	r.Must(first)
	for _, part := range parts {
		r.add(part)
	}
	r.goOn()
}

// Parts are parts of a run, which Run.Parts runs as Each does.
type Parts []func(part *Run)

// Parts runs parts.
func (r *Run) Parts(all Parts) { r.Each(len(all), func(part *Run, i int) { all[i](part) }) }

// AddPart adds a part that measures something, and returns where that will be.
func AddPart[T any](parts *Parts, measure func(part *Run) T) *T {
	measured := new(T)
	*parts = append(*parts, func(part *Run) { *measured = measure(part) })
	return measured
}

func (r *Run) add(part *Run) {
	for name, value := range part.figures {
		r.due(name)
		r.figures[name] = value
	}
	r.remarks = append(r.remarks, part.remarks...)
	r.plots = append(r.plots, part.plots...)
	r.events += part.events
	r.note("part", fmt.Sprintf("%016x", part.trace.Sum64()))
}

func (r *Run) acquire() { r.slots <- struct{}{} }
func (r *Run) release() { <-r.slots }

// ended is what a run panics with that is to end early. It goes no farther than guarded.
type ended struct{ why error }

// goOn does not return if the run is to end early, as little as a test's FailNow does.
func (r *Run) goOn() { r.Must(r.Err()) }

// guarded runs f when there is a core for it, and makes an error of a panic.
func (r *Run) guarded(f func() error) (err error) {
	r.acquire()
	defer r.release()
	defer r.progress.end()
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case ended:
			err = cause.why
		default:
			stack := make([]byte, 64<<10)
			err = &Crash{Seed: r.seed, Cause: fmt.Sprint(cause), Stack: string(stack[:runtime.Stack(stack, false)])}
		}
	}()
	r.goOn()
	return f()
}

// Crash is a run that broke: an invariant did not hold.
type Crash struct {
	Seed  uint64
	Cause string
	Stack string
}

func (c *Crash) Error() string { return fmt.Sprintf("the run with seed %d broke: %s", c.Seed, c.Cause) }

package live

import (
	"runtime"

	"tidings/network/engine"
)

// workers runs jobs beside the loop. The loop alone uses it.
type workers struct {
	loop    *loop
	running int
	waiting []work
}

type work struct{ job, done func() }

// add starts a job, or lets it wait, or refuses it.
func (w *workers) add(job, done func()) bool {
	switch {
	case w.loop.stopping || len(w.waiting) >= engine.MaxWork:
		return false
	case w.running < runtime.GOMAXPROCS(0):
		w.start(work{job, done})
	default:
		w.waiting = append(w.waiting, work{job, done})
	}
	return true
}

func (w *workers) start(one work) {
	w.running++
	w.loop.h.task(func() {
		one.job()
		w.loop.h.mail.post(func() { w.ended(one) })
	})
}

func (w *workers) ended(one work) {
	w.running--
	if w.loop.stopping {
		return
	}
	if len(w.waiting) > 0 {
		next := w.waiting[0]
		w.waiting[0] = work{}
		w.waiting = w.waiting[1:]
		w.start(next)
	}
	one.done()
}

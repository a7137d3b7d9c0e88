package fetch

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// slowError says which part of an exchange was too slow.
type slowError string

func (e slowError) Error() string { return string(e) }

const (
	errSlowHeader = slowError("the origin did not answer in time")
	errSlowBody   = slowError("the origin sends its document too slowly")
	errSlowTotal  = slowError("the whole fetch took too long")
)

// watch cancels one exchange that is too slow: its header, its body, which must keep bringing bytes, or the whole. One
// timer serves all three.
type watch struct {
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	deadline time.Time
	header   time.Duration
	idle     time.Duration
	progress int64

	inBody atomic.Bool
	done   atomic.Bool
	got    atomic.Int64 // bytes of the body so far
	seen   int64        // value of got when the timer last fired; only the timer's
}

func newWatch(c *Config, deadline time.Time, cancel context.CancelCauseFunc) *watch {
	w := &watch{cancel: cancel, deadline: deadline, header: c.Header, idle: c.Idle, progress: c.MinProgress}
	w.timer = time.AfterFunc(w.next(c.Header), w.fire)
	return w
}

// next shortens d so that it does not pass the deadline of the whole.
func (w *watch) next(d time.Duration) time.Duration { return min(d, time.Until(w.deadline)) }

// body says that the header is there and the body is about to be read.
func (w *watch) body() {
	w.inBody.Store(true)
	w.timer.Reset(w.next(w.idle))
}

// stop ends the watch and the exchange.
func (w *watch) stop() {
	w.done.Store(true)
	w.timer.Stop()
	w.cancel(nil)
}

func (w *watch) fire() {
	switch got := w.got.Load(); {
	case w.done.Load():
	case !time.Now().Before(w.deadline):
		w.cancel(errSlowTotal)
	case !w.inBody.Load():
		w.cancel(errSlowHeader)
	case got-w.seen < w.progress:
		w.cancel(errSlowBody)
	default:
		w.seen = got
		w.timer.Reset(w.next(w.idle))
	}
}

// wire reads a body as it is received, counts and bounds it, and remembers how it ended.
type wire struct {
	body  io.Reader
	watch *watch
	n     int64
	max   int64
	err   error
}

func (r *wire) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.body.Read(p)
	r.n += int64(n)
	r.watch.got.Store(r.n)
	if err == nil && r.n > r.max {
		err = ErrTooLarge
	}
	r.err = err
	return n, err
}

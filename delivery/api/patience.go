package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// ErrNoAnswer says that a node accepted a request and then sent nothing.
var ErrNoAnswer = errors.New("the node does not answer")

// patience ends a request once the node has sent nothing for too long.
type patience struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	within time.Duration
}

// impatient returns a context for one request, and the patience that ends it. The caller owes an end, or the close of a
// heard body.
func impatient(ctx context.Context, within time.Duration) (context.Context, *patience) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(within, func() { cancel(fmt.Errorf("%w: it said nothing for %s", ErrNoAnswer, within)) })
	return ctx, &patience{ctx, cancel, timer, within}
}

func (p *patience) end() {
	p.timer.Stop()
	p.cancel(nil)
}

// why returns ErrNoAnswer instead of err if that is its cause.
func (p *patience) why(err error) error {
	if cause := context.Cause(p.ctx); errors.Is(cause, ErrNoAnswer) {
		return cause
	}
	return err
}

// sent is a request's body. As long as bytes of it go out, the node is there.
type sent struct {
	io.Reader
	*patience
}

func (s sent) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	s.timer.Reset(s.within)
	return n, err
}

// heard is an answer's body.
type heard struct {
	io.ReadCloser
	*patience
}

func (h heard) Read(b []byte) (int, error) {
	n, err := h.ReadCloser.Read(b)
	if err == nil {
		h.timer.Reset(h.within)
		return n, nil
	}
	return n, h.why(err)
}

func (h heard) Close() error {
	defer h.end()
	return h.ReadCloser.Close()
}

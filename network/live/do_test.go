package live

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A caller that gives up waiting for the loop can rely on the result: its function has run to its end in the loop, or
// never will.
func TestWhatIsGivenUpNeverRuns(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1)
		busy := make(chan error, 1)
		go func() { busy <- a.Host.Do(t.Context(), func() { time.Sleep(time.Second) }) }()
		time.Sleep(time.Second / 10)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/10)
		defer cancel()
		ran := false
		if err := a.Host.Do(ctx, func() { ran = true }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while the loop was busy: %v", err)
		}
		if err := <-busy; err != nil {
			t.Errorf("the first: %v", err)
		}
		time.Sleep(time.Second)
		if ran {
			t.Error("what was given up has run")
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Second/10)
		defer cancel()
		if err := a.Host.Do(ctx, func() { time.Sleep(time.Second); ran = true }); err != nil || !ran {
			t.Errorf("what was running when it was given up: %v, ran: %v", err, ran)
		}
	})
}

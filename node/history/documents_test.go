package history

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// An archive that cannot be read in time reports that, with a hint. A request that was canceled, and an earlier error,
// keep their own errors.
func TestAnArchiveThatTakesTooLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		began := time.Now()
		if err := inTime(t.Context(), wait); !errors.Is(err, errLate) || time.Since(began) != ReadWithin {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := inTime(gone, wait); !errors.Is(err, context.Canceled) {
			t.Errorf("of who has gone: %v", err)
		}
		broken := errors.New("broken")
		if err := inTime(t.Context(), func(context.Context) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("of what is broken: %v", err)
		}
	})
}

package api

import (
	"context"
	"math/rand/v2"
	"time"
)

// backOff doubles the wait after each failure, and shortens it at random. So clients that failed together do not return
// together.
type backOff struct {
	least, most time.Duration
	next        time.Duration // 0: least
}

func (b *backOff) reset() { b.next = 0 }

// sleep waits, or returns the context's error.
func (b *backOff) sleep(ctx context.Context) error {
	wait := max(b.next, b.least)
	b.next = min(2*wait, b.most)
	timer := time.NewTimer(wait - rand.N(wait/4+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

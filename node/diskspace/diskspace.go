// Package diskspace asks file systems how much is free, and does not wait for those that do not answer.
package diskspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"
)

// Patience is how long a file system may need to report how much is free. One that lies at a server that has gone may
// never answer.
const Patience = 5 * time.Second

// Errors of Gauge.Free.
var (
	ErrSilent  = fmt.Errorf("the file system does not answer within %d seconds", Patience/time.Second)
	ErrUnknown = errors.New("the file system does not say how much is free")
)

// Gauge asks how much is free. However often it is asked, one question at a time waits for a directory's file system,
// as it cannot be canceled. It is safe for concurrent use.
type Gauge struct {
	free   func(dir string) (bytes uint64, ok bool)
	asking singleflight.Group
}

// New returns a Gauge that asks the system.
func New() *Gauge { return &Gauge{free: freeBytes} }

// Free returns how many bytes an ordinary user may still write at dir. Errors: ErrSilent, ErrUnknown, or ctx's.
func (g *Gauge) Free(ctx context.Context, dir string) (bytes uint64, err error) {
	answer := g.asking.DoChan(dir, func() (any, error) {
		if bytes, ok := g.free(dir); ok {
			return bytes, nil
		}
		return uint64(0), ErrUnknown
	})
	late := time.NewTimer(Patience)
	defer late.Stop()
	select {
	case a := <-answer:
		return a.Val.(uint64), a.Err
	case <-late.C:
		return 0, ErrSilent
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

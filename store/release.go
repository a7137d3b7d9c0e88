package store

import (
	"context"
	"fmt"

	"tidings/store/content"
)

// Release shows readers the items whose embargo is over, those of one channel together, and reports whether there were
// any.
func (s *Store) Release(ctx context.Context) (released bool, err error) {
	for more := true; more && err == nil; {
		err = s.write(ctx, func(t *content.Tx) (err error) {
			more, err = content.Release(t)
			return err
		})
		released = released || more && err == nil
	}
	if err != nil {
		return released, fmt.Errorf("showing items whose embargo is over: %w", err)
	}
	return released, nil
}

package store

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/large"
	"tidings/store/pushed"
	"tidings/store/reader"
	"tidings/store/shared"
)

// pruneSize is how many versions are removed between two looks at the size.
const pruneSize = 16

// pruner remembers where the last Prune stopped. A cycle is one pass over all limits.
type pruner struct {
	mu     sync.Mutex // one Prune at a time
	phase  int
	cursor content.Cursor
	seen   reader.Place // where pruneSeen is

	deadline time.Time // of the Prune under way
}

// Prune removes what Config.Retention no longer covers, in small steps between
// which others write. It stops when budget is spent, and goes on there the next
// time; done says that a whole pass is finished, so that the next may wait for hours.
func (s *Store) Prune(ctx context.Context, now time.Time, budget time.Duration) (done bool, err error) {
	s.prune.mu.Lock()
	defer s.prune.mu.Unlock()
	s.prune.deadline = time.Now().Add(budget)
	phases := []func(context.Context, time.Time) (bool, error){
		s.pruneOrphans, s.pruneByAge, s.pruneByCount, s.pruneMarks, s.pruneBySize, s.pruneSeen,
	}
	for s.prune.phase < len(phases) {
		more, err := phases[s.prune.phase](ctx, now)
		if err != nil {
			return false, fmt.Errorf("removing old content: %w", err)
		}
		if !more {
			s.prune.phase++
			s.prune.cursor, s.prune.seen = content.Cursor{}, reader.Place{}
		}
		if time.Now().After(s.prune.deadline) {
			return false, nil
		}
	}
	s.prune.phase = 0
	return true, nil
}

// pruneOrphans removes one channel that nobody has followed for long, with all of it.
func (s *Store) pruneOrphans(ctx context.Context, now time.Time) (more bool, err error) {
	keep := s.config.Retention
	if err := s.write(ctx, func(t *content.Tx) error {
		return content.LetGo(t, keep.orphansBefore(now), now.Add(-keep.Guests))
	}); err != nil {
		return false, err
	}
	var channel int64
	var versions []content.Doomed
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		channel, versions, err = content.Going(conn)
		return err
	})
	if err != nil || channel == 0 {
		return false, err
	}
	if len(versions) > 0 {
		return true, s.remove(ctx, versions)
	}
	return true, s.write(ctx, func(t *content.Tx) error { return dropChannel(t, channel) })
}

// dropChannel removes what is left of a channel without versions: some of its items,
// or, when there are none, the channel itself.
func dropChannel(t *content.Tx, channel int64) error {
	if more, err := content.DropItems(t, channel); err != nil || more {
		return err
	}
	if err := pushed.Forget(t.Tx, channel); err != nil {
		return err
	}
	if err := shared.Forget(t.Tx, channel); err != nil {
		return err
	}
	return content.DropChannel(t, channel)
}

// pruneByAge removes versions that were received long ago.
func (s *Store) pruneByAge(ctx context.Context, now time.Time) (more bool, err error) {
	if s.config.Retention.Age < 0 {
		return false, nil
	}
	return s.removeSome(ctx, func(conn *sqlite.Conn) ([]content.Doomed, error) {
		return content.DoomedByAge(conn, s.prune.cursor, now.Add(-s.config.Retention.Age))
	})
}

// pruneByCount removes versions of channels that have many.
func (s *Store) pruneByCount(ctx context.Context, _ time.Time) (more bool, err error) {
	most := s.config.Retention.Versions
	if most < 0 {
		most = math.MaxInt32
	}
	return s.removeSome(ctx, func(conn *sqlite.Conn) ([]content.Doomed, error) {
		return content.DoomedByCount(conn, s.prune.cursor, most)
	})
}

// pruneBySize removes the oldest versions while the store is too large. Room inside
// the file that is free counts as free: it is used again, the file does not shrink.
// Larger contents have a limit of their own and do not count: no version would have to
// go for them.
func (s *Store) pruneBySize(ctx context.Context, _ time.Time) (more bool, err error) {
	if s.config.Retention.Bytes < 0 {
		return false, nil
	}
	s.Search.CatchUp(ctx) // what the index will need counts
	full := false
	if err := s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		live, err := db.LiveBytes(conn)
		if err != nil {
			return err
		}
		pieces, err := large.Bytes(conn)
		full = live-pieces > s.config.Retention.Bytes
		return err
	}); err != nil || !full {
		return false, err
	}
	more, err = s.removeSome(ctx, func(conn *sqlite.Conn) ([]content.Doomed, error) {
		return content.Oldest(conn, s.prune.cursor, pruneSize)
	})
	if err != nil {
		return false, err
	}
	if !more {
		s.config.Logger.Warn("the store is larger than its limit, and everything in it is to be kept", "limit",
			s.config.Retention.Bytes)
	}
	return more, s.Search.Tidy(ctx)
}

// pruneMarks forgets the oldest items without content of a channel that has many.
func (s *Store) pruneMarks(ctx context.Context, _ time.Time) (more bool, err error) {
	keep := s.config.Retention.Marks
	if keep < 0 {
		return false, nil
	}
	var surplus content.Surplus
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		surplus, err = content.NextSurplus(conn, s.prune.cursor, keep)
		return err
	})
	if err != nil || surplus.Channel == 0 {
		return false, err
	}
	for surplus.Items > 0 {
		rest := surplus
		if err := s.write(ctx, func(t *content.Tx) error {
			rest, err = content.DropSurplus(t, surplus)
			return err
		}); err != nil {
			return false, err
		}
		surplus = rest
	}
	s.prune.cursor.Channel = surplus.Channel
	return true, nil
}

// pruneSeen spares later queries for what is unread the articles of one channel that were read one by one.
func (s *Store) pruneSeen(ctx context.Context, _ time.Time) (more bool, err error) {
	next, found := reader.Place{}, false
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		next, found, err = reader.NextSeen(conn, s.prune.seen)
		return err
	})
	for more := found; more && err == nil; {
		err = s.DB.Write(ctx, func(t *db.Tx) error {
			more, err = reader.RaiseSeen(t, next)
			return err
		})
	}
	s.prune.seen = next
	return found, err
}

// removeSome removes the versions that a search finds, and reports whether there were any.
func (s *Store) removeSome(ctx context.Context, search func(conn *sqlite.Conn) ([]content.Doomed, error)) (
	more bool, err error) {
	var versions []content.Doomed
	if err := s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		versions, err = search(conn)
		return err
	}); err != nil {
		return false, err
	}
	return len(versions) > 0, s.remove(ctx, versions)
}

// remove removes versions in small operations, and leaves the writer to others for as long between them. When
// Prune's time is over it stops behind a version; the cursor says which.
func (s *Store) remove(ctx context.Context, versions []content.Doomed) error {
	behind := int64(0) // the last revision of versions[0] that has been dealt with
	for len(versions) > 0 {
		n := 0
		began := time.Now()
		err := s.write(ctx, func(t *content.Tx) error {
			gone := func(r content.Removed) error {
				if err := s.Search.Remove(t.Tx, r.Revision); err != nil {
					return err
				}
				if err := reader.ForgetRevision(t.Tx, r.Revision); err != nil || !r.Latest {
					return err
				}
				return reader.Forget(t.Tx, r.Channel, r.Item, r.Revision)
			}
			for slice := content.NewRemoval(); n < len(versions) && !slice.Over(); {
				last, done, err := content.RemoveVersion(t, versions[n], behind, slice, gone)
				if err != nil {
					return err
				}
				if behind = last; done {
					n, behind = n+1, 0
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if n > 0 {
			s.prune.cursor = versions[n-1].Next
			versions = versions[n:]
			if time.Now().After(s.prune.deadline) {
				return nil
			}
		}
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

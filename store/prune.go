package store

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
	"tidings/store/large"
	"tidings/store/pushed"
	"tidings/store/shared"
)

const (
	pruneBatch = 64                   // versions, or items, that one search for work returns
	pruneRows  = 256                  // revisions that one removing operation looks at
	pruneSlice = 2 * time.Millisecond // how long it removes before others have their turn
	pruneSize  = 16                   // versions removed between two looks at the size
)

// pruner remembers where the last Prune stopped. A cycle is one pass over all limits.
type pruner struct {
	mu     sync.Mutex // one Prune at a time
	phase  int
	cursor pruneCursor

	deadline time.Time // of the Prune under way
}

// pruneCursor is the last thing a phase has dealt with; the zero value is its beginning.
type pruneCursor struct {
	received time.Time // byAge
	version  int64     // versions: version.id; byCount: the channel's version number
	channel  int64     // byCount, marks
}

// doomed is a version that a limit no longer covers, and the cursor behind it.
type doomed struct {
	id    int64
	whole bool // nothing of it is to be kept
	next  pruneCursor
}

// Prune removes what Config.Retention no longer covers, in small steps between
// which others write. It stops when budget is spent, and goes on there the next
// time; done says that a whole pass is finished, so that the next may wait for hours.
func (s *Store) Prune(ctx context.Context, now time.Time, budget time.Duration) (done bool, err error) {
	s.prune.mu.Lock()
	defer s.prune.mu.Unlock()
	s.prune.deadline = time.Now().Add(budget)
	phases := []func(context.Context, time.Time) (bool, error){
		s.pruneOrphans, s.pruneByAge, s.pruneByCount, s.pruneMarks, s.pruneBySize,
	}
	for s.prune.phase < len(phases) {
		more, err := phases[s.prune.phase](ctx, now)
		if err != nil {
			return false, fmt.Errorf("removing old content: %w", err)
		}
		if !more {
			s.prune.phase++
			s.prune.cursor = pruneCursor{}
		}
		if time.Now().After(s.prune.deadline) {
			return false, nil
		}
	}
	s.prune.phase = 0
	return true, nil
}

// pruneOrphans removes one channel that nobody has followed for long, with all of
// it. Where something in it is starred it stays, under the other limits.
//
// Removing takes many operations, and somebody may subscribe again between them. So
// the first takes the channel's URL away: who subscribes from then on begins anew.
func (s *Store) pruneOrphans(ctx context.Context, now time.Time) (more bool, err error) {
	var channel int64
	var versions []doomed
	err = s.write(ctx, func(t *tx) error {
		if err := db.Exec(t.Conn, `UPDATE channel SET url = ':' || id WHERE id = (SELECT c.id FROM channel c
			WHERE c.orphaned < CASE c.guest WHEN 0 THEN ?1 ELSE ?2 END AND c.polled IS NULL
			AND NOT EXISTS (SELECT 1 FROM star t WHERE t.channel = c.id) LIMIT 1)`,
			s.config.Retention.orphansBefore(now), now.Add(-s.config.Retention.Guests)); err != nil {
			return err
		}
		if t.Changes() > 0 {
			noteMark(t, marking{})
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		if more, err = db.One(conn, `SELECT id FROM channel WHERE url GLOB ':*' LIMIT 1`, func(r *sqlite.Stmt) {
			channel = r.ColumnInt64(0)
		}); err != nil || !more {
			return err
		}
		return db.Each(conn, `SELECT id FROM version WHERE channel = ? ORDER BY version LIMIT +?`, func(r *sqlite.Stmt) error {
			versions = append(versions, doomed{id: r.ColumnInt64(0), whole: true})
			return nil
		}, channel, pruneBatch)
	})
	if err != nil || !more {
		return false, err
	}
	if len(versions) > 0 {
		return true, s.remove(ctx, versions)
	}
	return true, s.write(ctx, func(t *tx) error { return t.dropChannel(channel) })
}

// notGoing is the condition that a channel (c) is not being removed.
const notGoing = `c.url NOT GLOB ':*'`

// dropChannel removes what is left of a channel without versions: some of its items'
// marks, or, when there are none, the channel itself.
func (t *tx) dropChannel(channel int64) error {
	if err := db.Exec(t.Conn, `DELETE FROM item WHERE channel = ?1 AND id IN (SELECT id FROM item WHERE channel = ?1 LIMIT +?2)`,
		channel, pruneBatch*8); err != nil || t.Changes() > 0 {
		return err
	}
	if err := pushed.Forget(t.Tx, channel); err != nil {
		return err
	}
	if err := shared.Forget(t.Tx, channel); err != nil {
		return err
	}
	for _, sql := range []string{
		`DELETE FROM watch WHERE channel = ?`,
		`DELETE FROM noise WHERE channel = ?`,
		`DELETE FROM document WHERE channel = ?`,
		`DELETE FROM embargo WHERE channel = ?`,
		`DELETE FROM credential WHERE channel = ?`,
		`DELETE FROM channel WHERE id = ?`,
	} {
		if err := db.Exec(t.Conn, sql, channel); err != nil {
			return err
		}
	}
	return nil
}

// pruneByAge removes versions that were received long ago.
func (s *Store) pruneByAge(ctx context.Context, now time.Time) (more bool, err error) {
	if s.config.Retention.Age < 0 {
		return false, nil
	}
	at := s.prune.cursor
	versions, err := s.doomed(ctx, `SELECT v.id, v.received FROM version v INDEXED BY version_received
		WHERE (v.received, v.id) > (?, ?) AND v.received < ? ORDER BY v.received, v.id LIMIT +?`,
		func(r *sqlite.Stmt) pruneCursor {
			return pruneCursor{version: r.ColumnInt64(0), received: db.ColumnTime(r, 1)}
		},
		at.received.UnixMicro(), at.version, now.Add(-s.config.Retention.Age), pruneBatch)
	if err != nil {
		return false, err
	}
	return len(versions) > 0, s.remove(ctx, versions)
}

// pruneByCount removes versions of channels that have many.
func (s *Store) pruneByCount(ctx context.Context, _ time.Time) (more bool, err error) {
	most := s.config.Retention.Versions
	if most < 0 {
		most = math.MaxInt32
	}
	at := s.prune.cursor
	versions, err := s.doomed(ctx, `SELECT v.id, v.channel, v.version FROM channel c
		CROSS JOIN version v ON v.channel = c.id AND v.version <= c.version - CASE c.guest WHEN 0 THEN ?1 ELSE ?5 END
		WHERE c.id >= ?2 AND c.version > CASE c.guest WHEN 0 THEN ?1 ELSE ?5 END AND (c.id, v.version) > (?2, ?3) ORDER BY c.id, v.version LIMIT +?4`,
		func(r *sqlite.Stmt) pruneCursor {
			return pruneCursor{channel: r.ColumnInt64(1), version: r.ColumnInt64(2)}
		},
		most, at.channel, at.version, pruneBatch, min(most, guestVersions))
	if err != nil {
		return false, err
	}
	return len(versions) > 0, s.remove(ctx, versions)
}

// pruneBySize removes the oldest versions while the store is too large. Room inside
// the file that is free counts as free: it is used again, the file does not shrink.
// Larger contents have a limit of their own and do not count: no version would have to
// go for them.
func (s *Store) pruneBySize(ctx context.Context, _ time.Time) (more bool, err error) {
	if s.config.Retention.Bytes < 0 {
		return false, nil
	}
	s.Search.CatchUp(ctx) // what the index will take counts
	full := false
	if err := s.read(ctx, func(conn *sqlite.Conn) error {
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
	versions, err := s.doomed(ctx, `SELECT v.id FROM version v WHERE v.id > ? ORDER BY v.id LIMIT +?`,
		func(r *sqlite.Stmt) pruneCursor { return pruneCursor{version: r.ColumnInt64(0)} },
		s.prune.cursor.version, pruneSize)
	if err != nil {
		return false, err
	}
	if len(versions) == 0 {
		s.config.Logger.Warn("the store is larger than its limit, and everything in it is to be kept", "limit", s.config.Retention.Bytes)
	}
	if err := s.remove(ctx, versions); err != nil {
		return false, err
	}
	return len(versions) > 0, s.Search.Tidy(ctx)
}

// pruneMarks forgets the oldest items without content of a channel that has many.
func (s *Store) pruneMarks(ctx context.Context, _ time.Time) (more bool, err error) {
	keep := s.config.Retention.Marks
	if keep < 0 {
		return false, nil
	}
	var channel int64
	var url string
	surplus := 0
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		if more, err = db.One(conn, `SELECT id, url FROM channel WHERE id > ? ORDER BY id LIMIT 1`, func(r *sqlite.Stmt) {
			channel, url = r.ColumnInt64(0), r.ColumnText(1)
		}, s.prune.cursor.channel); err != nil || !more {
			return err
		}
		_, err := db.One(conn, `SELECT count(*) FROM item WHERE channel = ? AND latest = 0`, func(r *sqlite.Stmt) {
			surplus = r.ColumnInt(0) - keep
		}, channel)
		return err
	})
	if err != nil || !more {
		return false, err
	}
	for surplus > 0 {
		chunk := min(surplus, pruneBatch*8)
		surplus -= chunk
		if err := s.write(ctx, func(t *tx) error { return t.dropMarks(channel, url, chunk) }); err != nil {
			return false, err
		}
	}
	s.prune.cursor.channel = channel
	return true, nil
}

// dropMarks forgets the oldest n items without content; those in the latest document stay.
func (t *tx) dropMarks(channel int64, url string, n int) error {
	listed, err := listedItems(t.Conn, url)
	if err != nil {
		return err
	}
	var items []int64
	if err := db.Each(t.Conn, `SELECT id FROM item i WHERE channel = ? AND latest = 0
		AND NOT EXISTS (SELECT 1 FROM embargo e WHERE e.item = i.id) ORDER BY id LIMIT +?`, func(r *sqlite.Stmt) error {
		if _, ok := listed[r.ColumnInt64(0)]; !ok {
			items = append(items, r.ColumnInt64(0))
		}
		return nil
	}, channel, n); err != nil {
		return err
	}
	noteMark(t, marking{})
	for _, item := range items {
		if err := db.Exec(t.Conn, `DELETE FROM item WHERE channel = ? AND id = ?`, channel, item); err != nil {
			return err
		}
	}
	return nil
}

// doomed runs a search for versions; its first column is version.id.
func (s *Store) doomed(ctx context.Context, sql string, next func(r *sqlite.Stmt) pruneCursor, args ...any) (versions []doomed, err error) {
	return versions, s.read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, sql, func(r *sqlite.Stmt) error {
			versions = append(versions, doomed{id: r.ColumnInt64(0), next: next(r)})
			return nil
		}, args...)
	})
}

// Package store keeps everything that a node must not forget: who follows which
// channels, what was found, what was read, and what the polls need to remember.
// It is one SQLite file, tidings.db, in a data directory that one process at a
// time may open.
//
// What it promises:
//
//   - What a writing method has answered is on the disk (WAL, synchronous=FULL).
//     [Store.RecordUnchanged] alone does not wait; what it is given is written within a second.
//   - All writes go through one goroutine that commits many callers' operations
//     together, so no writer ever finds the database locked, and nobody waits
//     longer than for the commit under way and the next.
//   - A version, its items, and the memory of the poll that found it are stored
//     together or not at all. Update numbers rise in the order in which readers
//     can see them; numbers of updates, entries and items are never used twice.
//   - An account sees only channels that it follows, with all of their content
//     that is still kept. Passwords of origins are seen by [Store.Watches] and
//     [Store.Watch] alone.
//   - A byte that changes on the disk is found when it is read, or by [Store.Scrub], and never given out; [Store.Damage]
//     names it. What else there is can be read; Scrub makes indexes anew, and the next Open repairs what else can be.
//   - Retention removes content, never the knowledge that an item was there, so
//     that nothing old comes back as new; see [Retention].
//
// Reading runs beside writing on a small pool of connections, each query on one
// consistent snapshot.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// FileName is the name of the database in the data directory. A backup under this
// name in an otherwise empty directory is a data directory.
const FileName = "tidings.db"

// Store is an open data directory. Its methods may be called by many goroutines at once.
type Store struct {
	config  Config
	log     *slog.Logger
	vfs     string // SQLite's name of it; empty: the default
	path    string // of the file, as SQLite has it
	lock    *dirLock
	readers *sqlitex.Pool
	writer  *writer
	touches *touches
	uses    *tokenUses
	marks   *marks
	// embargoed has room for one word that there is something new for Release.
	embargoed chan struct{}

	prune  pruner
	scrub  scrubber
	close  sync.Once
	closed error
}

// Open opens the data directory of config, and makes it where there is none. It
// brings an older schema up to date, checks the file, and repairs what can be repaired of
// damaged pages, with a copy of the file kept beside it; its errors say what a
// person can do: [ErrInUse], [ErrNewer], [ErrDamaged].
func Open(ctx context.Context, config Config) (*Store, error) {
	return open(ctx, config, "")
}

// open is Open through the named SQLite VFS; tests put faults there.
func open(ctx context.Context, config Config, vfs string) (_ *Store, err error) {
	config = config.withDefaults()
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w", err)
	}
	lock, err := lockDir(config.Dir, config.Now())
	if err != nil {
		return nil, err
	}
	s := &Store{config: config, log: config.Logger, vfs: vfs, lock: lock, touches: newTouches(), uses: newTokenUses(), marks: newMarks(), embargoed: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.lock.release())
		}
	}()

	file := filepath.Join(config.Dir, FileName)
	conn, repaired, err := openWriter(ctx, file, vfs)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", file, explain(err))
	}
	ids, err := loadSequences(conn)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", file, errors.Join(explain(err), conn.Close()))
	}
	indexed, err := loadIndexed(conn)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", file, errors.Join(explain(err), conn.Close()))
	}
	s.readers, err = sqlitex.NewPool(uri(file, vfs), sqlitex.PoolOptions{
		Flags:       sqlite.OpenReadWrite | sqlite.OpenURI,
		PoolSize:    config.Readers,
		PrepareConn: prepareReader,
	})
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", file, errors.Join(explain(err), conn.Close()))
	}
	s.path, s.scrub.found = pathOf(conn), repaired
	if slices.ContainsFunc(repaired, func(d Damage) bool { return d.Rows > 0 }) {
		s.log.Info("the database from before it was repaired is kept", "copy", file+damagedCopy)
	}
	for _, d := range repaired {
		s.log.Error("the database was damaged and has been repaired", "damage", d.String())
	}
	s.writer = newWriter(conn, ids, indexed, s)
	go s.writer.loop()
	return s, nil
}

// Close writes what is still waiting, closes the file and frees the directory. If the disk does not answer it fails with
// ErrHung after seconds; the directory then stays taken until the disk answers or the process ends.
func (s *Store) Close() error {
	s.close.Do(func() {
		if len(damagedIn.of(s.path)) > 0 {
			s.suspect()
		}
		ended := make(chan struct{})
		var err error
		go func() {
			defer close(ended)
			writing := s.writer.close()
			err = errors.Join(s.readers.Close(), writing, s.lock.release())
		}()
		if s.closed = ErrHung; s.writer.dog.await(ended) {
			s.closed = err
		}
	})
	return s.closed
}

// read runs query on one consistent snapshot.
func (s *Store) read(ctx context.Context, query func(conn *sqlite.Conn) error) (err error) {
	conn, err := s.readers.Take(ctx)
	if err != nil {
		select {
		case <-s.writer.closing:
			return ErrClosed
		default:
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return explain(err)
	}
	defer s.readers.Put(conn)
	end := sqlitex.Transaction(conn)
	defer end(&err)
	err = query(conn)
	if sqlite.ErrCode(err) == sqlite.ResultInterrupt && ctx.Err() != nil {
		return ctx.Err()
	}
	return explain(err)
}

// now returns the time as it is stored.
func (s *Store) now() time.Time { return stored(s.config.Now()) }

package db

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

// DB is an open data directory. Its methods may be called by many goroutines at once.
type DB struct {
	config  Config
	log     *slog.Logger
	path    string // of the file, as SQLite has it
	lock    *dirLock
	readers *sqlitex.Pool
	writer  *writer
	scrub   scrubber
	checked bool // Open has checked the file
	close   sync.Once
	closed  error

	background sync.WaitGroup
	open       context.Context // of what runs in the background
	end        context.CancelFunc
}

// Open opens the data directory of config, and makes it where there is none. It updates an older schema and checks the
// file. It repairs what can be repaired of damaged pages, and keeps a copy of the file beside it. Its errors say what a
// person can do: [ErrInUse], [ErrNewer], [ErrDamaged].
func Open(ctx context.Context, config Config) (_ *DB, err error) {
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
	config.Schema = own.Join(config.Schema)
	d := &DB{config: config, log: config.Logger, lock: lock}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.lock.release())
		}
	}()

	file := filepath.Join(config.Dir, FileName)
	o := opener{file: file, vfs: config.VFS, schema: &d.config.Schema, maxChecked: config.MaxChecked,
		checked: &d.checked}
	conn, repaired, err := o.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", file, explain(err))
	}
	ids, err := loadSequences(conn, config.Schema.Sequences)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", file, errors.Join(explain(err), conn.Close()))
	}
	d.readers, err = sqlitex.NewPool(uri(file, config.VFS), sqlitex.PoolOptions{
		Flags:       sqlite.OpenReadWrite | sqlite.OpenURI,
		PoolSize:    config.Readers,
		PrepareConn: prepareReader,
	})
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", file, errors.Join(explain(err), conn.Close()))
	}
	d.path, d.scrub.found = pathOf(conn), repaired
	if slices.ContainsFunc(repaired, func(d Damage) bool { return d.Rows > 0 }) {
		d.log.Info("the database from before it was repaired is kept", "copy", file+damagedCopy)
	}
	for _, found := range repaired {
		d.log.Error("the database was damaged and has been repaired", "damage", found.String())
	}
	d.open, d.end = context.WithCancel(context.WithoutCancel(ctx))
	d.writer = newWriter(conn, ids, d.config)
	go d.writer.loop()
	return d, nil
}

// Close writes what is still waiting, closes the file and frees the directory. If the disk does not answer, Close fails
// with ErrHung after seconds. The directory then stays locked until the disk answers or the process ends.
func (d *DB) Close() error {
	d.close.Do(func() {
		if len(damagedIn.of(d.path)) > 0 {
			d.suspect()
		}
		ended := make(chan struct{})
		var err error
		go func() {
			defer close(ended)
			d.end()
			d.background.Wait()
			writing := d.writer.close()
			err = errors.Join(d.readers.Close(), writing, d.lock.release())
		}()
		if d.closed = ErrHung; d.writer.dog.await(ended) {
			d.closed = err
		}
	})
	return d.closed
}

// Read runs query on one consistent snapshot.
func (d *DB) Read(ctx context.Context, query func(conn *sqlite.Conn) error) (err error) {
	conn, err := d.reader(ctx)
	if err != nil {
		return err
	}
	defer d.readers.Put(conn)
	end := sqlitex.Transaction(conn)
	defer end(&err)
	err = query(conn)
	if sqlite.ErrCode(err) == sqlite.ResultInterrupt && ctx.Err() != nil {
		return ctx.Err()
	}
	return explain(err)
}

// reader returns a connection that reads, which goes back to d.readers.
func (d *DB) reader(ctx context.Context) (*sqlite.Conn, error) {
	conn, err := d.readers.Take(ctx)
	if err == nil {
		return conn, nil
	}
	select {
	case <-d.writer.closing:
		return nil, ErrClosed
	default:
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, explain(err)
}

// Write runs an operation in a transaction and returns once it is on the disk. A
// context that ends before the operation has begun calls it off. While the disk does not answer it fails with ErrHung;
// what has begun waits for the disk.
func (d *DB) Write(ctx context.Context, run func(t *Tx) error) error {
	return d.writer.do(ctx, d.writer.queue, run)
}

// WriteAlong is Write for an operation that nobody waits for, and that does things many things. Fewer than crowd join
// the transaction of the next impatient caller, or one with all operations that have waited for company. More are
// written at once.
func (d *DB) WriteAlong(ctx context.Context, things int, run func(t *Tx) error) error {
	if things >= crowd {
		return d.Write(ctx, run)
	}
	return d.WriteLater(ctx, run)
}

// WriteLater is WriteAlong however many things it does.
func (d *DB) WriteLater(ctx context.Context, run func(t *Tx) error) error {
	return d.writer.do(ctx, d.writer.patient, run)
}

// Leave queues an operation to run soon, in company, and does not wait. The operation may be lost in a crash, and its
// error is dropped.
func (d *DB) Leave(ctx context.Context, run func(t *Tx) error) error {
	return d.writer.enter(ctx, d.writer.patient,
		&operation{ctx: context.WithoutCancel(ctx), run: run, done: make(chan struct{})})
}

// Trouble returns why nothing new can be kept: ErrFull, ErrHung, or what else the disk refuses; nil if all is well. It
// ends by itself, a few seconds after there is room again, or when the disk answers.
func (d *DB) Trouble() error {
	if err := d.writer.dog.trouble(); err != nil {
		return err
	}
	if err := d.writer.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// Now returns the time as it is stored.
func (d *DB) Now() time.Time { return Stored(d.config.Now()) }

package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"zombiezen.com/go/sqlite"
)

const (
	maxQueue = 1024 // operations that wait; callers beyond wait to enter
	maxBatch = 512  // operations in one transaction
)

// tx is what an operation works with: the open transaction, the numbers to give,
// and the time of the batch.
type tx struct {
	*sqlite.Conn
	ids     *sequences
	now     time.Time
	indexed []indexed
}

// operation is one caller's part of a transaction.
type operation struct {
	ctx  context.Context
	run  func(t *tx) error
	err  error // valid once done is closed
	done chan struct{}
}

// writer owns the one connection that writes. Its loop takes all operations that
// wait, runs each in a savepoint of one transaction, commits, and answers them all:
// the price of reaching the disk is shared, and none is answered before it is there.
type writer struct {
	conn    *sqlite.Conn
	ids     *sequences
	config  Config
	log     *slog.Logger
	touches *touches
	uses    *tokenUses
	looks   []*Record // the rest of the sweep of looks under way
	queue   chan *operation
	closing chan struct{} // closed: take no more
	stopped chan struct{} // closed: the loop has ended
	err     error         // of closing; valid once stopped is closed
}

func newWriter(conn *sqlite.Conn, ids *sequences, config Config, touches *touches, uses *tokenUses) *writer {
	return &writer{
		conn: conn, ids: ids, config: config, log: config.Logger, touches: touches, uses: uses,
		queue:   make(chan *operation, maxQueue),
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
	}
}

// write runs an operation in a transaction and returns once it is on the disk. A
// context that ends before the operation has begun calls it off.
func (s *Store) write(ctx context.Context, run func(t *tx) error) error {
	return s.writer.do(ctx, run)
}

func (w *writer) do(ctx context.Context, run func(t *tx) error) error {
	op := &operation{ctx: ctx, run: run, done: make(chan struct{})}
	select {
	case <-w.closing:
		return ErrClosed
	default:
	}
	select {
	case w.queue <- op:
	case <-w.closing:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-op.done:
		return op.err
	case <-w.stopped:
	}
	select {
	case <-op.done:
		return op.err
	default:
		return ErrClosed // it came into the queue behind the loop's last look
	}
}

// close stops the loop after what waits has been written.
func (w *writer) close() error {
	close(w.closing)
	<-w.stopped
	return w.err
}

func (w *writer) loop() {
	defer close(w.stopped)
	due := time.NewTimer(w.config.TouchDelay)
	due.Stop()
	for {
		select {
		case op := <-w.queue:
			_ = w.commit(w.gather(op), false) // the callers have the error
		case <-w.touches.first:
			due.Reset(w.config.TouchDelay)
		case <-due.C:
			err := w.commit(w.gather(nil), true)
			switch {
			case err == nil && len(w.looks) > 0:
				due.Reset(0) // the rest of this sweep, with what operations came meanwhile
			case !w.touches.empty():
				due.Reset(w.config.TouchDelay)
			}
		case <-w.closing:
			w.err = w.finish()
			return
		}
	}
}

// gather returns op, where there is one, and what waits behind it.
func (w *writer) gather(op *operation) []*operation {
	var batch []*operation
	if op != nil {
		batch = append(batch, op)
	}
	for len(batch) < maxBatch {
		select {
		case op := <-w.queue:
			batch = append(batch, op)
		default:
			return batch
		}
	}
	return batch
}

// finish writes everything that still waits, and closes the connection.
func (w *writer) finish() error {
	for batch := w.gather(nil); len(batch) > 0; batch = w.gather(nil) {
		_ = w.commit(batch, false) // the callers have the error
	}
	err := w.commit(nil, true)
	for err == nil && !w.touches.empty() {
		err = w.commit(nil, true)
	}
	if closing := w.conn.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("closing the database: %w", explain(closing)))
	}
	return err
}

// commit runs a batch and answers it.
func (w *writer) commit(batch []*operation, touches bool) error {
	err := explain(w.transact(batch, touches))
	if err != nil {
		w.log.Error("writing to the store failed", "operations", len(batch), "error", err)
	}
	for _, op := range batch {
		if err != nil && op.err == nil {
			op.err = err
		}
		close(op.done)
	}
	return err
}

// transact runs a batch in one transaction. What an operation itself fails with
// stays with it; an error that is returned is everybody's.
func (w *writer) transact(batch []*operation, touches bool) (err error) {
	if err := exec(w.conn, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil && !w.conn.AutocommitEnabled() {
			err = errors.Join(err, exec(w.conn, "ROLLBACK"))
		}
	}()
	t := &tx{Conn: w.conn, ids: w.ids, now: stored(w.config.Now())}
	for _, op := range batch {
		if op.err = op.ctx.Err(); op.err != nil {
			continue
		}
		if err := w.savepoint(t, op); err != nil {
			return err
		}
	}
	if err := t.writeIndexed(); err != nil {
		return err
	}
	sweep, err := w.sweep(t, touches)
	if err != nil {
		return err
	}
	if err := w.ids.save(w.conn); err != nil {
		return err
	}
	if err := exec(w.conn, "COMMIT"); err != nil {
		return err
	}
	w.ids.committed()
	w.looks = w.looks[len(sweep):]
	w.touches.written(sweep)
	return nil
}

// sweep writes looks that wait, a batch at a time, and at the beginning of a sweep
// when tokens were last used. It returns the looks written.
func (w *writer) sweep(t *tx, due bool) ([]*Record, error) {
	if !due {
		return nil, nil
	}
	if len(w.looks) == 0 {
		w.looks = w.touches.all()
		if err := w.uses.write(t); err != nil {
			return nil, err
		}
	}
	looks := w.looks[:min(touchBatch, len(w.looks))]
	for _, r := range looks {
		if w.touches.get(r.URL) != r {
			continue // a newer look has taken its place
		}
		if err := r.writeLook(t); err != nil {
			return nil, fmt.Errorf("noting looks: %w", err)
		}
	}
	return looks, nil
}

// savepoint runs one operation so that its failure undoes nothing but its own work.
// It returns an error only if the whole transaction is lost.
func (w *writer) savepoint(t *tx, op *operation) error {
	if err := exec(w.conn, "SAVEPOINT operation"); err != nil {
		return err
	}
	indexed := len(t.indexed)
	op.err = explain(op.run(t))
	if w.conn.AutocommitEnabled() {
		// SQLite has given the transaction up: the disk is full or broken.
		return op.err
	}
	if op.err != nil {
		t.indexed = t.indexed[:indexed]
		if err := exec(w.conn, "ROLLBACK TO operation"); err != nil {
			return err
		}
	}
	return exec(w.conn, "RELEASE operation")
}

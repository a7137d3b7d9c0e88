package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
)

const (
	maxQueue = 1024 // operations that wait; callers beyond wait to enter
	maxBatch = 512  // operations in one transaction
	// Company is how long an operation whose caller is patient waits for others to share the price of reaching the
	// disk.
	Company = 100 * time.Millisecond
	// crowd is how many things an operation does that is company enough for itself.
	crowd = 16
	// tryAgain is how long after a failure the writer tries whether it can write again, if nobody has it write.
	tryAgain = 2 * time.Second
)

// operation is one caller's part of a transaction.
type operation struct {
	ctx   context.Context
	run   func(t *Tx) error
	taken atomic.Bool // by the writer, which has begun it, or by its caller, which has left
	err   error       // valid once done is closed
	done  chan struct{}
}

// begin reports whether the operation is still to be run, and keeps its caller from leaving until it was.
func (o *operation) begin() bool {
	if o.err = o.ctx.Err(); o.err == nil && !o.taken.CompareAndSwap(false, true) {
		o.err = context.Canceled
	}
	return o.err == nil
}

// writer owns the one connection that writes. Its loop runs all operations that
// wait, runs each in a savepoint of one transaction, commits, and answers them all:
// the price of reaching the disk is shared, and none is answered before it is there.
type writer struct {
	conn    *sqlite.Conn
	ids     sequences
	works   *works
	config  Config
	log     *slog.Logger
	trouble atomic.Pointer[error] // why the last transaction could not be written; nil: it was
	dog     *watchdog
	queue   chan *operation
	apart   chan *operation // that run between transactions: their Tx is nil
	patient chan *operation // of which the callers are patient
	waiting []*operation    // that came so, and the loop has received: maxBatch at most
	closing chan struct{}   // closed: accept no more
	stopped chan struct{}   // closed: the loop has ended
	err     error           // of closing; valid once stopped is closed
}

func newWriter(conn *sqlite.Conn, ids sequences, config Config) *writer {
	return &writer{
		conn: conn, ids: ids, works: newWorks(), config: config, log: config.Logger,
		dog:     newWatchdog(config.Logger),
		queue:   make(chan *operation, maxQueue),
		patient: make(chan *operation, maxQueue),
		apart:   make(chan *operation),
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
	}
}

// between runs what has a connection of its own to write with, while nobody else writes.
func (w *writer) between(ctx context.Context, run func() error) error {
	return w.do(ctx, w.apart, func(*Tx) error { return run() })
}

func (w *writer) do(ctx context.Context, queue chan<- *operation, run func(t *Tx) error) error {
	op := &operation{ctx: ctx, run: run, done: make(chan struct{})}
	if err := w.enter(ctx, queue, op); err != nil {
		return err
	}
	select {
	case <-op.done:
		return op.err
	case <-ctx.Done():
		if op.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		<-op.done
		return op.err
	case <-w.stopped:
	}
	select {
	case <-op.done:
		return op.err
	default:
		return ErrClosed // it came into the queue behind the loop's last turn
	}
}

// enter puts an operation into a queue.
func (w *writer) enter(ctx context.Context, queue chan<- *operation, op *operation) error {
	select {
	case <-w.closing:
		return ErrClosed
	default:
	}
	if err := w.dog.trouble(); err != nil {
		return err
	}
	select {
	case queue <- op:
		return nil
	case <-w.closing:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
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
	due := time.NewTimer(0) // of works
	due.Stop()
	lonely := time.NewTimer(Company)
	lonely.Stop()
	again := time.NewTimer(tryAgain)
	again.Stop()
	tries := false // for again
	for {
		patient := w.patient
		if len(w.waiting) == maxBatch {
			patient = nil
		}
		select {
		case op := <-w.queue:
			_ = w.commit(w.gather(op), beside{}) // the callers have the error
		case op := <-patient:
			if w.waiting = append(w.waiting, op); len(w.waiting) == 1 {
				lonely.Reset(Company)
			}
		case op := <-w.apart:
			if op.begin() {
				op.err = explain(op.run(nil))
			}
			close(op.done)
		case <-lonely.C:
			if len(w.waiting) > 0 { // else others have included them
				_ = w.commit(w.gather(nil), beside{})
				lonely.Reset(Company) // for those that found no room
			}
		case <-w.works.wake:
		case <-due.C:
			w.work(w.works.due(time.Now()))
		case <-again.C:
			_ = w.commit(w.gather(nil), beside{try: true})
			tries = false
		case <-w.closing:
			w.err = w.finish()
			return
		}
		if !tries && w.trouble.Load() != nil {
			again.Reset(tryAgain)
			tries = true
		}
		if first := w.works.plan(time.Now()); !first.IsZero() {
			due.Reset(time.Until(first))
		}
	}
}

// work does what is due, with what operations came meanwhile.
func (w *writer) work(due []*task) {
	if len(due) == 0 {
		return
	}
	err := w.commit(w.gather(nil), beside{works: due})
	for _, t := range due {
		t.due = time.Time{}
		if err == nil && t.more {
			t.due = time.Now()
		}
	}
}

// gather returns op, where there is one, what waits behind it, and what goes along with that.
func (w *writer) gather(op *operation) []*operation {
	var batch []*operation
	if op != nil {
		batch = append(batch, op)
	}
	batch = collect(w.queue, batch)
	along := min(len(w.waiting), maxBatch-len(batch))
	batch = append(batch, w.waiting[:along]...)
	w.waiting = slices.Delete(w.waiting, 0, along)
	return collect(w.patient, batch)
}

// collect adds what waits in a queue to a batch, as far as there is room.
func collect(queue <-chan *operation, batch []*operation) []*operation {
	for len(batch) < maxBatch {
		select {
		case op := <-queue:
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
		_ = w.commit(batch, beside{}) // the callers have the error
	}
	err := w.commit(nil, beside{works: w.works.last(), last: true})
	for rest := w.works.last(); err == nil && len(rest) > 0; rest = w.works.last() {
		err = w.commit(nil, beside{works: rest, last: true})
	}
	defer w.dog.watch()() // closing folds the log into the file
	if closing := w.conn.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("closing the database: %w", explain(closing)))
	}
	return err
}

// beside is what a transaction does beside its operations.
type beside struct {
	works []*task // do these
	last  bool    // there may be no other transaction
	try   bool    // write something, whatever else there is
}

func (b beside) empty() bool { return len(b.works) == 0 && !b.last && !b.try }

// commit runs a batch and answers it.
func (w *writer) commit(batch []*operation, b beside) error {
	ended := w.dog.watch()
	err := explain(w.transact(batch, b))
	if err != nil {
		w.log.Error("writing to the store failed", "operations", len(batch), "error", err)
	}
	ended()
	w.noteTrouble(batch, err, b.try)
	for _, op := range batch {
		if err != nil && op.err == nil {
			op.err = err
		}
		close(op.done)
	}
	return err
}

// noteTrouble notes whether a transaction could be written. An operation's own error counts, too, if the disk caused
// it. A disk is full until it has room for more than a small transaction, which may find room in a log that has grown.
// Transactions with try test that.
func (w *writer) noteTrouble(batch []*operation, err error, try bool) {
	for _, op := range batch {
		if err == nil && isDisk(op.err) {
			err = op.err
		}
	}
	switch last := w.trouble.Load(); {
	case err != nil && !errors.Is(err, ErrDamaged): // which Damage reports
		w.trouble.Store(&err)
	case err == nil && last != nil && (!errors.Is(*last, ErrFull) || try && hasRoom(w.config.Dir)):
		w.trouble.Store(nil)
	}
}

// isDisk reports whether the disk, or its permissions, are why something failed.
func isDisk(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull, sqlite.ResultIOErr, sqlite.ResultReadOnly, sqlite.ResultPerm, sqlite.ResultCantOpen:
		return true
	}
	return false
}

// transact runs a batch in one transaction. What an operation itself fails with
// stays with it; an error that is returned is everybody's.
func (w *writer) transact(batch []*operation, b beside) (err error) {
	if err := Exec(w.conn, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil && !w.conn.AutocommitEnabled() {
			err = errors.Join(err, Exec(w.conn, "ROLLBACK"))
		}
	}()
	t := &Tx{Conn: w.conn, ids: w.ids, Now: Stored(w.config.Now())}
	done := false
	defer func() {
		if !done {
			t.undo(mark{})
		}
	}()
	if len(batch) == 1 && b.empty() {
		if ok, err := w.alone(t, batch[0]); !ok || err != nil {
			return err
		}
	} else {
		for _, op := range batch {
			if !op.begin() {
				continue
			}
			if err := w.savepoint(t, op); err != nil {
				return err
			}
		}
	}
	if b.try {
		// SQLite does not write what stays
		for _, sql := range []string{`UPDATE sequence SET last = last + 1`, `UPDATE sequence SET last = last - 1`} {
			if err := Exec(w.conn, sql); err != nil {
				return err
			}
		}
	}
	if err := w.doWorks(t, b.works); err != nil {
		return err
	}
	if err := w.ids.save(w.conn, b.last); err != nil {
		return err
	}
	if err := Exec(w.conn, "COMMIT"); err != nil {
		return err
	}
	done = true
	w.ids.committed()
	t.done()
	return nil
}

// doWorks does what is due, and as much of all works as keeps them bounded.
func (w *writer) doWorks(t *Tx, due []*task) (err error) {
	for _, task := range due {
		if task.more, err = task.Do(t); err != nil {
			return err
		}
	}
	for _, task := range w.works.tasks() {
		if task.Bound == nil {
			continue
		}
		if err := task.Bound(t); err != nil {
			return err
		}
	}
	return nil
}

// alone runs an operation that has a transaction to itself, and needs no savepoint: what it fails with undoes the
// transaction. It returns false if there is nothing to commit, and an error if undoing failed.
func (w *writer) alone(t *Tx, op *operation) (done bool, err error) {
	if op.begin() {
		op.err = explain(op.run(t))
	}
	switch {
	case w.conn.AutocommitEnabled():
		// SQLite has given the transaction up: the disk is full or broken.
		return false, op.err
	case op.err != nil:
		return false, Exec(w.conn, "ROLLBACK")
	}
	return true, nil
}

// savepoint runs one operation so that its failure undoes nothing but its own work.
// It returns an error only if the whole transaction is lost.
func (w *writer) savepoint(t *Tx, op *operation) error {
	if err := Exec(w.conn, "SAVEPOINT operation"); err != nil {
		return err
	}
	before := t.mark()
	op.err = explain(op.run(t))
	if w.conn.AutocommitEnabled() {
		// SQLite has given the transaction up: the disk is full or broken.
		return op.err
	}
	if op.err != nil {
		t.undo(before)
		if err := Exec(w.conn, "ROLLBACK TO operation"); err != nil {
			return err
		}
	}
	return Exec(w.conn, "RELEASE operation")
}

package store

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
	// company is how long an operation whose caller is patient waits for others to share the price of reaching the disk.
	company = 100 * time.Millisecond
	// crowd is how many things an operation does that is company enough for itself.
	crowd = 16
	// tryAgain is how long after a failure the writer tries whether it can write again, if nobody has it write.
	tryAgain = 2 * time.Second
)

// tx is what an operation works with: the open transaction, the numbers to give,
// and the time of the batch.
type tx struct {
	*sqlite.Conn
	ids     *sequences
	now     time.Time
	indexed int64 // up to this number the search index knows all revisions
	touches *touches
	marks   *marks
	marked  []marking // what the transaction has changed in what items are known by
	polls   []*Record // that waited, and that it writes
}

// waiting returns the poll of a channel that waits to be written, or nil. The transaction writes it; if it fails, the poll
// waits again.
func waiting(t *tx, url string) *Record {
	r := t.touches.take(url)
	if r != nil {
		t.polls = append(t.polls, r)
	}
	return r
}

// operation is one caller's part of a transaction.
type operation struct {
	ctx   context.Context
	run   func(t *tx) error
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
	ids     *sequences
	config  Config
	log     *slog.Logger
	touches *touches
	uses    *tokenUses
	marks   *marks
	polls   []*Record             // the rest of the sweep of polls under way
	indexed int64                 // as of the last commit: see tx
	behind  atomic.Int64          // as of the last commit: see tx.behind
	trouble atomic.Pointer[error] // why the last transaction could not be written; nil: it was
	dog     *watchdog
	queue   chan *operation
	apart   chan *operation // that run between transactions: their tx is nil
	patient chan *operation // of which the callers are patient
	waiting []*operation    // that came so, and the loop has taken: maxBatch at most
	closing chan struct{}   // closed: take no more
	stopped chan struct{}   // closed: the loop has ended
	err     error           // of closing; valid once stopped is closed
}

func newWriter(conn *sqlite.Conn, ids *sequences, indexed int64, s *Store) *writer {
	w := &writer{
		conn: conn, ids: ids, config: s.config, log: s.log, touches: s.touches, uses: s.uses, marks: s.marks, indexed: indexed,
		dog:     newWatchdog(s.log),
		queue:   make(chan *operation, maxQueue),
		patient: make(chan *operation, maxQueue),
		apart:   make(chan *operation),
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
	}
	w.behind.Store(ids.revision.last - indexed)
	return w
}

// write runs an operation in a transaction and returns once it is on the disk. A
// context that ends before the operation has begun calls it off. While the disk does not answer it fails with ErrHung;
// what has begun waits for the disk.
func (s *Store) write(ctx context.Context, run func(t *tx) error) error {
	return s.writer.do(ctx, s.writer.queue, run)
}

// writeAlong is write for what nobody waits for, and that does so many things: where these are few, it goes into the
// transaction of the next whose callers are not patient, or into one with all that have waited for company.
func (s *Store) writeAlong(ctx context.Context, things int, run func(t *tx) error) error {
	if things >= crowd {
		return s.write(ctx, run)
	}
	return s.writeLater(ctx, run)
}

// writeLater is writeAlong however many things it does.
func (s *Store) writeLater(ctx context.Context, run func(t *tx) error) error {
	return s.writer.do(ctx, s.writer.patient, run)
}

// between runs what has a connection of its own to write with, while nobody else writes.
func (w *writer) between(ctx context.Context, run func() error) error {
	return w.do(ctx, w.apart, func(*tx) error { return run() })
}

// leave has an operation run soon, in company, and does not wait for that: it may be lost in a crash, and nobody hears
// of what it fails with.
func (w *writer) leave(ctx context.Context, run func(t *tx) error) error {
	return w.enter(ctx, w.patient, &operation{ctx: context.WithoutCancel(ctx), run: run, done: make(chan struct{})})
}

func (w *writer) do(ctx context.Context, queue chan<- *operation, run func(t *tx) error) error {
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
	due := time.NewTimer(w.config.TouchDelay)
	due.Stop()
	index := time.NewTimer(indexWait())
	waits := true // for index
	lonely := time.NewTimer(company)
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
				lonely.Reset(company)
			}
		case op := <-w.apart:
			if op.begin() {
				op.err = explain(op.run(nil))
			}
			close(op.done)
		case <-lonely.C:
			if len(w.waiting) > 0 { // else others have taken all along
				_ = w.commit(w.gather(nil), beside{})
				lonely.Reset(company) // for those that found no room
			}
		case <-w.touches.first:
			due.Reset(w.config.TouchDelay)
		case <-due.C:
			err := w.commit(w.gather(nil), beside{touches: true})
			switch {
			case err == nil && len(w.polls) > 0:
				due.Reset(0) // the rest of this sweep, with what operations came meanwhile
			case !w.touches.empty():
				due.Reset(w.config.TouchDelay)
			}
		case <-index.C:
			waits = w.behind.Load() > 0 && w.commit(w.gather(nil), beside{index: true}) == nil && w.behind.Load() > 0
			if waits {
				index.Reset(0)
			}
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
		if !waits && w.behind.Load() > 0 {
			index.Reset(indexWait())
			waits = true
		}
	}
}

// gather returns op, where there is one, what waits behind it, and what goes along with that.
func (w *writer) gather(op *operation) []*operation {
	var batch []*operation
	if op != nil {
		batch = append(batch, op)
	}
	batch = takeFrom(w.queue, batch)
	along := min(len(w.waiting), maxBatch-len(batch))
	batch = append(batch, w.waiting[:along]...)
	w.waiting = slices.Delete(w.waiting, 0, along)
	return takeFrom(w.patient, batch)
}

// takeFrom adds what waits in a queue to a batch, as far as there is room.
func takeFrom(queue <-chan *operation, batch []*operation) []*operation {
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
	err := w.commit(nil, beside{touches: true, last: true})
	for err == nil && !w.touches.empty() {
		err = w.commit(nil, beside{touches: true, last: true})
	}
	defer w.dog.watch()() // closing folds the log into the file
	if closing := w.conn.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("closing the database: %w", explain(closing)))
	}
	return err
}

// beside is what a transaction does beside its operations.
type beside struct {
	touches bool // note polls that wait
	index   bool // have the search index know some of what it does not
	last    bool // there may be no other transaction
	try     bool // write something, whatever else there is
}

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

// noteTrouble notes whether a transaction could be written. What an operation fails with by itself says so too, if the
// disk is what it failed with. A disk is full until it has room for more than a small transaction, for which there may
// be room in a log that has grown: that is tried with the transactions that try.
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

// Trouble returns why nothing new can be kept: ErrFull, ErrHung, or what else the disk refuses; nil if all is well. It ends by
// itself, a few seconds after there is room again, or when the disk answers.
func (s *Store) Trouble() error {
	if err := s.writer.dog.trouble(); err != nil {
		return err
	}
	if err := s.writer.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// transact runs a batch in one transaction. What an operation itself fails with
// stays with it; an error that is returned is everybody's.
func (w *writer) transact(batch []*operation, b beside) (err error) {
	if err := exec(w.conn, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil && !w.conn.AutocommitEnabled() {
			err = errors.Join(err, exec(w.conn, "ROLLBACK"))
		}
	}()
	t := &tx{Conn: w.conn, ids: w.ids, touches: w.touches, marks: w.marks, indexed: w.indexed, now: stored(w.config.Now())}
	defer func() { w.touches.putBack(t.polls) }()
	if len(batch) == 1 && b == (beside{}) {
		if done, err := w.alone(t, batch[0]); !done || err != nil {
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
		for _, sql := range []string{`UPDATE indexed SET upto = upto + 1`, `UPDATE indexed SET upto = upto - 1`} { // SQLite does not write what stays
			if err := exec(w.conn, sql); err != nil {
				return err
			}
		}
	}
	if b.index && t.behind() > 0 {
		if err := t.indexSome(); err != nil {
			return err
		}
	}
	if err := t.index(maxBehind); err != nil {
		return err
	}
	sweep, err := w.sweep(t, b.touches)
	if err != nil {
		return err
	}
	if err := w.ids.save(w.conn, b.last); err != nil {
		return err
	}
	if err := exec(w.conn, "COMMIT"); err != nil {
		return err
	}
	t.polls = nil
	w.ids.committed()
	w.indexed = t.indexed
	w.behind.Store(t.behind())
	w.marks.take(t.marked)
	w.polls = w.polls[len(sweep):]
	w.touches.written(sweep)
	return nil
}

// alone runs an operation that has a transaction to itself, and needs no savepoint: what it fails with undoes the
// transaction. It returns false if there is nothing to commit, and an error if undoing failed.
func (w *writer) alone(t *tx, op *operation) (done bool, err error) {
	if op.begin() {
		op.err = explain(op.run(t))
	}
	switch {
	case w.conn.AutocommitEnabled():
		// SQLite has given the transaction up: the disk is full or broken.
		return false, op.err
	case op.err != nil:
		return false, exec(w.conn, "ROLLBACK")
	}
	return true, nil
}

// sweep writes polls that wait, a batch at a time, and at the beginning of a sweep
// when tokens were last used. It returns the polls written.
func (w *writer) sweep(t *tx, due bool) ([]*Record, error) {
	if !due {
		return nil, nil
	}
	if len(w.polls) == 0 {
		w.polls = w.touches.all()
		if err := w.uses.write(t); err != nil {
			return nil, err
		}
	}
	polls := w.polls[:min(touchBatch, len(w.polls))]
	for _, r := range polls {
		if w.touches.get(r.URL) != r {
			continue // a newer poll has taken its place
		}
		if err := r.writePoll(t); err != nil {
			return nil, fmt.Errorf("noting checks: %w", err)
		}
	}
	return polls, nil
}

// savepoint runs one operation so that its failure undoes nothing but its own work.
// It returns an error only if the whole transaction is lost.
func (w *writer) savepoint(t *tx, op *operation) error {
	if err := exec(w.conn, "SAVEPOINT operation"); err != nil {
		return err
	}
	indexed, marked, polls := t.indexed, len(t.marked), len(t.polls)
	op.err = explain(op.run(t))
	if w.conn.AutocommitEnabled() {
		// SQLite has given the transaction up: the disk is full or broken.
		return op.err
	}
	if op.err != nil {
		t.indexed, t.marked = indexed, t.marked[:marked]
		w.touches.putBack(t.polls[polls:])
		t.polls = t.polls[:polls]
		if err := exec(w.conn, "ROLLBACK TO operation"); err != nil {
			return err
		}
	}
	return exec(w.conn, "RELEASE operation")
}

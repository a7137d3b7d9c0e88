package db

import (
	"slices"
	"time"

	"zombiezen.com/go/sqlite"
)

// Tx is what an operation works with: the open transaction, the numbers to give, and the time of the batch. It is valid
// until the operation returns, and on its goroutine alone.
type Tx struct {
	*sqlite.Conn
	Now time.Time // as it is stored

	ids               sequences
	committed, undone []func()
}

// Next returns the next number of a sequence.
func (t *Tx) Next(sequence string) int64 { return t.Reserve(sequence, 1) }

// Reserve returns the first of the next n numbers of a sequence, and reserves them.
func (t *Tx) Reserve(sequence string, n int) int64 {
	q := t.ids.of(sequence)
	q.last += int64(n)
	return q.last - int64(n) + 1
}

// Last returns the number of a sequence that was given last; 0: none was.
func (t *Tx) Last(sequence string) int64 { return t.ids.of(sequence).last }

// OnCommit has f called once the transaction is on the disk, before anyone is answered. It is not called if the
// operation, or the transaction, is undone. What the writer's goroutine alone uses can be changed in it without a lock.
func (t *Tx) OnCommit(f func()) { t.committed = append(t.committed, f) }

// OnRollback has f called if the operation, or the transaction, is undone; what was registered last is called first.
func (t *Tx) OnRollback(f func()) { t.undone = append(t.undone, f) }

// mark is a place in the transaction to which it can be undone.
type mark struct{ committed, undone int }

func (t *Tx) mark() mark { return mark{len(t.committed), len(t.undone)} }

// undo has undone what came after a place; the database itself is rolled back by the caller.
func (t *Tx) undo(to mark) {
	for _, f := range slices.Backward(t.undone[to.undone:]) {
		f()
	}
	t.undone = slices.Delete(t.undone, to.undone, len(t.undone))
	t.committed = slices.Delete(t.committed, to.committed, len(t.committed))
}

// done is called when the transaction is on the disk.
func (t *Tx) done() {
	for _, f := range t.committed {
		f()
	}
}

package memory

import (
	"context"
	"errors"
	"time"
)

// free is how many bytes of each answer are not counted, so that what is small is answered whatever others hold. The
// server's bound on connections bounds these.
const free = 8 << 10

// Answer is what one request holds of the budget. It belongs to the goroutine that answers the request. The methods of
// a nil Answer do nothing: there is no bound.
type Answer struct {
	budget   *Budget
	rank     Rank
	inPieces bool
	held     int64
	counted  int64 // in the budget: what is held above free, or was reserved
	reserved bool  // for the next piece, which has no known size
}

type answerKey struct{}

// Begin returns a context that carries a new answer, and what ends it. A nil budget has no bound.
func (b *Budget) Begin(ctx context.Context, r Rank) (_ context.Context, end func()) {
	if b == nil {
		return ctx, func() {}
	}
	a := &Answer{budget: b, rank: r}
	return context.WithValue(ctx, answerKey{}, a), a.Release
}

// Of returns the answer of a request's context; nil: there is no bound.
func Of(ctx context.Context) *Answer {
	a, _ := ctx.Value(answerKey{}).(*Answer)
	return a
}

// Hold adds n bytes to what the answer holds, or fails with [ErrFull].
func (a *Answer) Hold(n int64) error {
	if a == nil {
		return nil
	}
	wanted := max(0, a.held+n-free)
	if wanted > a.counted {
		if !a.budget.hold(wanted-a.counted, a.ceiling()) {
			return &full{a.held + n}
		}
		a.counted = wanted
	}
	if a.held += n; a.reserved {
		a.reserved = false
		a.shrink(wanted)
	}
	return nil
}

// Receive adds n bytes of the request's body, or fails with [ErrFull]. All bodies may fill half of what answers may, so
// that clients that are slow to send theirs leave room for answers.
func (a *Answer) Receive(n int64) error {
	if a == nil {
		return nil
	}
	defer func(before bool) { a.inPieces = before }(a.inPieces)
	a.inPieces = true
	return a.Hold(n)
}

// Keep says that the answer holds n bytes by now, and nothing of what was read for it. It fails with [ErrFull] if these
// are more than before and there is no room for them.
func (a *Answer) Keep(n int64) error {
	if a == nil {
		return nil
	}
	if n > a.held {
		return a.Hold(n - a.held)
	}
	a.held, a.reserved = n, false
	a.shrink(max(0, n-free))
	return nil
}

// Room fails with [ErrFull] if the answer, which is to come in pieces, could not hold n bytes now.
func (a *Answer) Room(n int64) error {
	if a == nil {
		return nil
	}
	a.inPieces = true
	defer a.Release()
	return a.Hold(free + n)
}

// Release gives back all that the answer holds. It can go on with the next piece.
func (a *Answer) Release() {
	if a != nil {
		a.held, a.reserved = 0, false
		a.shrink(0)
	}
}

func (a *Answer) shrink(counted int64) {
	if give := a.counted - counted; give > 0 {
		a.counted = counted
		a.budget.release(give)
	}
}

// Pieces writes an answer of request ctx in pieces: it calls next, which reads one piece and writes it, until there are
// no more. Between two pieces the answer holds nothing. A piece may hold about size bytes. One that holds more, and for
// which there was no room, is read again once there is; next has then changed nothing.
func Pieces(ctx context.Context, size int64, begun func() bool, next func() (more bool, err error)) error {
	a := Of(ctx)
	if a != nil {
		a.inPieces = true
	}
	for usual := size; ; {
		patience := FirstPatience
		if begun() {
			patience = Patience
		}
		if err := a.reserve(ctx, size, patience); err != nil {
			return err
		}
		more, err := next()
		a.Release()
		if lacks := (*full)(nil); errors.As(err, &lacks) {
			size = lacks.bytes
			continue
		}
		if err != nil || !more {
			return err
		}
		size = usual
	}
}

// reserve counts a piece of n bytes before it is read, once there is room for it.
func (a *Answer) reserve(ctx context.Context, n int64, patience time.Duration) error {
	if a == nil {
		return nil
	}
	if n = max(0, n-free); !a.budget.hold(n, a.ceiling()) {
		if err := a.budget.wait(ctx, n, a.ceiling(), patience); err != nil {
			return err
		}
	}
	a.counted += n
	a.reserved = true
	return nil
}

// Reading runs read, which reads from the store. Answers in pieces can be many and long. So only a bounded number of
// them read at a time, and the store's readers are there for the others.
func (a *Answer) Reading(ctx context.Context, read func()) error {
	if a != nil && a.inPieces && a.rank < Socket {
		select {
		case a.budget.reading <- struct{}{}:
			defer func() { <-a.budget.reading }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	read()
	return nil
}

func (a *Answer) ceiling() int64 { return a.budget.ceiling(a.rank, a.inPieces) }

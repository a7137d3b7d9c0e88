package memory

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Default is the limit of a node that is not configured otherwise, and Least the smallest that is useful, in bytes.
const (
	Default = 256 << 20
	Least   = 16 << 20
)

const (
	// Patience is how long an answer that has begun waits for room. Clients that do not read are cut before.
	Patience = 30 * time.Second
	// FirstPatience is how long an answer in pieces waits that has not begun.
	FirstPatience = 2 * time.Second
	// RetryAfter is when a client that was refused should come again, in seconds, as Retry-After has it.
	RetryAfter = "10"
	// readers is how many answers in pieces read from the store at a time: half as many as the store has readers.
	readers = 2
	// warnEvery bounds how often the log says that answers were refused.
	warnEvery = time.Minute
)

// ErrFull says that the answers under way hold all the memory that they may.
var ErrFull = errors.New("the node has no memory left for this request: clients that are slow to send theirs, or to read their answers, hold it")

// full is the ErrFull of an answer of which so many bytes were to be counted.
type full struct{ bytes int64 }

func (*full) Error() string        { return ErrFull.Error() }
func (*full) Is(target error) bool { return target == ErrFull }

// Rank says which part of the budget an answer may use.
type Rank uint8

// The ranks, lowest first.
const (
	Remote Rank = iota // from another machine
	Local              // by TCP from this machine
	Socket             // through the socket in the data directory
)

// Budget is the memory that answers may hold together. It is safe for concurrent use.
type Budget struct {
	limit   int64
	log     *slog.Logger
	reading chan struct{} // holds one for each answer in pieces that reads

	mu      sync.Mutex
	held    int64
	waiting map[int64][]*waiter // by their ceilings, in order of arrival
	refused rate.Sometimes
}

// waiter is an answer that waits for room.
type waiter struct {
	bytes   int64
	granted chan struct{} // closed once they are held for it
}

// New returns a budget of limit bytes. A refusal is logged, at most once a minute; log may be nil.
func New(limit int64, log *slog.Logger) *Budget {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Budget{
		limit: limit, log: log, reading: make(chan struct{}, readers),
		waiting: make(map[int64][]*waiter), refused: rate.Sometimes{Interval: warnEvery},
	}
}

// Held returns how many bytes all answers hold.
func (b *Budget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// ceiling returns up to where an answer may fill the budget.
func (b *Budget) ceiling(r Rank, inPieces bool) int64 {
	ceiling := b.limit
	if r < Socket {
		ceiling -= b.limit / 8
	}
	if r < Local {
		ceiling -= b.limit / 8
	}
	if inPieces {
		ceiling /= 2
	}
	return ceiling
}

// hold adds n bytes at once, or reports that there is no room. It overtakes no answer that waits.
func (b *Budget) hold(n, ceiling int64) bool {
	b.mu.Lock()
	fits := n == 0 || b.fits(n, ceiling)
	for c, w := range b.waiting {
		if n > 0 && c >= ceiling && len(w) > 0 {
			fits = false
		}
	}
	if fits {
		b.held += n
	}
	held := b.held
	b.mu.Unlock()
	if !fits {
		b.refused.Do(func() {
			b.log.Warn("requests and answers of slow clients hold the memory that there is for them; others are refused or wait",
				"held", held, "limit", b.limit)
		})
	}
	return fits
}

func (b *Budget) fits(n, ceiling int64) bool { return b.held == 0 || b.held+n <= ceiling }

// wait adds n bytes once there is room; ErrFull if there is none in time.
func (b *Budget) wait(ctx context.Context, n, ceiling int64, patience time.Duration) error {
	b.mu.Lock()
	w := &waiter{n, make(chan struct{})}
	b.waiting[ceiling] = append(b.waiting[ceiling], w)
	b.grant()
	b.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var err error
	select {
	case <-w.granted:
		return nil
	case <-timer.C:
		err = ErrFull
	case <-ctx.Done():
		err = ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting[ceiling], w); i >= 0 {
		b.waiting[ceiling] = slices.Delete(b.waiting[ceiling], i, i+1)
		b.grant() // it may have stood before others
		return err
	}
	return nil // it was granted meanwhile
}

// release gives n bytes back.
func (b *Budget) release(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= n
	b.grant()
}

// grant gives room to the answers that wait for it, those first that may use most. The caller holds b.mu.
func (b *Budget) grant() {
	for _, ceiling := range slices.Backward(slices.Sorted(maps.Keys(b.waiting))) {
		queue := b.waiting[ceiling]
		for len(queue) > 0 && b.fits(queue[0].bytes, ceiling) {
			b.held += queue[0].bytes
			close(queue[0].granted)
			queue = queue[1:]
		}
		b.waiting[ceiling] = queue
	}
}

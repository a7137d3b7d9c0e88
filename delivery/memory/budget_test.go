package memory

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const mib = 1 << 20

func begin(t *testing.T, b *Budget, r Rank) (context.Context, *Answer) {
	ctx, _ := b.Begin(t.Context(), r)
	return ctx, Of(ctx)
}

// hostile 77: clients that are near have a part that those further away cannot use, and long answers leave half to the
// others.
func TestHostile77PartsOfTheBudget(t *testing.T) {
	for name, c := range map[string]struct {
		rank     Rank
		inPieces bool
		most     int64
	}{
		"remote":            {Remote, false, 48 * mib},
		"remote, in pieces": {Remote, true, 24 * mib},
		"local":             {Local, false, 56 * mib},
		"local, in pieces":  {Local, true, 28 * mib},
		"socket":            {Socket, false, 64 * mib},
		"socket, in pieces": {Socket, true, 32 * mib},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(64*mib, nil)
			for {
				_, a := begin(t, b, c.rank)
				a.inPieces = c.inPieces
				if err := a.Hold(free + mib); err != nil {
					if !errors.Is(err, ErrFull) {
						t.Error(err)
					}
					break
				}
			}
			if b.Held() != c.most {
				t.Errorf("%d bytes are held, want %d", b.Held(), c.most)
			}
			if _, small := begin(t, b, c.rank); small.Hold(free) != nil {
				t.Error("a small answer was refused")
			}
		})
	}
}

func TestWhatAnAnswerHolds(t *testing.T) {
	b := New(64*mib, nil)
	ctx, end := b.Begin(t.Context(), Local)
	a := Of(ctx)
	check := func(what string, want int64) {
		t.Helper()
		if b.Held() != want {
			t.Errorf("%s: %d bytes are held, want %d", what, b.Held(), want)
		}
	}
	if a.Hold(3*mib) != nil || a.Hold(mib) != nil {
		t.Fatal("refused")
	}
	check("read", 4*mib-free)
	if a.Keep(5*mib) != nil {
		t.Fatal("refused")
	}
	check("encoded, and larger", 5*mib-free)
	if a.Keep(mib) != nil {
		t.Fatal("refused")
	}
	check("encoded, and smaller", mib-free)
	if err := a.Room(2 * mib); err != nil {
		t.Fatal(err)
	}
	check("asked for room", 0)
	if err := a.Hold(2 * mib); err != nil {
		t.Fatal(err)
	}
	end()
	check("ended", 0)
	if err := a.Hold(100 * mib); err != nil {
		t.Error("an answer that is larger than all was refused though nothing else is held:", err)
	}
	var none *Answer
	if none.Hold(1<<50) != nil || none.Keep(1) != nil || none.Room(1) != nil {
		t.Error("there is a bound where there is no budget")
	}
}

// Answers that wait are served in order of arrival, and no new one overtakes them.
func TestWaitingInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(64*mib, nil)
		_, holder := begin(t, b, Local)
		if err := holder.Hold(22 * mib); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []int
		for i, size := range []int64{8 * mib, 4 * mib, 4 * mib} {
			ctx, _ := begin(t, b, Local)
			go Pieces(ctx, size, func() bool { return true }, func() (bool, error) {
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				time.Sleep(time.Second)
				return false, nil
			})
			synctest.Wait()
		}
		mu.Lock()
		begun := len(order)
		mu.Unlock()
		if begun != 0 { // it is the first alone that does not fit
			t.Errorf("%d have begun though the first waits", begun)
		}
		_, late := begin(t, b, Local)
		if late.Room(mib) == nil {
			t.Error("a new one overtakes")
		}
		_, near := begin(t, b, Socket)
		if near.Hold(mib) != nil {
			t.Error("the socket waits for others")
		}
		near.Release()
		if err := holder.Keep(20 * mib); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if len(order) != 3 || order[0] != 0 {
			t.Errorf("order %v", order)
		}
	})
}

// hostile 77: nobody waits for room without end, and it is said once.
func TestHostile77PatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		b := New(64*mib, slog.New(slog.NewTextHandler(&log, nil)))
		_, holder := begin(t, b, Remote)
		if err := holder.Hold(48 * mib); err != nil {
			t.Fatal(err)
		}
		for begun, want := range map[bool]time.Duration{false: FirstPatience, true: Patience} {
			since := time.Now()
			ctx, _ := begin(t, b, Remote)
			err := Pieces(ctx, mib, func() bool { return begun }, func() (bool, error) {
				t.Error("it was read")
				return false, nil
			})
			if took := time.Since(since); !errors.Is(err, ErrFull) || took != want {
				t.Errorf("begun %v: %v after %v, want it after %v", begun, err, took, want)
			}
		}
		if n := strings.Count(log.String(), "level=WARN"); n != 1 {
			t.Errorf("%d warnings", n)
		}
		holder.Release()
		if b.Held() != 0 {
			t.Errorf("%d bytes are left", b.Held())
		}
	})
}

// A piece that turns out larger than there is room for is read again, and all come.
func TestPiecesAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(64*mib, nil)
		_, holder := begin(t, b, Local)
		if err := holder.Hold(25 * mib); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, holder.Release)
		ctx, a := begin(t, b, Local)
		var sizes []int64
		left := []int64{mib, 20 * mib, mib}
		err := Pieces(ctx, Piece, func() bool { return true }, func() (bool, error) {
			if len(left) == 0 {
				return false, nil
			}
			sizes = append(sizes, left[0])
			if err := a.Hold(left[0]); err != nil {
				return false, err
			}
			left = left[1:]
			return true, nil
		})
		if err != nil || len(sizes) != 4 || sizes[2] != 20*mib {
			t.Errorf("read %v: %v", sizes, err)
		}
		if b.Held() != 0 {
			t.Errorf("%d bytes are left", b.Held())
		}
	})
}

// Whatever many answers do at a time, what they hold is within the bound, and none of it stays.
func TestHostile77NothingIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(64*mib, nil)
		var all sync.WaitGroup
		for i := range 200 {
			all.Go(func() {
				random := rand.New(rand.NewPCG(7, uint64(i)))
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+random.IntN(60))*time.Second)
				defer cancel()
				ctx, end := b.Begin(ctx, Rank(random.IntN(3)))
				defer end()
				a := Of(ctx)
				_ = a.Hold(random.Int64N(4 * mib))
				_ = a.Keep(random.Int64N(4 * mib))
				_ = Pieces(ctx, random.Int64N(mib), func() bool { return true }, func() (bool, error) {
					err := a.Hold(random.Int64N(2 * mib))
					if held := b.Held(); held > 64*mib || held < 0 {
						t.Errorf("%d bytes are held", held)
					}
					if err == nil {
						time.Sleep(time.Duration(random.IntN(5000)) * time.Millisecond)
					}
					return random.IntN(20) > 0, err
				})
			})
		}
		all.Wait()
		if b.Held() != 0 {
			t.Errorf("%d bytes are left", b.Held())
		}
		for ceiling, queue := range b.waiting {
			if len(queue) > 0 {
				t.Errorf("%d wait below %d", len(queue), ceiling)
			}
		}
	})
}

package auth

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// hostile 65: strangers that wait for their passwords to be hashed hold up no known client.
func TestHostile65KnownGoBeforeStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns turns
		if err := turns.await(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		order := make(chan string, maxStrangersWaiting+2)
		join := func(ctx context.Context, who string, known bool) {
			go func() {
				if err := turns.await(ctx, known); err != nil {
					order <- err.Error()
					return
				}
				order <- who
				turns.give()
			}()
			synctest.Wait()
		}
		ctx, leave := context.WithCancel(t.Context())
		join(ctx, "gone", false)
		for range maxStrangersWaiting - 1 {
			join(t.Context(), "stranger", false)
		}
		if err := turns.await(t.Context(), false); !errors.Is(err, ErrTooManyAttempts) {
			t.Errorf("one stranger too many: %v", err)
		}
		join(t.Context(), "owner", true)
		leave()
		synctest.Wait()
		if got := <-order; got != context.Canceled.Error() {
			t.Errorf("who went away: %s", got)
		}
		turns.give()
		synctest.Wait()
		if got := <-order; got != "owner" {
			t.Errorf("the first is %s", got)
		}
		for range maxStrangersWaiting - 1 {
			if got := <-order; got != "stranger" {
				t.Error(got)
			}
		}
		if turns.taken || len(turns.known)+len(turns.strangers) > 0 {
			t.Error("somebody is still expected")
		}
	})
}

// departure is the context of a request that ends in the moment in which its turn comes.
type departure struct {
	context.Context // it has ended
	turns           *turns
}

// Done is called as the wait begins. The turn comes at the same moment.
func (d departure) Done() <-chan struct{} {
	d.turns.give()
	return d.Context.Done()
}

// A turn that comes in the moment in which the request ends is not lost.
func TestATurnIsNotLost(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, known := range []bool{false, true} {
		gone := 0
		for range 100 { // about half of the requests see the turn first
			var turns turns
			if err := turns.await(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			if err := turns.await(departure{ended, &turns}, known); err == nil {
				turns.give()
			} else {
				gone++
			}
			if turns.taken {
				t.Fatal("nobody has the turn, and nobody can take it")
			}
		}
		if gone == 0 {
			t.Error("none went away")
		}
	}
}

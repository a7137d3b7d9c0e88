package auth

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// hostile 65: strangers who wait for their passwords to be hashed hold up nobody who is known.
func TestHostile65KnownGoBeforeStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns turns
		if err := turns.take(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		order := make(chan string, maxStrangersWaiting+2)
		join := func(ctx context.Context, who string, known bool) {
			go func() {
				if err := turns.take(ctx, known); err != nil {
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
		if err := turns.take(t.Context(), false); !errors.Is(err, ErrTooManyAttempts) {
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

// A turn that comes in the moment in which its taker goes away is not lost.
func TestATurnIsNotLost(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			var turns turns
			if err := turns.take(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			ctx, leave := context.WithCancel(t.Context())
			left := make(chan error, 1)
			go func() { left <- turns.take(ctx, true) }()
			synctest.Wait()
			go leave()
			turns.give()
			if <-left == nil {
				turns.give()
			}
			synctest.Wait()
			if turns.taken {
				t.Fatal("nobody has the turn, and nobody can take it")
			}
		})
	}
}

package db

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// A check that is called off before it begins leaves no connection open: the bubble ends only with all its goroutines.
func TestACheckThatIsCalledOffLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDB(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.CheckVirtual(ctx, "notes"); !errors.Is(err, context.Canceled) {
			t.Errorf("it says %v", err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// What runs in the background ends before the database is closed, and can write until then.
func TestClosingWaitsForTheBackground(t *testing.T) {
	d := newDB(t)
	var written error
	d.Background(func(ctx context.Context) {
		<-ctx.Done()
		written = d.Write(context.WithoutCancel(ctx), func(t *Tx) error { return note(t, "the last") })
	})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if written != nil {
		t.Errorf("the background could not write: %v", written)
	}
}

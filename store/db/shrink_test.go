package db

import (
	"errors"
	"slices"
	"testing"
)

// Connections read and write as before with empty caches. A closed database has none.
func TestShrink(t *testing.T) {
	d := newDB(t)
	write(t, d, "a")
	if err := d.Shrink(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, d, "b")
	if got := notes(t, d); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("it has %q", got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Shrink(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("closed, it says %v", err)
	}
}

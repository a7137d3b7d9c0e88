package db

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
)

// What its caller has called off before it has begun is not done later.
func TestWhatIsCalledOffIsNotDone(t *testing.T) {
	t.Parallel()
	d := newDB(t)
	for _, off := range []bool{false, true} {
		begun, end := make(chan struct{}), make(chan struct{})
		first, second := make(chan error, 1), make(chan error, 1)
		go func() {
			first <- d.Write(t.Context(), func(*Tx) error { close(begun); <-end; return nil })
		}()
		<-begun
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		key := fmt.Sprint("called off: ", off)
		go func() { second <- d.SetSetting(ctx, key, "done") }()
		for len(d.writer.queue) == 0 { // it waits for its turn
			runtime.Gosched()
		}
		if off {
			cancel()
		}
		close(end)
		if err := errors.Join(<-first, d.SetSetting(t.Context(), "after", "it")); err != nil {
			t.Fatal(err)
		}
		err := <-second
		value, reading := d.Setting(t.Context(), key)
		if reading != nil || off != errors.Is(err, context.Canceled) || off != (value == "") {
			t.Errorf("called off: %v; it ends with %v, and %q is stored, %v", off, err, value, reading)
		}
	}
}

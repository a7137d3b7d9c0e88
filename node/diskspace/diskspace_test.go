package diskspace

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Hostile 51: a file system that does not answer delays neither the doctor nor a status. It gets one request at a time,
// as a request stays until it is answered.
func TestHostile51AFileSystemThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		silent := make(chan struct{})
		g := &Gauge{free: func(string) (uint64, bool) {
			asked.Add(1)
			<-silent
			return 1 << 30, true
		}}
		for range 3 {
			began := time.Now()
			_, err := g.Free(t.Context(), "/far")
			if took := time.Since(began); took != Patience || !errors.Is(err, ErrSilent) {
				t.Errorf("it took %s: %v, want %s", took, err, Patience)
			}
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("it was asked %d times while it did not answer", n)
		}
		close(silent)
		synctest.Wait()
		if free, err := g.Free(t.Context(), "/far"); err != nil || free != 1<<30 {
			t.Errorf("when it answers: %d, %v", free, err)
		}
	})
}

// The system says how much is free where there is a directory, and of one that is not there nothing.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	if free, err := New().Free(t.Context(), dir); err != nil || free == 0 {
		t.Errorf("%d bytes: %v", free, err)
	}
	if _, err := New().Free(t.Context(), dir+"/none"); !errors.Is(err, ErrUnknown) {
		t.Errorf("of a directory that is not there: %v", err)
	}
}

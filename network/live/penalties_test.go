package live

import (
	"testing"
	"testing/synctest"
	"time"

	"tidings/network/engine"
)

func TestStrikesAreBoundedAndFade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := DefaultLimits()
		limits.StrikeTable = 10
		s := newStrikes(limits)
		bad := engine.IDOf([]byte("bad"))
		for i, want := range []time.Duration{0, 0, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute} {
			if count, refused := s.add(bad); count != i+1 || refused != want {
				t.Errorf("penalty %d: count %d, refused for %v", i+1, count, refused)
			}
		}
		if !s.refuses(bad) || s.refuses(engine.IDOf([]byte("good"))) {
			t.Error("the wrong one is refused")
		}
		for i := range 9 {
			s.add(engine.IDOf([]byte{byte(i)}))
		}
		if !s.refuses(bad) {
			t.Error("forgotten while there was room")
		}
		time.Sleep(limits.StrikeFor + time.Second)
		if count, _ := s.add(bad); count != 1 || s.refuses(bad) {
			t.Errorf("old faults count: %d", count)
		}
		for i := range 100 {
			s.add(engine.IDOf([]byte{1, byte(i)}))
		}
		if len(s.of) != 10 || len(s.order) != 10 {
			t.Errorf("%d records are kept", len(s.of))
		}
	})
}

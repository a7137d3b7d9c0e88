package sim

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

func TestPause(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	r := w.at(1)
	var order []string
	r.env.After(2*time.Second, func() { order = append(order, "timer") })
	w.ping(0, 1, 1)
	w.Run(10 * time.Millisecond)
	w.Pause(1, 3*time.Second)
	w.After(time.Second, func() { w.ping(0, 1, 2) })
	w.After(2500*time.Millisecond, func() { w.ping(0, 1, 3) })
	w.Run(2990 * time.Millisecond)
	if len(r.heard)+len(order) > 0 {
		t.Fatal("something happened in a process that does not run")
	}
	w.Run(20 * time.Millisecond)
	if !slices.Equal(r.numbers(), []uint64{1, 2, 3}) || len(order) != 1 {
		t.Fatalf("heard %v, timers %v", r.heard, order)
	}
	for _, h := range r.heard {
		if h.at != 3010*time.Millisecond {
			t.Errorf("heard at %v by its clock", h.at)
		}
	}
	w.Run(time.Minute)
	if len(w.at(0).downs) > 0 {
		t.Error("a pause shorter than Detect was reported")
	}
}

func TestLongPauseIsReported(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	w.Pause(1, time.Minute)
	w.ping(0, 1, 1)
	w.Run(2 * time.Minute)
	if len(w.at(0).downs) != 1 || !slices.Equal(w.at(1).numbers(), []uint64{1}) {
		t.Errorf("notified of %v, came %v", w.at(0).downs, w.at(1).heard)
	}
}

func TestHostile34Suspend(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	r := w.at(1)
	ran := time.Duration(0)
	r.env.After(time.Hour, func() { ran = r.env.Now() })
	w.Suspend(1, 8*time.Hour)
	w.ping(0, 1, 1)
	w.Run(8*time.Hour + time.Second)
	w.ping(0, 1, 2)
	w.Run(time.Second)
	if !slices.Equal(r.numbers(), []uint64{2}) || len(w.at(0).downs) != 1 {
		t.Errorf("came %v, notified of %v", r.numbers(), w.at(0).downs)
	}
	if ran != 8*time.Hour {
		t.Errorf("the timer ran at %v", ran)
	}
	if got, want := w.Wall(1), w.config.Epoch.Add(8*time.Hour+2*time.Second); !got.Equal(want) {
		t.Errorf("wall clock at %v, want %v", got, want)
	}
}

func TestPausedNodeHoldsABoundedNumber(t *testing.T) {
	t.Parallel()
	w := newRecorders(2, func(c *Config) { c.Queue = 10 })
	w.Pause(1, time.Second)
	for i := range uint64(20) {
		var m engine.Message = &toyBulk{Number: 100 + i}
		if i%2 == 0 {
			m = &toyPing{i}
		}
		w.at(0).env.Send(w.Peer(1), m)
	}
	w.Run(2 * time.Second)
	if got := w.at(1).numbers(); !slices.Equal(got, []uint64{0, 2, 4, 6, 8, 10, 12, 14, 16, 18}) {
		t.Errorf("came %v, want the urgent ones", got)
	}
	if w.Counters().Dropped[InboxFull] != 10 {
		t.Errorf("dropped %v", w.Counters().Dropped)
	}
}

func TestCrashWhilePaused(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	w.at(1).env.After(time.Second, func() { t.Error("a timer outlived a crash") })
	w.Pause(1, time.Minute)
	w.ping(0, 1, 1)
	w.Run(10 * time.Second)
	w.Restart(1)
	w.ping(0, 1, 2)
	w.Run(time.Hour)
	if got := w.at(1).numbers(); !slices.Equal(got, []uint64{2}) {
		t.Errorf("came %v", got)
	}
	if n := w.passages.inUse() + w.timers.slab.inUse() + w.errands.inUse(); n != 0 {
		t.Errorf("%d slots of events that are gone are in use", n)
	}
}

func TestPeakOfSenderOutlivesTheSleep(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{false, true} {
		w := newRecorders(3, func(c *Config) { c.Queue = 4 })
		for round := range uint64(2) { // what waited in the first round does not count in the second
			w.Pause(2, time.Minute)
			for i := range 3 - round {
				w.ping(0, 2, i)
			}
			w.ping(1, 2, 9)
			w.Run(time.Second)
			if crash {
				w.Restart(2)
			}
			w.Run(2 * time.Minute)
			if got := w.Backlog(2).PeakOfSender; got != 3 {
				t.Errorf("crash %v, round %d: %d messages of one sender waited, want 3", crash, round, got)
			}
		}
		w.Pause(2, time.Minute)
		for i := range uint64(9) { // more than there is room for
			w.ping(0, 2, i)
		}
		w.Run(2 * time.Minute)
		if got := w.Backlog(2).PeakOfSender; got != 5 {
			t.Errorf("crash %v: %d messages of one sender waited, want the 4 with room and the one above", crash, got)
		}
	}
}

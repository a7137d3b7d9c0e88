package sim

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"

	"pgregory.net/rapid"
)

func TestTimerStops(t *testing.T) {
	t.Parallel()
	w := newRecorders(1)
	env := w.at(0).env
	called := 0
	a := env.After(time.Second, func() { called++ })
	b := env.After(time.Second, func() { called += 10 })
	if !a.Stop() || a.Stop() {
		t.Error("Stop is not true exactly once")
	}
	w.Run(2 * time.Second)
	if called != 10 || b.Stop() {
		t.Errorf("called %d, want the second timer alone", called)
	}
	c := env.After(time.Second, func() { called += 100 }) // may use the slot of a or b
	if a.Stop() || b.Stop() {
		t.Error("a timer that passed stopped a later one")
	}
	if !c.Stop() || (engine.Timer{}).Stop() {
		t.Error("Stop of a running timer, or of none, is wrong")
	}
}

func TestTimerInThePastRunsNow(t *testing.T) {
	t.Parallel()
	w := newRecorders(1)
	var order []int
	w.at(0).env.After(-time.Hour, func() { order = append(order, 1) })
	w.at(0).env.After(0, func() { order = append(order, 2) })
	if len(order) > 0 {
		t.Error("After called back before it returned")
	}
	w.Run(0)
	if !slices.Equal(order, []int{1, 2}) {
		t.Errorf("called %v", order)
	}
}

// Every timer runs at its time, in the order of making among equals, unless it was stopped. Stop returns the truth,
// whatever the clock's rate does.
func TestTimersAgainstModel(t *testing.T) {
	t.Parallel()
	// At 100 times the rate, 100 ns pass in one, and rates change often.
	const slack = 100 * time.Microsecond
	rapid.Check(t, func(t *rapid.T) {
		w := newRecorders(2)
		type made struct {
			due   time.Duration
			timer engine.Timer
			ran   bool
			ended bool
		}
		var all []*made
		crashed := false
		t.Repeat(map[string]func(*rapid.T){
			"after": func(*rapid.T) {
				if crashed {
					return
				}
				env := w.at(0).env
				m := &made{due: env.Now() + rapid.SampledFrom([]time.Duration{0, 1, time.Second, time.Hour}).Draw(t,
					"d")}
				m.timer = env.After(m.due-env.Now(), func() {
					if m.ran || m.ended {
						t.Fatal("a timer ran that had ended")
					}
					m.ran = true
					if late := env.Now() - m.due; late < 0 || late > slack {
						t.Fatalf("ran %d ns late", late)
					}
				})
				all = append(all, m)
			},
			"stop": func(*rapid.T) {
				if len(all) == 0 {
					return
				}
				m := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
				if m.timer.Stop() == (m.ran || m.ended) {
					t.Fatalf("Stop is wrong of a timer that ran: %v, ended: %v", m.ran, m.ended)
				}
				m.ended = true
			},
			"run": func(*rapid.T) {
				w.Run(rapid.SampledFrom([]time.Duration{1, time.Second, time.Minute}).Draw(t, "d"))
				for _, m := range all {
					if !m.ran && !m.ended && m.due < w.at(0).env.Now()-slack {
						t.Fatalf("not run %v after its time", w.at(0).env.Now()-m.due)
					}
				}
			},
			"rate": func(*rapid.T) {
				w.SetRate(0, rapid.SampledFrom([]float64{1, 0.5, 2, 1.001, 100}).Draw(t, "rate"))
			},
			"restart": func(*rapid.T) {
				w.Restart(0)
				for _, m := range all {
					m.ended = true
				}
			},
		})
	})
}

func TestStoppedTimersLeaveTheQueue(t *testing.T) {
	t.Parallel()
	w := newRecorders(1)
	env := w.at(0).env
	for range 1_000_000 {
		env.After(time.Hour, func() { t.Error("called") }).Stop()
	}
	if waiting, peak := w.Pending(); peak > 10_000 {
		t.Errorf("%d events to come, %d at most, of timers that were all stopped", waiting, peak)
	}
	if slots := w.timers.slab.length; slots > 10_000 {
		t.Errorf("%d slots", slots)
	}
}

func TestCrashEndsTimers(t *testing.T) {
	t.Parallel()
	w := newRecorders(1)
	env := w.at(0).env
	timer := env.After(time.Second, func() { t.Error("a timer outlived its incarnation") })
	w.Restart(0)
	if timer.Stop() {
		t.Error("a timer of an earlier incarnation was still to come")
	}
	env.After(time.Second, func() { t.Error("an Env outlived its incarnation") })
	if env.Work(func() { t.Error("a job ran") }, func() {}) {
		t.Error("work was accepted after the end")
	}
	w.Run(time.Minute)
}

func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	w := newRecorders(1)
	env := w.at(0).env
	jobs, done := 0, 0
	for range engine.MaxWork {
		if !env.Work(func() { jobs++ }, func() { done++ }) {
			t.Fatal("refused")
		}
	}
	if env.Work(func() { jobs++ }, func() {}) {
		t.Error("one job too many")
	}
	if jobs != engine.MaxWork || done != 0 {
		t.Errorf("%d jobs ran, %d done", jobs, done)
	}
	w.Run(0)
	if done != engine.MaxWork || !env.Work(func() {}, func() {}) {
		t.Errorf("%d done", done)
	}
}

package sim

import (
	"testing"
	"time"
)

func TestHostile34Clocks(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	epoch := w.config.Epoch
	r := w.at(1)
	var at []time.Duration
	r.env.After(10*time.Second, func() { at = append(at, w.Now()) })
	w.Run(4 * time.Second)
	w.SetRate(1, 2) // 6 s are left, which last 3
	w.Run(6 * time.Second)
	if len(at) != 1 || at[0] < 7*time.Second || at[0] > 7*time.Second+2 {
		t.Errorf("the timer ran at %v, want 7 s", at)
	}
	if got := r.env.Now(); got != 16*time.Second {
		t.Errorf("Now is %v, want 16 s", got)
	}
	w.SetWall(1, -time.Hour)
	if got, want := r.env.Wall(), epoch.Add(16*time.Second-time.Hour); !got.Equal(want) {
		t.Errorf("Wall is %v, want %v", got, want)
	}
	if got := r.env.Now(); got != 16*time.Second {
		t.Errorf("Now is %v after a jump of the wall clock", got)
	}
	w.SetWall(1, time.Hour)
	w.Restart(1)
	if r := w.at(1); r.env.Now() != 0 || !r.env.Wall().Equal(epoch.Add(16*time.Second+time.Hour)) {
		t.Errorf("after a restart Now is %v, Wall %v", r.env.Now(), r.env.Wall())
	}
	w.SetRate(1, 1)
	w.Run(time.Second)
	if got := w.at(1).env.Now(); got != time.Second {
		t.Errorf("Now is %v with a true clock", got)
	}
	if got := w.at(0).env.Wall(); !got.Equal(epoch.Add(11 * time.Second)) {
		t.Errorf("the other node's wall clock shows %v", got)
	}
}

func TestRatesThatCannotBe(t *testing.T) {
	t.Parallel()
	w := newRecorders(1)
	for _, rate := range []float64{0, -1, 1e-9, 1e9} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a rate of %v", rate)
				}
			}()
			w.SetRate(0, rate)
		}()
	}
}

func TestTimersFarAhead(t *testing.T) {
	t.Parallel()
	w := newRecorders(1)
	w.SetRate(0, 1.0/1024)
	for _, d := range []time.Duration{forever, 1<<63 - 1, 1 << 60} {
		w.at(0).env.After(d, func() { t.Error("called") })
	}
	w.Run(100 * 365 * 24 * time.Hour)
}

// Where the rate changes while a timer runs, roundings make it no earlier.
func TestTimersAreNeverEarly(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0.5, 0.3, 1.7} {
		for d := range 20 * time.Nanosecond {
			w := newRecorders(1)
			env := w.at(0).env
			ran := time.Duration(-1)
			env.After(d, func() { ran = env.Now() })
			w.SetRate(0, rate)
			w.Run(d / 2)
			w.SetRate(0, 1)
			w.Run(time.Second)
			if ran < d || ran > d+3 {
				t.Errorf("at a rate of %v, a timer of %v ran at %v", rate, d, ran)
			}
		}
	}
}

package plan

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// However many slots move, one timer clears the entries that keep their turns apart, when they have no effect any more.
func TestMovedSlotsShareATimer(t *testing.T) {
	t.Parallel()
	const channels = 100
	env := enginetest.NewEnv(enginetest.NewPeer("1"))
	config := testConfig()
	s := &duties{Base: &machine.Base{Env: env}, config: &config, soonest: make(map[uint64]moment)}
	env.Advance(10 * config.Interval)
	for i := range channels {
		id := engine.IDOf([]byte{byte(i)})
		s.keepApart(&duty{channel: machine.Channel{ID: id}, slot: slot{start: slotTime(i)}})
	}
	if len(s.soonest) != channels || env.Timers() != 1 {
		t.Errorf("%d of %d channels are kept apart, by %d timers", len(s.soonest), channels, env.Timers())
	}
	env.Advance(3 * config.Interval)
	if len(s.soonest) != 0 || env.Timers() != 0 {
		t.Errorf("%d channels are still kept apart, by %d timers", len(s.soonest), env.Timers())
	}
}

// The next time is from now on, within a period, and whole periods from the start.
func TestNextTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Int64Range(-int64(1000*time.Hour), int64(1000*time.Hour))
		start, now := time.Duration(draw.Draw(t, "start")), time.Duration(draw.Draw(t, "now"))
		period := time.Duration(rapid.Int64Range(1, int64(24*time.Hour)).Draw(t, "period"))
		next := nextTime(start, period, now)
		if next < now || next >= now+period || (next-start)%period != 0 {
			t.Fatalf("start %v, period %v, now %v: next %v", start, period, now, next)
		}
		if d := circular(start-now, period); d > period/2 || d < -period/2 || (d-(start-now))%period != 0 {
			t.Fatalf("%v modulo %v is %v", start-now, period, d)
		}
	})
}

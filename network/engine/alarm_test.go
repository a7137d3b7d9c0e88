package engine_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

func TestAlarm(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("1"))
	var a engine.Alarm
	var rung []time.Duration
	ring := func() { rung = append(rung, env.Now()) }
	expect := func(what string, want ...time.Duration) {
		t.Helper()
		env.Advance(time.Minute)
		if !slices.Equal(rung, want) {
			t.Errorf("%s: it rings at %v, want %v", what, rung, want)
		}
		rung = nil
	}
	a.Soon(env, 5*time.Second, ring)
	a.Soon(env, 7*time.Second, ring)
	a.Soon(env, 3*time.Second, ring)
	expect("the earliest of three", 3*time.Second)

	a.Set(env, env.Now()+5*time.Second, ring)
	a.Set(env, env.Now()+7*time.Second, ring)
	expect("the latter of two", time.Minute+7*time.Second)

	a.Soon(env, 0, ring)
	expect("a time that has passed", 2*time.Minute)

	a.Soon(env, env.Now()+time.Second, ring)
	a.Stop()
	a.Stop()
	expect("none that was stopped")
	a.Soon(env, env.Now()+2*time.Second, func() {
		ring()
		a.Soon(env, env.Now()+time.Second, ring)
	})
	expect("again, from within", 4*time.Minute+2*time.Second, 4*time.Minute+3*time.Second)
}

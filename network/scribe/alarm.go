package scribe

import (
	"time"

	"tidings/network/engine"
)

// alarm is a timer of which one call is to come, or none.
type alarm struct {
	timer engine.Timer
	at    time.Duration
	on    bool
}

// set has f called at a time, unless it will be called before.
func (a *alarm) set(env engine.Env, at time.Duration, f func()) {
	if a.on && a.at <= at {
		return
	}
	a.timer.Stop()
	a.on, a.at = true, at
	a.timer = env.After(at-env.Now(), func() {
		a.on = false
		f()
	})
}

func (a *alarm) stop() {
	a.timer.Stop()
	a.on = false
}

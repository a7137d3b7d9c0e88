package archive

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

// set has f called at a time, in the place of what was set before.
func (a *alarm) set(env engine.Env, at time.Duration, f func()) {
	a.timer.Stop()
	a.on, a.at = true, at
	a.timer = env.After(at-env.Now(), func() {
		a.on = false
		f()
	})
}

// soon is set, unless f is called before anyway.
func (a *alarm) soon(env engine.Env, at time.Duration, f func()) {
	if !a.on || a.at > at {
		a.set(env, at, f)
	}
}

func (a *alarm) stop() {
	a.timer.Stop()
	a.on = false
}

package feedtree

import (
	"time"

	"tidings/network/engine"
)

// alarm is a timer of which one call is to come, or none.
type alarm struct {
	timer engine.Timer
	on    bool
}

// set has f called after d, and not when it was to be called before.
func (a *alarm) set(env engine.Env, d time.Duration, f func()) {
	a.timer.Stop()
	a.on = true
	a.timer = env.After(d, func() {
		a.on = false
		f()
	})
}

func (a *alarm) stop() {
	a.timer.Stop()
	a.on = false
}

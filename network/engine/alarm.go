package engine

import "time"

// Alarm is a timer of which one call is to come, or none. The zero Alarm is one without. It is for one
// Env, and not to be copied while a call is to come.
type Alarm struct {
	timer Timer
	at    time.Duration
	on    bool
}

// Set has f called at a time by Env.Now, in the place of what was to be called before.
func (a *Alarm) Set(env Env, at time.Duration, f func()) {
	a.timer.Stop()
	a.on, a.at = true, at
	a.timer = env.After(at-env.Now(), func() {
		a.on = false
		f()
	})
}

// Soon has f called at a time, unless a call is to come no later than that: then that one stays.
func (a *Alarm) Soon(env Env, at time.Duration, f func()) {
	if !a.on || a.at > at {
		a.Set(env, at, f)
	}
}

// Stop has nothing called until the next Set or Soon.
func (a *Alarm) Stop() {
	a.timer.Stop()
	a.on = false
}

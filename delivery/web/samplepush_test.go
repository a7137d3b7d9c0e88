package web

import (
	"time"

	"tidings"
)

const (
	pushedFeed = "https://kernel.example/headlines/rss"
	oneKey     = "1a2b9e07c4d35f6881b2aa90e1d7c3f4520b6d8e9f1a7c3b5d2e4f60718293a4"
	otherKey   = "9c8d01f2e3b4a5968778695a4b3c2d1e0ff1e2d3c4b5a69788796a5b4c3d2e1f"
)

// pushedAs is sample with a channel in that state of pushing, and an entry that was pushed.
func pushedAs(state tidings.PushState) func() *fake {
	return func() *fake {
		f := sample()
		p := &tidings.Push{State: state, Fingerprint: oneKey, Since: time.Now().Add(-20 * 24 * time.Hour),
			MaxSilence: time.Hour,
			Heard:      time.Now().Add(-3 * time.Minute), Number: 214, Pushed: 212, Missed: 2, Refused: 3}
		if state == tidings.PushAlarm {
			p.Offered, p.OfferedSince = otherKey, time.Now().Add(-26*time.Hour)
		}
		if state == tidings.PushJoining {
			p.Heard = time.Time{}
		}
		if state == tidings.PushUnprotected {
			p = &tidings.Push{State: state}
		}
		f.at(pushedFeed).Push = p
		for i := range f.entries {
			if e := &f.entries[i]; e.Channel == pushedFeed {
				e.SignedBy = oneKey
			} else {
				e.FoundBy = sampleID
			}
		}
		for i := range f.updates {
			if u := &f.updates[i]; u.Channel == pushedFeed {
				u.SignedBy = oneKey
			} else {
				u.FoundBy = sampleID
			}
		}
		return f
	}
}

package rappel

import (
	"testing"
	"time"

	"tidings/network/engine"
)

// clock is the Env of a node that only asks for the time.
type clock struct {
	engine.Env
	now time.Duration
}

func (c *clock) Now() time.Duration { return c.now }

// Updates may come from the parent and, for a time, from the parent before. They may come from a node that was asked
// for a place. A node that was asked for updates may send them too, even if it was the parent once.
func TestWhoMaySendUpdates(t *testing.T) {
	peer := func(name string) engine.Peer { return engine.Peer{ID: engine.IDOf([]byte(name))} }
	parent, before, target, above := peer("parent"), peer("before"), peer("target"), peer("above")
	at := &clock{now: time.Hour}
	f := &feed{tree: &tree{core: &core{env: at}}}
	may := func(when string, want ...engine.Peer) {
		t.Helper()
		for _, p := range []engine.Peer{parent, before, target, above} {
			if got := f.mayCome(p); got != chainHas(want, p.ID) {
				t.Errorf("%s: an update of %s is wanted: %v", when, p, got)
			}
		}
	}
	may("at first")
	f.parent, f.former = parent, former{before, at.now + 30*time.Second}
	may("with another parent", parent, before)
	f.seeking.target, f.seeking.until = target, at.now+5*time.Second
	may("in a search", parent, before, target)
	f.seeking.until = 0
	f.pull.from, f.pull.until = above, at.now+40*time.Second
	may("when an ancestor is asked", parent, before, above)
	at.now += 30 * time.Second
	may("long after the parent before was left", parent, above)
	f.pull.from = before
	may("when the parent before is asked", parent, before)
	at.now += 10 * time.Second
	may("when the answer is overdue", parent)
}

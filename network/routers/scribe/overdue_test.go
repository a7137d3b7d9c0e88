package scribe

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// Each event that does not come in time is requested from its publisher once, and those that come are confirmed. One
// that is due later is not forgotten for those before it.
func TestEachOverdueEventIsRequested(t *testing.T) {
	publisher := enginetest.NewPeer("ab")
	env := enginetest.NewEnv(enginetest.NewPeer("1"))
	a := awaited{env: env, group: Group{Topic: engine.PrefixID("5")}}
	sent := func() (all []string) {
		for _, s := range env.Sent() {
			switch m := s.Message.(type) {
			case *IWant:
				all = append(all, fmt.Sprint("want ", m.Name))
			case *Taken:
				all = append(all, fmt.Sprint("taken ", m.Name))
			}
		}
		return all
	}
	const apart = 10 * time.Millisecond
	for name := range uint64(5) {
		a.add(name, publisher)
		env.Advance(apart)
	}
	a.arrived(1)
	if got := sent(); !slices.Equal(got, []string{"taken 1"}) {
		t.Errorf("before any is due: %v", got)
	}
	env.Advance(late - 5*apart)
	for _, want := range []string{"want 0", "", "want 2", "want 3", "want 4", ""} {
		if got := fmt.Sprint(sent()); got != fmt.Sprint([]string{want}) && (want != "" || got != "[]") {
			t.Errorf("sent is %s, not %q", got, want)
		}
		env.Advance(apart)
	}
	env.Advance(10 * late)
	if got := sent(); len(got) != 0 || len(a.list) != 0 {
		t.Errorf("later is sent %v", got)
	}
}

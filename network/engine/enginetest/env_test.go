package enginetest

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

func TestTimersFireInOrder(t *testing.T) {
	env := NewEnv(NewPeer("a1"))
	var fired []string
	note := func(name string) func() {
		return func() { fired = append(fired, name+" "+env.Now().String()) }
	}
	env.After(2*time.Second, note("second"))
	env.After(time.Second, func() {
		note("first")()
		env.After(500*time.Millisecond, note("set meanwhile"))
		env.After(-time.Hour, note("at once"))
	})
	env.After(2*time.Second, note("third"))
	stopped := env.After(time.Second, note("stopped"))
	env.After(3*time.Second, note("too late"))

	if len(fired) > 0 {
		t.Errorf("before time passes: %q", fired)
	}
	if !stopped.Stop() || stopped.Stop() {
		t.Error("a timer can be stopped twice, or not at all")
	}
	env.Advance(2 * time.Second)
	want := []string{"first 1s", "at once 1s", "set meanwhile 1.5s", "second 2s", "third 2s"}
	if !slices.Equal(fired, want) {
		t.Errorf("fired %q, want %q", fired, want)
	}
	if env.Now() != 2*time.Second || env.Timers() != 1 || !env.Wall().Equal(env.WallClock.Add(2*time.Second)) {
		t.Errorf("at %v by the wall %v %d timers are left", env.Now(), env.Wall(), env.Timers())
	}
	if (engine.Timer{}).Stop() {
		t.Error("the zero timer was still to come")
	}
}

func TestEnvKeepsWhatIsDone(t *testing.T) {
	env := NewEnv(NewPeer("a1"))
	other := NewPeer("b2")
	env.Send(other, &engine.Hello{})
	env.Trace("event")
	if sent := env.Sent(); len(sent) != 1 || sent[0].To != other || len(env.Sent()) != 0 {
		t.Errorf("sent %v", sent)
	}
	if traced := env.Traced(); len(traced) != 1 || traced[0] != "event" || len(env.Traced()) != 0 {
		t.Errorf("traced %v", traced)
	}
	if env.Rand().Uint64() != NewEnv(other).Rand().Uint64() {
		t.Error("chance differs from run to run")
	}
}

func TestWorkIsBounded(t *testing.T) {
	env := NewEnv(NewPeer("a1"))
	jobs, done := 0, 0
	for range engine.MaxWork {
		if !env.Work(func() { jobs++ }, func() { done++ }) {
			t.Fatal("work is refused too early")
		}
	}
	if env.Work(func() { t.Error("refused, and run") }, func() {}) {
		t.Error("more jobs wait than engine.MaxWork")
	}
	if n := env.RunWork(); n != engine.MaxWork || jobs != n || done != n || env.RunWork() != 0 {
		t.Errorf("%d jobs: %d ran, %d were done", n, jobs, done)
	}
}

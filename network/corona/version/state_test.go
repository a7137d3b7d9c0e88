package version

import (
	"testing"
	"time"

	"tidings/network/engine/enginetest"
)

// Another owner's state is refused if no later one could follow it (hostile 42).
func TestStatesOfTheFarFuture(t *testing.T) {
	t.Parallel()
	env := enginetest.NewEnv(enginetest.NewPeer("51"))
	a := new(ground).start(env)
	a.settle()
	o, h := a.owned, Hash{1, 2, 3}
	number := func(counter int64) uint64 { return uint64(counter)<<tagBits | tagOf(h) }
	now := env.Wall()
	for what, s := range map[string]State{
		"the last stamp":        {Stamp: 1<<64 - 1},
		"a stamp near the last": {Stamp: maxStateStamp + 1},
		"a number of 2^63":      {Version: number(1) | 1<<63, Hash: h},
		"a number of next week": {Version: number(now.Add(7 * 24 * time.Hour).Unix()), Hash: h},
		"another content's":     {Version: number(1) + 1, Hash: h},
	} {
		if a.machine.Merge(news.ID, env.Self(), &s); o.Version() != 0 || o.Stamp() != 0 {
			t.Errorf("%s is believed", what)
		}
	}
	s := State{Stamp: maxStateStamp, Version: number(now.Add(time.Hour).Unix()), Hash: h}
	if a.machine.Merge(news.ID, env.Self(), &s); o.Version() != s.Version || o.Stamp() != s.Stamp {
		t.Error("a number within the day is not believed")
	}
}

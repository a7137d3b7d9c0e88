package corona

import (
	"testing"
	"time"

	"tidings/network/sim/simtest"
)

// What another owner says of a channel is not taken if nobody could say more after it (hostile 42).
func TestStatesOfTheFarFuture(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 8)
		c := channel(0)
		v.subscribe(3, c)
		v.acknowledge(10 * time.Second)
		owners := v.owners(c, 2)
		n, from := v.at(owners[0]).corona, v.Peer(owners[1])
		o, h := n.roster.Find(c.ID), Hash{1, 2, 3}
		number := func(counter int64) uint64 { return uint64(counter)<<tagBits | tagOf(h) }
		now := v.Wall(owners[0])
		for what, s := range map[string]State{
			"the last stamp":        {Stamp: 1<<64 - 1},
			"a stamp near the last": {Stamp: maxStateStamp + 1},
			"a number of 2^63":      {Version: number(1) | 1<<63, Hash: h},
			"a number of next week": {Version: number(now.Add(7 * 24 * time.Hour).Unix()), Hash: h},
			"another content's":     {Version: number(1) + 1, Hash: h},
		} {
			if n.version.credible(o, from, &s) {
				t.Errorf("%s is believed", what)
			}
		}
		if s := (State{Stamp: maxStateStamp, Version: number(now.Add(time.Hour).Unix()), Hash: h}); !n.version.credible(o, from, &s) {
			t.Error("a number within the day is not believed")
		}
	})
}

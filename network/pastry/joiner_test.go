package pastry

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// idler is a protocol that does nothing.
type idler struct{}

func (idler) Receive(engine.Peer, engine.Message) {}
func (idler) PeerDown(engine.Peer)                {}
func (idler) Stop()                               {}

// envOf returns the Env of a node that does nothing.
func (r *ring) envOf() (env engine.Env) {
	r.world.Boot(r.world.Add(r.key(), func(e engine.Env, _ *sim.Disk) engine.Protocol {
		env = e
		return idler{}
	}))
	return env
}

// Seeds are asked in turn, each round after twice the wait, up to JoinRetry. Seeds that are down are passed over.
func TestJoinerAsksInTurn(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	j := joiner{env: r.envOf(), config: &r.config}
	var asked []Asked
	r.world.Observe(func(_ time.Duration, _ sim.Node, e any) {
		if a, ok := e.(Asked); ok {
			asked = append(asked, a)
		}
	})
	seeds := []engine.Peer{{ID: r.key(), Address: "a"}, {ID: r.key(), Address: "b"}, {ID: r.key(), Address: "c"}}
	if some, _ := j.add([]engine.Peer{j.env.Self()}); some {
		t.Error("a node joins by itself")
	}
	if some, inVain := j.add(seeds); !some || !inVain {
		t.Error("the first seeds are not asked at once")
	}
	j.start(true)
	j.down(seeds[0].ID) // the one that is waited for
	j.down(seeds[2].ID) // and another
	if len(asked) != 2 || asked[1].Seed != seeds[1] {
		t.Fatalf("asked %v", asked)
	}
	r.world.Run(time.Hour)
	for i, a := range asked {
		if a.Seed != seeds[i%3] {
			t.Errorf("the %d. that is asked is %v", i, a.Seed)
		}
		if most := min(j.config.JoinRetry, j.config.JoinTimeout<<min(i/3, 10)); i > 0 && i%3 != 1 && a.Wait != 0 ||
			a.Wait > most || i%3 == 1 && a.Wait < most*7/8 {
			t.Errorf("after the %d. it waits %v", i, a.Wait)
		}
	}
	if some, inVain := j.add(nil); !some || inVain {
		t.Error("with a seed that is up the attempt is in vain")
	}
	others := j.end()
	if len(others) != 2 || j.end() != nil {
		t.Errorf("%v were not asked last", others)
	}
	count := len(asked)
	if r.world.Run(time.Hour); len(asked) > count {
		t.Error("it asks on after its end")
	}
	for range 3 {
		j.keep(make([]engine.Peer, maxRows/2))
	}
	if len(j.release()) != maxRows || j.release() != nil {
		t.Error("rows are kept beyond the bound, or twice")
	}
}

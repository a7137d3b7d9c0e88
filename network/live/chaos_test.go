package live

import (
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/engine"
)

// ledger checks, as things happen at one node, what every node may rely on.
type ledger struct {
	t    *testing.T
	name int
	last map[engine.ID]uint64 // the latest number from each peer
	down map[engine.ID]bool   // reported down, and not heard since
	got  map[engine.ID]int
}

func (l *ledger) receive(from engine.Peer, m engine.Message) {
	n := numberOf(m)
	if n <= l.last[from.ID] {
		l.t.Errorf("node %d got %d from %v after %d", l.name, n, from, l.last[from.ID])
	}
	l.last[from.ID] = n
	l.down[from.ID] = false
	l.got[from.ID]++
}

func (l *ledger) PeerDown(p engine.Peer) {
	if l.down[p.ID] {
		l.t.Errorf("node %d was notified twice that %v is down", l.name, p)
	}
	l.down[p.ID] = true
}

// hostile 31: nodes that talk while places come and go, machines sleep, links are ended and connections closed. Nothing
// comes twice or out of order, and no outage is reported twice. In the end, when all is well again, every node receives
// from every other.
func TestChaos(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() || raced {
		seeds = 2
	}
	for seed := range seeds {
		inWorld(t, func(t *testing.T, w *world) {
			defer func() {
				if t.Failed() {
					t.Logf("seed %d", seed)
				}
			}()
			chaos(t, w, rand.New(rand.NewPCG(seed, 0)))
		})
	}
}

func chaos(t *testing.T, w *world, chance *rand.Rand) {
	const nodes = 4
	var all []*running
	var ledgers []*ledger
	slept := make([]time.Duration, nodes)
	for n := range nodes {
		l := &ledger{t, n, make(map[engine.ID]uint64), make(map[engine.ID]bool), make(map[engine.ID]int)}
		r := w.host(n+1, func(c *Config) {
			c.suspended = func() time.Duration { return slept[n] }
			c.Limits.Resources.HandshakesPerIP4 = 1000
		})
		r.do(func() { r.onGet, r.onDown = l.receive, l.PeerDown })
		all, ledgers = append(all, r), append(ledgers, l)
	}
	number := uint64(0)
	talk := func() {
		for _, r := range all {
			for _, to := range all {
				if r != to {
					number++
					r.send(to.Host.Self(), aWord(number))
				}
			}
		}
	}
	for range 60 {
		talk()
		r := all[chance.IntN(nodes)]
		switch chance.IntN(6) {
		case 0, 1:
			w.plug(1+chance.IntN(nodes), chance.IntN(2) == 0)
		case 2:
			n := chance.IntN(nodes)
			all[n].do(func() { slept[n] += time.Minute })
		case 3:
			r.do(func() {
				for _, l := range r.loop.links {
					r.loop.bye(l, ByeIdle)
				}
			})
		case 4:
			for _, c := range r.net.Network().Conns() {
				if chance.IntN(2) == 0 {
					_ = c.Close()
				}
			}
		}
		time.Sleep(time.Duration(chance.IntN(8000)) * time.Millisecond)
	}
	for n := range nodes {
		w.plug(n+1, true)
	}
	time.Sleep(3 * time.Minute)
	for n, r := range all {
		r.do(func() { clear(ledgers[n].got) })
	}
	for range 3 {
		talk()
		time.Sleep(10 * time.Second)
	}
	for n, r := range all {
		r.do(func() {
			for _, other := range all {
				if r != other && ledgers[n].got[other.id] != 3 {
					t.Errorf("at the end node %d got %d of 3 from %v: %v", n, ledgers[n].got[other.id],
						other.Host.Self(), r.failures())
				}
			}
		})
	}
}

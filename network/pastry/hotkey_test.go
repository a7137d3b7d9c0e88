package pastry

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Four hundred nodes route 2,000 messages a second to one key; every link carries 1 MB/s. Others' messages need at most
// twice the time that they need without. (This is hostile 37 as far as routing goes: ten updates a second to 10^5
// subscribers are a router's.) What any node but the closest sends stays bounded.
func TestHotKey(t *testing.T) {
	t.Parallel()
	size, rate := 400, 2000 // notes a second, in all
	if testing.Short() {
		size, rate = 40, 200
	}
	r := newRing(t, 1, func(c *sim.Config) {
		c.Wire = false
		c.Latency = sim.Uniform{Min: 10 * time.Millisecond, Max: 100 * time.Millisecond}
	})
	r.grow(size, 100*time.Millisecond)
	r.world.Run(time.Minute)
	for _, n := range r.nodes {
		r.world.SetBandwidth(n, sim.Bandwidth{Up: 1 << 20, Down: 1 << 20})
	}
	before := r.latencies(20 * time.Second)
	key := r.key()
	hot := root(key, r.sorted(r.nodes))
	var flood func()
	flood = func() {
		r.pastry(r.someone()).Route(key, &note{0})
		r.world.After(time.Second/time.Duration(rate), flood)
	}
	flood()
	sent := make([]uint64, len(r.nodes))
	for i, n := range r.nodes {
		sent[i] = r.world.NodeCount(n).Sent
	}
	began := r.world.Now()
	during := r.latencies(20 * time.Second)
	seconds := (r.world.Now() - began).Seconds()
	most, busiest := uint64(0), engine.ID{}
	for i, n := range r.nodes {
		if p := r.world.Peer(n); p.ID != hot.ID && r.world.NodeCount(n).Sent-sent[i] > most {
			most, busiest = r.world.NodeCount(n).Sent-sent[i], p.ID
		}
	}
	delivered := len(r.got[0])
	median := func(d []time.Duration) time.Duration { return d[len(d)/2] }
	tail := func(d []time.Duration) time.Duration { return d[len(d)*99/100] }
	t.Logf("%d delivered at the hot key; others: median %v before, %v during; 99 %% %v and %v; busiest other node %s sends %.0f a second",
		delivered, median(before), median(during), tail(before), tail(during), busiest.Short(), float64(most)/seconds)
	if want := int(seconds) * rate * 9 / 10; delivered < want {
		t.Errorf("%d delivered, want %d", delivered, want)
	}
	if median(during) > 2*median(before) || tail(during) > 2*tail(before) {
		t.Error("others wait for more than twice as long")
	}
	// A node forwards and acknowledges what comes through it: no more than all, twice.
	if perSecond := float64(most) / seconds; perSecond > 2*float64(rate) {
		t.Errorf("%.0f messages a second", perSecond)
	}
}

// latencies routes notes to random keys for a time and returns the time that each needed, sorted.
func (r *ring) latencies(d time.Duration) (all []time.Duration) {
	sent := make(map[uint64]time.Duration)
	for end := r.world.Now() + d; r.world.Now() < end; r.world.Run(20 * time.Millisecond) {
		sent[r.route(r.someone(), r.key())] = r.world.Now()
	}
	r.world.Run(5 * time.Second)
	for note, at := range sent {
		for _, got := range r.got[note] {
			all = append(all, got.at-at)
		}
		delete(r.got, note)
	}
	slices.Sort(all)
	return all
}

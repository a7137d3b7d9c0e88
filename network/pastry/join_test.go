package pastry

import (
	"testing"
	"time"

	"tidings/lab/effort"
)

// Within a minute ten nodes become three thousand, or ten thousand if all cases are requested. Then nine tenths of them
// leave within another minute (hostile 36). What the first ten route all the while is delivered right, and what a node
// sends is bounded.
func TestStorms(t *testing.T) {
	t.Parallel()
	size := 3000
	switch {
	case testing.Short():
		size = 150
	case effort.All():
		size = 10_000
	}
	r := newRing(t, 1, large)
	r.count()
	w := newWitness(r)
	r.grow(10, time.Second)
	r.world.Run(time.Minute)
	first := r.alive()
	gap := time.Minute / time.Duration(size)
	for i := range size {
		r.world.After(time.Duration(i)*gap, func() { r.add(first[r.chance.IntN(len(first))]) })
	}
	route := func(d time.Duration) {
		for end := r.world.Now() + d; r.world.Now() < end; {
			w.lookup(first[r.chance.IntN(len(first))])
			r.world.Run(100 * time.Millisecond)
		}
	}
	route(time.Minute)
	r.world.Run(10 * time.Second)
	messages, bytes := r.traffic()
	t.Logf("joining: %.0f messages and %.0f bytes a node; %d of %d active", float64(messages)/float64(size),
		float64(bytes)/float64(size), len(r.alive()), len(r.nodes))
	if wrong := r.wrongLeafSets(r.nodes); wrong > 0 {
		t.Errorf("%d leaf sets are wrong after joining", wrong)
	}
	if most := uint64(400 * size); messages > most {
		t.Errorf("%d messages, want at most %d", messages, most)
	}

	for i, n := range r.nodes[len(r.nodes)-size*9/10:] {
		r.world.After(time.Duration(i)*gap, func() {
			r.world.Shutdown(n)
			w.gone(n)
		})
	}
	route(time.Minute)
	for end := r.world.Now() + 3*r.config.KeepAlive; r.wrongLeafSets(r.alive()) > 0 && r.world.Now() < end; {
		r.world.Run(time.Second)
	}
	r.world.Run(patience)
	after, _ := r.traffic()
	t.Logf("leaving: %.0f messages a node", float64(after-messages)/float64(size))
	if wrong := r.wrongLeafSets(r.alive()); wrong > 0 {
		t.Errorf("%d leaf sets are wrong after leaving", wrong)
	}
	if most := uint64(800 * size); after-messages > most {
		t.Errorf("%d messages, want at most %d", after-messages, most)
	}
	v := w.judge()
	t.Logf("%.4f right, %+v; %v", v.share(), v, r.events)
	if v.share() < 0.999 {
		t.Errorf("%.4f of the lookups were right", v.share())
	}
}

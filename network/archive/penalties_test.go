package archive

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// A peer's penalty ends with its longest one: a later, shorter one does not end it sooner.
func TestPenaltiesLastAsLongAsTheLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s penalties
		now, until := time.Duration(0), make(map[engine.ID]time.Duration)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := engine.ID{byte(rapid.IntRange(0, 5).Draw(t, "peer"))}
			lasts := rapid.SampledFrom([]time.Duration{strikeFor, silentFor, lacksFor, time.Second}).Draw(t, "lasts")
			s.add(id, now, lasts)
			until[id] = max(until[id], now+lasts)
			now += time.Duration(rapid.IntRange(0, 200).Draw(t, "seconds")) * time.Second
			for peer, end := range until {
				if s.is(peer, now) != (now < end) {
					t.Fatalf("at %v the penalty of %x, until %v, holds: %v", now, peer[0], end, s.is(peer, now))
				}
			}
			if len(s.list) > len(until) {
				t.Fatalf("%d penalties of %d peers are remembered", len(s.list), len(until))
			}
		}
	})
}

// If there are more peers than are remembered, the one with the oldest last penalty is forgotten.
func TestTheOldestPenaltyIsForgotten(t *testing.T) {
	var s penalties
	peer := func(i int) engine.ID { return engine.ID{byte(i), byte(i >> 8)} }
	for i := range maxStruck {
		s.add(peer(i), 0, strikeFor)
	}
	s.add(peer(0), 0, silentFor) // anew
	s.add(peer(maxStruck), 0, strikeFor)
	if len(s.list) != maxStruck || s.is(peer(1), 0) || !s.is(peer(0), silentFor) || !s.is(peer(2), 0) ||
		!s.is(peer(maxStruck), 0) {
		t.Errorf("of %d peers %d are remembered, the wrong ones", maxStruck+1, len(s.list))
	}
}

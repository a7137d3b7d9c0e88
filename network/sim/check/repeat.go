package check

import (
	"fmt"

	"tidings/network/sim"
)

// Repeat runs an experiment twice, side by side, so that one disturbs the other if they share anything. It returns an
// error unless both worlds came to the same end: trace hash, time and number of events.
func Repeat(seed uint64, run func(seed uint64) *sim.World) error {
	worlds := sim.Each([]uint64{seed, seed}, run)
	first, second := ending(worlds[0]), ending(worlds[1])
	if first != second {
		return fmt.Errorf("seed %d gives two runs: %s, and %s", seed, first, second)
	}
	return nil
}

// ending is how a run ended, as far as two can be compared.
func ending(w *sim.World) string {
	return fmt.Sprintf("trace hash %016x after %v and %d events", w.TraceHash(), w.Now(), w.Counters().Events)
}

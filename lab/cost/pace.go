package cost

import (
	"math/rand/v2"
	"slices"
	"tidings/lab/cpu"
	"time"
)

// usualPace is the processor time of Pace's work on the machines for which bounds are stated.
const usualPace = 80 * time.Millisecond

// Pace returns how many times longer than usual this machine needs, here and now, for the same work: 1 to 4. Processors
// of shared machines differ, and slow down under others' load.
func Pace() float64 {
	numbers := make([]uint64, 1_000_000)
	best := time.Duration(1<<63 - 1)
	for range 3 {
		chance := rand.New(rand.NewPCG(1, 1))
		for i := range numbers {
			numbers[i] = chance.Uint64()
		}
		start := cpu.Time()
		slices.Sort(numbers)
		best = min(best, cpu.Time()-start)
	}
	return min(max(float64(best)/float64(usualPace), 1), 4)
}

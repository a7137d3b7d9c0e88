package sim

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Each calls f once for each seed, on all cores, and returns the results in the order of
// seeds. Each call must make worlds of its own. If a call panics, Each panics when the others
// are done, and names the first such seed in the order of seeds.
func Each[T any](seeds []uint64, f func(seed uint64) T) []T {
	results := make([]T, len(seeds))
	failures := make([]string, len(seeds))
	one := func(i int) {
		defer func() {
			if r := recover(); r != nil {
				failures[i] = fmt.Sprintf("sim: with seed %d: %v\n%s", seeds[i], r, debug.Stack())
			}
		}()
		results[i] = f(seeds[i])
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(seeds)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(seeds)); i = next.Add(1) - 1 {
				one(int(i))
			}
		})
	}
	workers.Wait()
	for _, failure := range failures {
		if failure != "" {
			panic(failure)
		}
	}
	return results
}

// Seeds returns k seeds, the first and those that follow it.
func Seeds(first uint64, k int) []uint64 {
	seeds := make([]uint64, k)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}

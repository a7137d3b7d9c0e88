package live

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Timers against a dumb list.
func TestTimersAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timers := newTimers()
		type entry struct {
			at time.Duration
			id uint64
		}
		var model []entry
		var ran []uint64
		now := time.Duration(0)
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0, 1:
				at := now + time.Duration(rapid.IntRange(0, 20).Draw(t, "in"))
				var id uint64
				id = timers.add(at, func() { ran = append(ran, id) })
				model = append(model, entry{at, id})
			case 2:
				if len(model) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "stop")
				id := model[i].id
				model = slices.Delete(model, i, i+1)
				if !timers.StopTimer(id) || timers.StopTimer(id) {
					t.Fatal("a timer that was to come did not stop, or stopped twice")
				}
			case 3:
				now += time.Duration(rapid.IntRange(0, 15).Draw(t, "pass"))
				ran = nil
				for call := timers.due(now); call != nil; call = timers.due(now) {
					call()
				}
				slices.SortStableFunc(model, func(a, b entry) int { return int(a.at - b.at) })
				var want []uint64
				for len(model) > 0 && model[0].at <= now {
					want = append(want, model[0].id)
					model = model[1:]
				}
				if !slices.Equal(ran, want) {
					t.Fatalf("ran %v, not %v", ran, want)
				}
			}
		}
		if len(timers.byID) != len(model) || len(timers.heap) != len(model) {
			t.Fatalf("%d timers are kept, not %d", len(timers.heap), len(model))
		}
	})
}

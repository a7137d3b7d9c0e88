package sim

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The oracle of the queue is a slice that is sorted anew, stably, whenever it is asked.
func TestQueueAgainstSortedSlice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var model []entry
		now, number := int64(0), uint32(0)
		delay := rapid.OneOf(
			rapid.Int64Range(0, 3), rapid.Int64Range(0, 1000), rapid.Just(int64(50e6)),
			rapid.Int64Range(0, 1e9), rapid.Int64Range(0, 1e13), rapid.Just(int64(forever)))
		push := func(n int) {
			d := delay.Draw(t, "delay")
			for range n {
				number++
				e := entry{at: min(now+d, forever), ref: number}
				q.push(e)
				model = append(model, e)
			}
		}
		pop := func(until int64) bool {
			slices.SortStableFunc(model, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
			e, ok := q.pop(until)
			if want := len(model) > 0 && model[0].at <= until; ok != want {
				t.Fatalf("pop(%d): %v, want %v", until, ok, want)
			}
			if !ok {
				return false
			}
			if e != model[0] {
				t.Fatalf("popped %+v, want %+v", e, model[0])
			}
			model = model[1:]
			now = e.at
			return true
		}
		t.Repeat(map[string]func(*rapid.T){
			"push one":  func(*rapid.T) { push(1) },
			"push many": func(*rapid.T) { push(rapid.IntRange(1, 200).Draw(t, "count")) },
			"pop": func(*rapid.T) {
				for range rapid.IntRange(1, 300).Draw(t, "count") {
					if !pop(forever) {
						break
					}
				}
			},
			"let time pass": func(*rapid.T) {
				until := min(now+rapid.Int64Range(0, 1e9).Draw(t, "passes"), forever)
				for pop(until) {
				}
				now = until
			},
			"remove": func(*rapid.T) {
				k := rapid.Uint32Range(1, 4).Draw(t, "one of")
				unwanted := func(e entry) bool { return e.ref%k == 0 }
				q.remove(unwanted)
				model = slices.DeleteFunc(model, unwanted)
			},
			"": func(*rapid.T) {
				if q.length != len(model) {
					t.Fatalf("%d entries, want %d", q.length, len(model))
				}
			},
		})
	})
}

// Without putting entries back from front, each of these would be sorted in among all others.
func TestQueueFrontStaysShort(t *testing.T) {
	t.Parallel()
	var q queue
	q.push(entry{at: 1e12})
	if _, ok := q.pop(1); ok {
		t.Fatal("popped before its time")
	}
	const now = 14 << 36 // where the bucket of 1e12 begins
	if _, ok := q.pop(now); ok || q.limit < 1e12 {
		t.Fatalf("front goes to %d, which is too little for this test", q.limit)
	}
	for i := range int64(100_000) {
		q.push(entry{at: now + i*7919%1_000_003})
		if len(q.front)-q.head > 8*few {
			t.Fatalf("%d entries in front after %d", len(q.front)-q.head, i)
		}
	}
	last := int64(0)
	for range 100_001 {
		e, ok := q.pop(forever)
		if !ok || e.at < last {
			t.Fatalf("popped %d after %d", e.at, last)
		}
		last = e.at
	}
}

package live

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// The outbox against a dumb one: a list from which the oldest of the least urgent class goes.
func TestOutboxAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := Limits{QueueMessages: rapid.IntRange(1, 8).Draw(t, "messages"),
			QueueBytes: rapid.IntRange(10, 60).Draw(t, "bytes")}
		box := newOutbox(limits)
		type entry struct {
			class engine.Class
			size  int
			n     int
		}
		var model []entry
		dropped, total := 0, 0
		for n := range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.IntRange(0, 4).Draw(t, "take") == 0 {
				most := rapid.IntRange(1, 30).Draw(t, "most")
				var want []int
				for size := 0; size < most && len(model) > 0; model = model[1:] {
					size += model[0].size
					want = append(want, model[0].n)
				}
				var got []int
				for _, f := range box.pop(nil, most) {
					got = append(got, f.size)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("popped %v, not %v", got, want)
				}
				continue
			}
			e := entry{engine.Class(rapid.IntRange(0, 2).Draw(t, "class")), rapid.IntRange(1, 10).Draw(t, "size"), n}
			model = append(model, e)
			var want []int
			sum := func() (bytes int) {
				for _, e := range model {
					bytes += e.size
				}
				return bytes
			}
			for len(model) > limits.QueueMessages || sum() > limits.QueueBytes {
				worst := 0
				for i, e := range model {
					if e.class > model[worst].class {
						worst = i
					}
				}
				want = append(want, model[worst].n)
				model = slices.Delete(model, worst, worst+1)
			}
			var got []int
			for _, f := range box.put(e.class, frame{size: n, bytes: make([]byte, e.size)}) {
				got = append(got, f.size)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("dropped %v, not %v", got, want)
			}
			dropped += len(got)
			total++
			if count, bytes := box.waiting(); count != len(model) || bytes != sum() {
				t.Fatalf("%d messages of %d bytes wait, not %d of %d", count, bytes, len(model), sum())
			}
		}
		if n := box.overflow(); n != dropped {
			t.Fatalf("%d overflowed, not %d of %d", n, dropped, total)
		}
	})
}

func TestOutboxPingsJump(t *testing.T) {
	box := newOutbox(DefaultLimits())
	box.put(engine.Control, frame{kind: 1})
	box.jump(frame{kind: 2, size: 1})
	box.jump(frame{kind: 3})
	box.jump(frame{kind: 2, size: 2})
	var got []int
	for _, f := range box.pop(nil, 1<<20) {
		got = append(got, int(f.kind)*10+f.size)
	}
	if !slices.Equal(got, []int{22, 30, 10}) {
		t.Errorf("popped %v", got)
	}
}

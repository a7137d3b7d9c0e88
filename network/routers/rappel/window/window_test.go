package window

import (
	"testing"

	"pgregory.net/rapid"
)

// reach is how far below the latest number a missing one is remembered.
const reach = 64

// A window knows of the latest numbers what a list of them all knows.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Have
		w.Begin(1, 0)
		came, last := map[uint64]bool{}, uint64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			number := last + 1 + uint64(rapid.IntRange(0, 80).Draw(t, "ahead"))
			if last > 0 && rapid.Bool().Draw(t, "back") {
				number = uint64(rapid.IntRange(int(max(last, 80))-79, int(last)).Draw(t, "number"))
			}
			if rapid.IntRange(0, 3).Draw(t, "told") == 0 {
				w.Know(1, number)
				last = max(last, number)
				continue
			}
			within := number+reach > last
			got := w.Note(Stamp{Epoch: 1, Number: number})
			if number > last {
				within, last = true, number
			}
			if want := !came[number] && within; want != got {
				t.Fatalf("%d of %d: %v", number, last, got)
			}
			came[number] = true
		}
		missing := 0
		for n := uint64(1); n <= last; n++ {
			lacks := w.Lacks(Stamp{Epoch: 1, Number: n})
			if n+reach > last && lacks != !came[n] || n+reach <= last && lacks {
				t.Fatalf("%d of %d is lacking: %v", n, last, lacks)
			}
			if lacks {
				missing++
			}
		}
		if w.Lacking() != missing || !w.Lacks(Stamp{Epoch: 1, Number: last + 1}) ||
			w.Lacks(Stamp{Epoch: 0, Number: last + 1}) || !w.Lacks(Stamp{Epoch: 2, Number: 1}) {
			t.Fatalf("%d are missing, want %d", w.Lacking(), missing)
		}
	})
}

// Epochs rise. Of one that is over numbers say nothing; a new one begins at 1.
func TestWindowEpochs(t *testing.T) {
	var w Have
	w.Begin(5, 7)
	for _, c := range []struct {
		epoch, number uint64
		fresh         bool
		missing       int
	}{
		{5, 7, false, 0}, {5, 8, true, 0}, {4, 9, false, 0}, {6, 3, true, 2}, {6, 1, true, 1}, {6, 1, false, 1},
		{5, 9, false, 1}, {6, 2, true, 0}, {6, 67, true, 63},
	} {
		if got := w.Note(Stamp{Epoch: c.epoch, Number: c.number}); got != c.fresh || w.Lacking() != c.missing {
			t.Errorf("%d of epoch %d: %v and %d missing, want %v and %d", c.number, c.epoch, got, w.Lacking(), c.fresh,
				c.missing)
		}
	}
	for _, c := range []struct {
		epoch, last uint64
		want        Have
	}{
		{6, 67, w}, {5, 100, w}, {7, 0, w}, {6, 68, Have{6, 68, w.Missing<<1 | 1}}, {7, 1, Have{7, 1, 1}},
	} {
		heard := w
		if heard.Know(c.epoch, c.last); heard != c.want {
			t.Errorf("of %d numbers of epoch %d is known %+v, want %+v", c.last, c.epoch, heard, c.want)
		}
	}
}

// What a window says is what a set of all numbers would, as far as the 64 latest go.
func TestWindowAgainstASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Have
		epoch, last := uint64(0), uint64(0)
		came := map[uint64]bool{}
		begin := func(e, upTo uint64) {
			epoch, last = e, upTo
			came = map[uint64]bool{}
			for n := range upTo {
				came[n+1] = true
			}
		}
		know := func(e, n uint64) {
			if e > epoch && n > 0 {
				begin(e, 0)
			}
			if e == epoch {
				last = max(last, n)
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			e := epoch + uint64(rapid.IntRange(-1, 1).Draw(t, "epoch"))
			if epoch == 0 {
				e = epoch + 1
			}
			n := uint64(max(0, int(last)+rapid.IntRange(-5, 5).Draw(t, "number")))
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				h.Begin(e, n)
				begin(e, n)
			case 1, 2:
				h.Know(e, n)
				know(e, n)
			case 3, 4:
				if epoch == 0 {
					continue
				}
				s := h.Next()
				if last++; s.Epoch != epoch || s.Number != last || len(s.Signature) > 0 {
					t.Fatalf("the next is %+v, not number %d of %d", s, last, epoch)
				}
				came[last] = true
			default:
				n = max(n, 1)
				fresh := e > epoch || e == epoch && (n > last || !came[n] && last-n < 64)
				if got := h.Note(Stamp{Epoch: e, Number: n}); got != fresh {
					t.Fatalf("number %d of %d is fresh: %v", n, e, got)
				}
				if know(e, n); fresh {
					came[n] = true
				}
			}
			if h.Epoch != epoch || h.Last != last {
				t.Fatalf("%+v, want epoch %d and last %d", h, epoch, last)
			}
			missing := 0
			for n := uint64(1); n <= last+2; n++ {
				lacks := n > last || !came[n] && last-n < 64
				if got := h.Lacks(Stamp{Epoch: epoch, Number: n}); got != lacks {
					t.Fatalf("it lacks number %d: %v", n, got)
				}
				if lacks && n <= last {
					missing++
				}
			}
			if h.Lacking() != missing || epoch > 0 && h.Lacks(Stamp{Epoch: epoch - 1, Number: 1}) ||
				!h.Lacks(Stamp{Epoch: epoch + 1, Number: 1}) {
				t.Fatalf("%d are missing, want %d", h.Lacking(), missing)
			}
		}
	})
}

// Updates are in order of their epochs, and of their numbers within one.
func TestStampsInOrder(t *testing.T) {
	list := []Stamp{{Epoch: 1, Number: 2}, {Epoch: 1, Number: 3}, {Epoch: 2, Number: 1}, {Epoch: 2, Number: 4}}
	for i, a := range list {
		for j, b := range list {
			if got := a.Compare(b); got != sign(i-j) {
				t.Errorf("%+v and %+v: %d", a, b, got)
			}
		}
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

package rappel

import (
	"cmp"
	"math/bits"
)

// window knows which numbers of an epoch have come. See Have, which it is.
type window struct{ Have }

// reach is how far below the latest number a missing one is remembered.
const reach = 64

// note takes a number that came, and reports whether it comes for the first time. Of an epoch that is over numbers tell nothing;
// one that was missing for too long was given up.
func (w *window) note(s Stamp) (fresh bool) {
	if !w.lacks(s) {
		return false
	}
	w.know(s.Epoch, s.Number)
	w.Missing &^= 1 << (w.Last - s.Number)
	return true
}

// begin starts an epoch of which all up to last counts as known.
func (w *window) begin(epoch, last uint64) { w.Have = Have{Epoch: epoch, Last: last} }

// know takes note that numbers up to last exist: those that have not come are missing. An epoch begins with its first number.
func (w *window) know(epoch, last uint64) {
	if epoch > w.Epoch && last > 0 {
		w.begin(epoch, 0)
	}
	if epoch != w.Epoch || last <= w.Last {
		return
	}
	// Shifts by 64 and more give 0.
	by := last - w.Last
	w.Missing = w.Missing<<by | (1<<by - 1)
	w.Last = last
}

// missing returns how many are.
func (w *window) missing() int { return bits.OnesCount64(w.Missing) }

// lacks reports whether an update is one that h does not have.
func (h Have) lacks(s Stamp) bool {
	switch {
	case s.Epoch != h.Epoch:
		return s.Epoch > h.Epoch
	case s.Number > h.Last:
		return true
	}
	bit := h.Last - s.Number
	return bit < reach && h.Missing>>bit&1 == 1
}

// compare orders updates as they were numbered.
func (s Stamp) compare(t Stamp) int {
	return cmp.Or(cmp.Compare(s.Epoch, t.Epoch), cmp.Compare(s.Number, t.Number))
}

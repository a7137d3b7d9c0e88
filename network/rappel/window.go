package rappel

import "math/bits"

// window knows which numbers of an epoch have come. See Have, which it is.
type window struct{ Have }

// reach is how far below the latest number a missing one is remembered.
const reach = 64

// arrival is what a number means to a window.
type arrival uint8

const (
	repeated arrival = iota // it has come before, or was given up
	fresh                   // it comes for the first time
	older                   // it is of an epoch that is over: numbers tell nothing
)

// note takes a number that came.
func (w *window) note(epoch, number uint64) arrival {
	switch {
	case epoch < w.Epoch:
		return older
	case epoch > w.Epoch:
		w.begin(epoch, 0)
	}
	if number > w.Last {
		w.know(epoch, number)
		w.Missing &^= 1
		return fresh
	}
	bit := w.Last - number
	if bit >= reach || w.Missing>>bit&1 == 0 {
		return repeated
	}
	w.Missing &^= 1 << bit
	return fresh
}

// begin starts an epoch of which all up to last counts as known.
func (w *window) begin(epoch, last uint64) { w.Have = Have{Epoch: epoch, Last: last} }

// know takes note that numbers up to last exist: those that have not come are missing.
func (w *window) know(epoch, last uint64) {
	if epoch > w.Epoch {
		w.begin(epoch, 0)
	}
	if epoch < w.Epoch || last <= w.Last {
		return
	}
	// Shifts by 64 and more give 0.
	by := last - w.Last
	w.Missing = w.Missing<<by | (1<<by - 1)
	w.Last = last
}

// behind reports whether there are updates up to a number that w does not know of.
func (w *window) behind(epoch, last uint64) bool {
	return epoch > w.Epoch && last > 0 || epoch == w.Epoch && last > w.Last
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

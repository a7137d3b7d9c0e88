package scribe

// window says which numbers of a rising sequence have come, as far as it reaches back: those
// before count as come.
type window struct {
	last    uint64 // the highest that is known to exist
	missing uint64 // bit i: last-i has not come
}

// reaches is how many numbers a window looks back.
const reaches = 64

// reach notes that all numbers up to n exist. It returns false if more are missing than the window
// can know.
func (w *window) reach(n uint64) bool {
	if n <= w.last {
		return true
	}
	by := n - w.last
	w.last = n
	if by > reaches {
		w.missing = ^uint64(0)
		return false
	}
	// A shift by 64 gives zero, as it should.
	w.missing = w.missing<<by | (1<<by - 1)
	return true
}

// add notes that n has come, and reports whether it is the first time.
func (w *window) add(n uint64) bool {
	w.reach(n)
	back := w.last - n
	if back >= reaches || w.missing>>back&1 == 0 {
		return false
	}
	w.missing &^= 1 << back
	return true
}

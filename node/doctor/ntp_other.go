//go:build !linux

package doctor

// clockKept reports whether a time service keeps the machine's clock. That is unknown here.
func clockKept() (kept, known bool) { return false, false }

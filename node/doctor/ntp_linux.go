package doctor

import "golang.org/x/sys/unix"

// clockKept reports whether a time service keeps the machine's clock, as the kernel knows.
func clockKept() (kept, known bool) {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if err != nil {
		return false, false
	}
	return state != unix.TIME_ERROR && t.Status&unix.STA_UNSYNC == 0, true
}

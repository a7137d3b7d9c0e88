package identity

import (
	"runtime"
	"syscall"
)

// lowerPriority has the system prefer other threads, of other programs too, to the one that runs this goroutine from now on. The thread ends with it. On a single
// core that would hold up the whole program.
func lowerPriority(cores int) {
	if cores == 1 {
		return
	}
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) // of the thread; without it mining works as well
}

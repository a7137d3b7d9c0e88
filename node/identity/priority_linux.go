package identity

import (
	"runtime"
	"syscall"
)

// minerNice is the miner's niceness. Beside programs that keep all cores busy it gets a tenth of the time of one of
// them. With the least priority, 19, it would get a seventieth. On a machine that is always busy it would find no key
// for days.
const minerNice = 10

// lowerPriority makes the system prefer other threads, also of other programs, to the one that runs this goroutine from
// now on. The thread ends with it. On a single core that would hold up the whole program.
func lowerPriority(cores int) {
	if cores == 1 {
		return
	}
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, minerNice) // of the thread; without it mining works as well
}

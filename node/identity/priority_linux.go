package identity

import (
	"runtime"
	"syscall"
)

// minerNice is the miner's niceness: beside programs that keep all cores busy it gets a tenth of what one of them gets. With
// the least priority, 19, it would get a seventieth, and find no key for days on a machine that is always busy.
const minerNice = 10

// lowerPriority has the system prefer other threads, of other programs too, to the one that runs this goroutine from now on. The thread ends with it. On a single
// core that would hold up the whole program.
func lowerPriority(cores int) {
	if cores == 1 {
		return
	}
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, minerNice) // of the thread; without it mining works as well
}

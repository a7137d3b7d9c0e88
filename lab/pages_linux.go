package lab

import (
	"runtime"
	"runtime/debug"
	"syscall"
)

// Large worlds wait for memory, and often for the tables that say where it is: a processor caches few entries of them.
// With pages of 2 MB instead of 4 KB they need a sixth less processor time where 1 GB is in use. Many systems grant
// large pages only on request (transparent_hugepage is "madvise"), and the Go runtime does not ask.

// advised is how much memory is asked for at a time.
const advised = 16 << 20

// enlargePages asks the system to back the heap with large pages as it grows by so many bytes. To this end it allocates
// them untouched, so that they cost nothing, says how they are to be used, and frees them. The runtime's later
// allocations lie there.
func enlargePages(bytes uint64) {
	var room [][]byte
	for range bytes / advised {
		part := make([]byte, advised)
		if syscall.Madvise(part, syscall.MADV_HUGEPAGE) != nil {
			break // the system has none
		}
		room = append(room, part)
	}
	runtime.KeepAlive(room)
	debug.FreeOSMemory()
}

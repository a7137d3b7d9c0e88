package lab

import (
	"runtime"
	"runtime/debug"
	"syscall"
)

// Large worlds wait for memory, and often for the tables that say where it is: a processor knows few of
// their pages by heart. With pages of 2 MB in place of 4 KB they take a sixth less processor time where
// 1 GB is in use. Many systems give large pages to those alone who ask (transparent_hugepage is "madvise"), and
// the Go runtime does not.

// advised is how much memory is asked for at a time.
const advised = 16 << 20

// enlargePages asks the system to make up the heap of large pages as it grows by so many bytes. To
// this end it takes them, untouched, so that they cost nothing, says how they are to be used, and gives them back: what
// the runtime hands out later lies there.
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

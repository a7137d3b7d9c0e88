// Package unsynced takes the wait for the disk out of tests: SQLite writes as ever, and
// believes that what it has asked to be synced is. A process that is killed loses nothing by
// that, for the system still writes what it was given; only a machine that loses power would.
// What syncs are for is proved elsewhere, on a disk of the test's own or a real one.
package unsynced

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Install makes a VFS that never syncs SQLite's default, for the rest of the process.
// It is called before the first database is opened, as in TestMain.
var Install = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	lib.Xsqlite3_initialize(tls)
	usual := pointer[lib.Tsqlite3_vfs](lib.Xsqlite3_vfs_find(tls, 0))
	at := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*usual)))
	name, err := libc.CString("unsynced")
	if at == 0 || err != nil {
		panic("no memory for SQLite")
	}
	ours := pointer[lib.Tsqlite3_vfs](at)
	*ours = *usual
	usualOpen = function[openFunc](usual.FxOpen)
	ours.FpNext, ours.FzName, ours.FxOpen = 0, name, address(open)
	lib.Xsqlite3_vfs_register(tls, at, 1)
})

type openFunc = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32

var (
	usualOpen openFunc

	mu      sync.Mutex
	methods = make(map[uintptr]uintptr) // tables of methods without syncing, by the usual table's address
)

func open(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	code := usualOpen(tls, vfs, name, file, flags, out)
	if f := pointer[lib.Tsqlite3_file](file); code == lib.SQLITE_OK && f.FpMethods != 0 {
		f.FpMethods = withoutSync(tls, f.FpMethods)
	}
	return code
}

// withoutSync returns the table of methods at usual with another Sync. SQLite keeps its
// address, so that it is never freed; there are as many as the system has ways of locking.
func withoutSync(tls *libc.TLS, usual uintptr) uintptr {
	mu.Lock()
	defer mu.Unlock()
	if methods[usual] == 0 {
		m := pointer[lib.Tsqlite3_io_methods](usual)
		at := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*m)))
		if at == 0 {
			panic("no memory for SQLite")
		}
		ours := pointer[lib.Tsqlite3_io_methods](at)
		*ours = *m
		ours.FxSync = address(func(*libc.TLS, uintptr, int32) int32 { return lib.SQLITE_OK })
		methods[usual] = at
	}
	return methods[usual]
}

// pointer, function and address turn SQLite's addresses, which are numbers in its Go
// translation, into what they stand for, and a Go function into such a number.
func pointer[T any](at uintptr) *T { return *(**T)(unsafe.Pointer(&at)) }

func function[F any](at uintptr) F {
	f := &struct{ at uintptr }{at}
	return *(*F)(unsafe.Pointer(&f.at))
}

// The function must live as long as the process: the number does not keep it.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

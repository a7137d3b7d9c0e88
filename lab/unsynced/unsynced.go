// Package unsynced removes the wait for the disk from tests: SQLite writes as ever, and believes that its data is
// synced. A process that is killed loses nothing by that, for the system still writes the data. Only a machine that
// loses power would. The use of syncs is proved elsewhere, on a disk of the test's own or a real one.
package unsynced

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"tidings/store/layer"
)

// Install makes a VFS that never syncs SQLite's default, for the rest of the process.
// It is called before the first database is opened, as in TestMain.
var Install = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	lib.Xsqlite3_initialize(tls)
	usual := layer.At[lib.Tsqlite3_vfs](lib.Xsqlite3_vfs_find(tls, 0))
	at := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*usual)))
	name, err := libc.CString("unsynced")
	if at == 0 || err != nil {
		panic("no memory for SQLite")
	}
	ours := layer.At[lib.Tsqlite3_vfs](at)
	*ours = *usual
	usualOpen = layer.FromC[layer.Open](usual.FxOpen)
	ours.FpNext, ours.FzName, ours.FxOpen = 0, name, layer.ToC(open)
	lib.Xsqlite3_vfs_register(tls, at, 1)
})

var (
	usualOpen layer.Open

	mu      sync.Mutex
	methods = make(map[uintptr]uintptr) // tables of methods without syncing, by the usual table's address
)

func open(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	code := usualOpen(tls, vfs, name, file, flags, out)
	if f := layer.At[lib.Tsqlite3_file](file); code == lib.SQLITE_OK && f.FpMethods != 0 {
		f.FpMethods = withoutSync(tls, f.FpMethods)
	}
	return code
}

// withoutSync returns the table of methods at usual with another Sync. SQLite keeps its address, so it is never freed.
// There are as many as the system has ways of locking.
func withoutSync(tls *libc.TLS, usual uintptr) uintptr {
	mu.Lock()
	defer mu.Unlock()
	if methods[usual] == 0 {
		m := layer.At[lib.Tsqlite3_io_methods](usual)
		at := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*m)))
		if at == 0 {
			panic("no memory for SQLite")
		}
		ours := layer.At[lib.Tsqlite3_io_methods](at)
		*ours = *m
		ours.FxSync = layer.ToC(func(*libc.TLS, uintptr, int32) int32 { return lib.SQLITE_OK })
		methods[usual] = at
	}
	return methods[usual]
}

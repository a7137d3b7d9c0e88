package db

import (
	"fmt"
	_ "unsafe" // for linkname

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// SQLite has a page cache for each database, or one for all. The shared one has a lock, which SQLite acquires for every
// page that it looks up. SQLite shares the cache if it was compiled with ENABLE_MEMORY_MANAGEMENT, as its Go
// translation is. If a goroutine's time is up while it holds the lock, it keeps it until its next turn. Meanwhile all
// databases of the process stand still. With sixty stores and a thousand runnable goroutines, ten milliseconds of work
// lasted ten seconds. No advantage of the shared cache is used here.

// pageCaches are the settings of SQLite's page caches (pcache1.c), which it has no other way to change.
//
//go:linkname pageCaches modernc.org/sqlite/lib._pcache1_g
var pageCaches lib.TPCacheGlobal

func init() {
	if err := separatePageCaches(); err != nil {
		panic(err)
	}
}

// separatePageCaches gives each database a page cache of its own; before the first one is opened.
func separatePageCaches() error {
	tls := libc.NewTLS()
	defer tls.Close()
	if code := lib.Xsqlite3_initialize(tls); code != lib.SQLITE_OK { // it makes the settings
		return fmt.Errorf("starting SQLite: code %d", code)
	}
	pageCaches.FseparateCache = 1
	return nil
}

package db

import (
	"fmt"
	_ "unsafe" // for linkname

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// SQLite can give each database a page cache of its own, which nobody else touches, or all of them one with a lock, which
// it takes for every page that it looks up. It does the latter if it was compiled with ENABLE_MEMORY_MANAGEMENT, as its Go
// translation is. A goroutine that has that lock when its time is up keeps it until it has its turn again, and all
// databases of the process stand still meanwhile: with sixty stores and a thousand goroutines that were ready to
// run, what takes ten milliseconds took ten seconds. Nothing of what the one cache would be good for is used here.

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

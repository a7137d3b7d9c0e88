package db

import (
	"testing"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// A database goes on while somebody has the lock that all page caches would have in common.
func TestPageCachesShareNoLock(t *testing.T) {
	tls := libc.NewTLS()
	defer tls.Close()
	shared := lib.Xsqlite3_mutex_alloc(tls, lib.SQLITE_MUTEX_STATIC_LRU)
	lib.Xsqlite3_mutex_enter(tls, shared)
	defer lib.Xsqlite3_mutex_leave(tls, shared)
	d := newDB(t)
	write(t, d, "a")
	if all := notes(t, d); len(all) != 1 {
		t.Errorf("%d notes", len(all))
	}
}

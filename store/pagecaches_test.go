package store

import (
	"testing"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"tidings"
)

// A store goes on while somebody has the lock that all page caches would have in common.
func TestPageCachesShareNoLock(t *testing.T) {
	tls := libc.NewTLS()
	defer tls.Close()
	shared := lib.Xsqlite3_mutex_alloc(tls, lib.SQLITE_MUTEX_STATIC_LRU)
	lib.Xsqlite3_mutex_enter(tls, shared)
	defer lib.Xsqlite3_mutex_leave(tls, shared)
	s := newStore(t)
	if _, err := s.SubscribeAll(t.Context(), tidings.Owner, []Subscription{{URL: channelURL(0), Privacy: tidings.Public}}); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Watches(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%d channels, %v", len(all), err)
	}
}

package server

import (
	"cmp"
	"net/netip"
	"sync"
	"time"
)

// state is what a connection does.
type state int

// The states, in the order in which connections make room for others.
const (
	waiting   state = iota // for its next request
	receiving              // a request, from its first byte to the last of its body; also of a connection that is new
	answering
)

// table counts an endpoint's open connections and chooses the one that makes room. At a bound this costs one pass over
// them, about 0.1 ms for 10,000.
type table struct {
	limit, share int // share: of one client; 0: none has one

	mu      sync.Mutex
	open    map[*conn]struct{} // at most limit
	held    map[netip.Prefix]int
	shed    uint64
	refused uint64
	full    time.Time // when a bound was last met
}

func newTable(limit, share int) *table {
	return &table{limit: limit, share: share, open: map[*conn]struct{}{}, held: map[netip.Prefix]int{}}
}

// admit counts a new connection, and closes another one if that has to make room. It reports whether the new one may
// stay, and whether there was no room without that.
func (t *table) admit(c *conn) (admitted, tight bool) {
	t.mu.Lock()
	var gone []*conn
	admitted = t.roomFor(c.client, &gone) &&
		(len(t.open) < t.limit || t.makeRoom(func(*conn) bool { return true }, &gone))
	if admitted {
		t.open[c] = struct{}{}
		t.held[c.client]++
		c.state, c.since = receiving, time.Now()
	} else {
		t.refused++
		c.dismissed = true
	}
	t.mu.Unlock()
	closeAll(gone)
	return admitted, !admitted || len(gone) > 0
}

// roomFor makes sure that client has room in its share for one more.
func (t *table) roomFor(client netip.Prefix, gone *[]*conn) bool {
	if t.share == 0 || client == (netip.Prefix{}) || t.held[client] < t.share {
		return true
	}
	return t.makeRoom(func(c *conn) bool { return c.client == client }, gone)
}

// makeRoom removes from the table the first in order of those connections that may go, for the caller to close.
func (t *table) makeRoom(among func(*conn) bool, gone *[]*conn) bool {
	t.full = time.Now()
	var least *conn
	for c := range t.open {
		if among(c) && !c.vital() && (least == nil || t.before(c, least)) {
			least = c
		}
	}
	if least == nil {
		return false
	}
	t.forget(least)
	t.shed++
	*gone = append(*gone, least)
	return true
}

// vital reports whether c must not be closed for another: it is the answer to somebody signed in.
func (c *conn) vital() bool { return c.vouched && c.state == answering }

// before reports whether a makes room before b.
func (t *table) before(a, b *conn) bool {
	return cmp.Or(
		cmp.Compare(sending(a), sending(b)),
		cmp.Compare(t.held[b.client], t.held[a.client]),
		cmp.Compare(a.state, b.state),
		a.since.Compare(b.since),
	) < 0
}

// sending is 1 for the connection of a signed-in client that is sending a request: it goes last.
func sending(c *conn) int {
	if c.vouched && c.state == receiving {
		return 1
	}
	return 0
}

// forget removes c from the table. The caller holds the lock.
func (t *table) forget(c *conn) {
	if c.dismissed {
		return
	}
	c.dismissed = true
	delete(t.open, c)
	t.release(c.client)
}

func (t *table) release(client netip.Prefix) {
	if t.held[client]--; t.held[client] == 0 {
		delete(t.held, client)
	}
}

func (t *table) dismiss(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(c)
}

// relieve closes one connection that may go, because something else is short.
func (t *table) relieve() {
	t.mu.Lock()
	var gone []*conn
	t.makeRoom(func(*conn) bool { return true }, &gone)
	t.mu.Unlock()
	closeAll(gone)
}

// enter notes what c does from now on.
func (t *table) enter(c *conn, s state) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.state, c.since = s, time.Now()
}

// vouch notes that c is a signed-in client's.
func (t *table) vouch(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.vouched = true
}

// assign makes a proxy's connection count for the client of its present request. With the zero prefix it counts for
// nobody. It reports whether the client's share has room.
func (t *table) assign(c *conn, client netip.Prefix) bool {
	t.mu.Lock()
	var gone []*conn
	ok := t.roomFor(client, &gone)
	switch {
	case !ok:
		t.refused++
	case !c.dismissed:
		t.release(c.client)
		c.client, c.vouched = client, false
		t.held[client]++
	}
	t.mu.Unlock()
	closeAll(gone)
	return ok
}

func closeAll(gone []*conn) {
	for _, c := range gone {
		_ = c.Conn.Close() // its own goroutine finds that out, and says nothing new
	}
}

package server

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// writePiece is how much of a long answer is written under one deadline, in bytes: less than grace at leastRate.
const writePiece = 8 << 10

// conn is an open connection. Its writes do not wait for ever.
type conn struct {
	net.Conn
	table *table

	// Guarded by table.mu.
	client    netip.Prefix // whose share it takes; the zero prefix has none
	proxied   bool         // it is a trusted proxy's: client is that of the request under way
	state     state
	vouched   bool // a signed-in client's
	since     time.Time
	dismissed bool // it is not counted any more

	writing sync.Mutex
	writes  patience
	writeBy time.Time // the handler's own deadline, zero: none; guarded by deadlines
	// deadlines guards what is set while a write waits.
	deadlines sync.Mutex
}

// begin forgets what the requests before have used up.
func (c *conn) begin() {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.writes = newPatience()
}

// Write writes p, unless the client takes it too slowly.
func (c *conn) Write(p []byte) (written int, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	for {
		piece := p[written:min(written+writePiece, len(p))]
		began := time.Now()
		if err := c.setWriteDeadline(began); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(piece)
		written += n
		c.writes.waited(time.Since(began), n)
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// setWriteDeadline sets the earlier one of the client's and the handler's deadlines.
func (c *conn) setWriteDeadline(now time.Time) error {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	by := c.writes.deadline(now)
	if !c.writeBy.IsZero() && c.writeBy.Before(by) {
		by = c.writeBy
	}
	return c.Conn.SetWriteDeadline(by)
}

// SetWriteDeadline sets a handler's deadline. The zero time lifts it, but not the client's.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	c.writeBy = t
	if t.IsZero() {
		return nil // the next write sets what holds then
	}
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline sets both deadlines.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// CloseWrite ends what the node sends, so that net/http can let a client read a refusal before the connection is closed.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close closes the connection and gives its place back.
func (c *conn) Close() error {
	c.table.dismiss(c)
	return c.Conn.Close()
}

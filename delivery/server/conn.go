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
	client    netip.Prefix // the client with the share; the zero prefix has none
	proxied   bool         // it is a trusted proxy's: client is that of the request under way
	state     state
	vouched   bool // a signed-in client's
	since     time.Time
	dismissed bool // it is not counted any more

	writing sync.Mutex
	writes  patience
}

// begin forgets what the requests before have used up.
func (c *conn) begin() {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.writes = newPatience()
}

// Write writes p, unless the client reads it too slowly.
func (c *conn) Write(p []byte) (written int, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	for {
		piece := p[written:min(written+writePiece, len(p))]
		began := time.Now()
		if err := c.SetWriteDeadline(c.writes.deadline(began)); err != nil {
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

// CloseWrite ends what the node sends. So net/http can let a client read a refusal before the connection is closed.
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

package fetch

import (
	"context"
	"net"
	"time"
)

// writeTimeout is how long one write to an origin may take. What is written is small: requests,
// TLS handshakes, the frames by which HTTP/2 keeps house. An origin that takes none of it for so
// long has stopped reading.
const writeTimeout = 10 * time.Second

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// boundWrites has every write to a connection end in time.
//
// No context ends a write: (1) an origin sends a document by HTTP/2 and stops reading; (2) whoever
// reads the body tells the origin that there is room for more, and waits in that write, holding the
// connection's lock; (3) the fetch is cancelled, and closing the body waits for the same lock.
// HTTP/2 and TLS answer some of what they receive without being asked, so that an origin can fill
// any buffer.
func boundWrites(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return writeBounded{conn}, nil
	}
}

type writeBounded struct{ net.Conn }

// Write is net.Conn's, and fails after writeTimeout.
func (c writeBounded) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

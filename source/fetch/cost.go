package fetch

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// What one poll may cost, whatever the origin does. All requests of a poll count: redirects, repeated requests,
// documents that are fetched once more to learn what differs, and the feeds that a page offers.
const (
	// maxRequests bounds the requests of a poll. The longest chain of redirects needs eleven.
	maxRequests = 20
	// maxConnections bounds the connections of a poll to one host.
	maxConnections = 4
	// wireMargin is what a poll may receive besides Config.MaxBody, in bytes: headers, handshakes, and how documents
	// are divided.
	wireMargin = 1 << 20
	// maxIdleFrames bounds the frames of HTTP/2 that a poll receives and that carry nothing of a document. Each
	// framesPer bytes of documents allow for one more. An origin needs about ten, and a few for each 100 KB.
	maxIdleFrames = 128
	framesPer     = 4 << 10
)

// costError says in plain words why a poll costs too much. It ends the poll.
type costError string

func (e costError) Error() string { return string(e) }

var (
	errRequests    = costError(fmt.Sprintf("it wants more than %d requests for one check", maxRequests))
	errConnections = costError(fmt.Sprintf("it wants more than %d connections for one check", maxConnections))
	errWire        = costError("it sends more than this node receives in one check")
	errFrames      = costError("it floods the connection with what carries nothing")
)

// Cost counts what one poll has cost, over all its requests. The zero value is a poll that has cost nothing. It is
// safe for use by several goroutines.
type Cost struct {
	mu          sync.Mutex
	requests    int
	connections map[string]int // by host

	wire     atomic.Int64 // bytes received, TLS included
	idle     atomic.Int64 // frames that carried nothing
	document atomic.Int64 // bytes of documents in frames
}

// request counts a request that is about to be sent.
func (c *Cost) request() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests >= maxRequests {
		return errRequests
	}
	c.requests++
	return nil
}

// connection counts a connection that is about to be made.
func (c *Cost) connection(host string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.connections[host] >= maxConnections {
		return errConnections
	}
	if c.connections == nil {
		c.connections = make(map[string]int)
	}
	c.connections[host]++
	return nil
}

// frame counts a frame of HTTP/2 that was received, and what it carries of a document, in bytes.
func (c *Cost) frame(carried int64) error {
	if carried > 0 {
		c.document.Add(carried)
		return nil
	}
	if c.idle.Add(1) > maxIdleFrames+c.document.Load()/framesPer {
		return errFrames
	}
	return nil
}

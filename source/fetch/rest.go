package fetch

import (
	"net"
	"sync"
	"time"
)

// maxToRest is how long a connection may need to come to rest after an answer. It waits for no origin, but for
// goroutines.
const maxToRest = 5 * time.Second

// resting is a connection of HTTP/1 that knows when it waits for the origin with nothing received left over.
//
// An origin that sends a second answer behind the first, unasked, would answer the next request before that is sent:
// net/http closes such a connection only if it looks at what is left before the next request begins.
type resting struct {
	net.Conn

	mu      sync.Mutex
	reading bool          // there is nothing left over, as net/http reads on
	closed  bool          // net/http has found something, or needs the connection no longer
	settled chan struct{} // closed as soon as either is true; nil: nobody waits
}

// Read is net.Conn's.
func (r *resting) Read(p []byte) (int, error) {
	r.note(true, false)
	defer r.note(false, false)
	return r.Conn.Read(p)
}

// Close is net.Conn's.
func (r *resting) Close() error {
	r.note(false, true)
	return r.Conn.Close()
}

func (r *resting) note(reading, closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reading, r.closed = reading, r.closed || closed
	if r.settled != nil && (r.reading || r.closed) {
		close(r.settled)
		r.settled = nil
	}
}

// rest waits, after an answer was read to its end, until it is known whether anything is left over. It reports whether
// nothing is.
func (r *resting) rest() bool {
	r.mu.Lock()
	settled := make(chan struct{})
	if r.reading || r.closed {
		close(settled)
	} else {
		r.settled = settled
	}
	r.mu.Unlock()
	timer := time.NewTimer(maxToRest)
	defer timer.Stop()
	select {
	case <-settled:
	case <-timer.C:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settled = nil
	return r.reading && !r.closed
}

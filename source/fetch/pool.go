package fetch

import (
	"slices"
	"sync"
	"time"
)

// keepIdle is how long an unused connection is kept: long enough for the requests of one
// subscription and of channels that share a host, far shorter than an interval.
const keepIdle = 30 * time.Second

// pool keeps unused connections. Each costs two goroutines and about 20 KB, with TLS twice that.
type pool struct {
	max     int // in all
	perHost int

	mu     sync.Mutex
	unused []*conn // the longest unused first
	closed bool
}

// get returns a connection of a route that another request can be sent on; nil if there is none.
func (p *pool) get(of route) *conn {
	for {
		c := p.remove(func(c *conn) bool { return c.route == of })
		if c == nil || c.usable() {
			return c
		}
		c.close()
	}
}

// put keeps a connection, if there is room. Where there is none, the one goes that is unused for longest.
func (p *pool) put(c *conn) {
	c.meter.cost.Store(nil)
	p.mu.Lock()
	of := 0
	for _, other := range p.unused {
		if other.route == c.route {
			of++
		}
	}
	keep := !p.closed && of < p.perHost
	if keep {
		p.unused = append(p.unused, c)
		c.expiry = time.AfterFunc(keepIdle, func() {
			if p.remove(func(other *conn) bool { return other == c }) != nil {
				c.close()
			}
		})
	}
	full := len(p.unused) > p.max
	p.mu.Unlock()
	switch {
	case !keep:
		c.close()
	case full:
		if oldest := p.first(); oldest != nil {
			oldest.close()
		}
	}
}

// remove returns the latest used of those connections that match, which the pool has no more; nil if none does.
func (p *pool) remove(match func(*conn) bool) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, c := range slices.Backward(p.unused) {
		if match(c) {
			return p.removeLocked(i)
		}
	}
	return nil
}

// first is remove for the connection that is unused for longest.
func (p *pool) first() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.unused) == 0 {
		return nil
	}
	return p.removeLocked(0)
}

func (p *pool) removeLocked(i int) *conn {
	c := p.unused[i]
	c.expiry.Stop()
	p.unused = slices.Delete(p.unused, i, i+1)
	return c
}

// drop closes all connections that the pool has.
func (p *pool) drop() {
	for c := p.first(); c != nil; c = p.first() {
		c.close()
	}
}

// close is drop, and nothing is kept from then on.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.drop()
}

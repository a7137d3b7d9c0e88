package files

import (
	"context"
	"sync"
)

// publishing counts publications under way. A file is kept before the store knows whose it is: until it does, the file is not to be taken for
// one that nobody publishes.
type publishing struct {
	mu       sync.Mutex
	underWay int
	begun    uint64 // since the start
	putOff   bool   // a check waits for those under way
}

func (p *publishing) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay++
	p.begun++
}

// end reports whether a check was put off that can be made now.
func (p *publishing) end() (check bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.underWay--; p.underWay > 0 {
		return false
	}
	check, p.putOff = p.putOff, false
	return check
}

// count returns how many publications have begun.
func (p *publishing) count() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun
}

// changed reports whether publications have begun, and ended, since there were count of them. If not, it runs check before any can begin;
// while some are under way it puts the check off.
func (p *publishing) changed(count uint64, check func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.underWay > 0:
		p.putOff = true
	case p.begun != count:
		return true
	default:
		check()
	}
	return false
}

// Publish begins a publication, and returns what ends it: what is kept by Keep meanwhile stays, even if the store does not know yet whose it is.
func (f *Files) Publish() (end func()) {
	f.publishing.begin()
	return func() {
		if f.publishing.end() {
			f.Unpublished()
		}
	}
}

// Unpublished has what is published no longer be removed. It does not wait for that.
func (f *Files) Unpublished() {
	f.workers.Do(func(ctx context.Context) { f.complain(ctx, f.tidy(ctx)) })
}

package files

import (
	"context"
	"sync"
)

// publishing counts publications under way. A file is kept before the store knows its publication. Until it does, the
// file must not count as unpublished.
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

// changed reports whether publications have begun, and ended, since there were count of them. If not, it runs check
// before any can begin. While one is under way it puts the check off.
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

// Publish begins a publication, and returns the function that ends it. Files kept by Keep meanwhile stay, even if the
// store does not know their publication yet.
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

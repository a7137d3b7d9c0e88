package live

import "sync"

// mailbox holds closures for the loop. Its length is bounded by those that post: each connection, link, dial, job and
// caller of Do has one or two closures in it at most.
type mailbox struct {
	mu     sync.Mutex
	posts  []func()
	closed bool
	wake   chan struct{}
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

// post has the loop call f. It reports false, and f is not called, after close.
func (m *mailbox) post(f func()) bool {
	m.mu.Lock()
	closed := m.closed
	if !closed {
		m.posts = append(m.posts, f)
	}
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
	return !closed
}

// drain returns what was posted, in order.
func (m *mailbox) drain() []func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	posts := m.posts
	m.posts = nil
	return posts
}

func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.posts = true, nil
}

package websub

import (
	"context"
	"hash/maphash"
	"sync"

	"tidings"
)

// Bounds on what is held in memory for deliveries.
const (
	maxDocuments     = 8        // topics with held content
	maxDocumentBytes = 64 << 20 // altogether
	maxSent          = 200_000  // subscriptions of which it is known what they have got
)

// documents holds the content of the topics that were delivered last, and which version each subscription has got.
type documents struct {
	seed maphash.Seed

	mu     sync.Mutex
	topics map[string]*loading
	order  []string // of topics, the longest held first
	got    map[int64]delivered
}

// delivered is what a subscription has got last.
type delivered struct {
	version tidings.Version
	of      uint64 // hash of channel and callback: with others, a target is another subscription
}

// loading is a document that is held, or is being read.
type loading struct {
	ready chan struct{} // closed when the rest is there
	doc   Document
	err   error
}

func newDocuments() *documents {
	return &documents{seed: maphash.MakeSeed(), topics: make(map[string]*loading), got: make(map[int64]delivered)}
}

// get returns the content of a topic of a version, or of a later one. It is read by load if it is not held.
func (d *documents) get(
	ctx context.Context, topic string, version tidings.Version, load func(context.Context) (Document, error),
) (Document, error) {
	for {
		d.mu.Lock()
		l := d.topics[topic]
		if l == nil {
			l = &loading{ready: make(chan struct{})}
			d.hold(topic, l)
			d.mu.Unlock()
			l.doc, l.err = load(ctx)
			if l.err != nil || l.doc.Version < version {
				d.forget(topic, l)
			}
			close(l.ready)
			return l.doc, l.err
		}
		d.mu.Unlock()
		select {
		case <-l.ready:
		case <-ctx.Done():
			return Document{}, ctx.Err()
		}
		if l.err == nil && l.doc.Version >= version {
			return l.doc, nil
		}
		d.forget(topic, l)
	}
}

// hold holds a document in the place of those that were held longest.
func (d *documents) hold(topic string, l *loading) {
	d.topics[topic] = l
	d.order = append(d.order, topic)
	bytes := 0
	for i := len(d.order) - 1; i >= 0; i-- {
		select {
		case <-d.topics[d.order[i]].ready:
			bytes += len(d.topics[d.order[i]].doc.Body)
		default:
		}
		if len(d.order)-i > maxDocuments || bytes > maxDocumentBytes {
			for _, old := range d.order[:i+1] {
				delete(d.topics, old)
			}
			d.order = d.order[i+1:]
			return
		}
	}
}

func (d *documents) forget(topic string, l *loading) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.topics[topic] != l {
		return
	}
	delete(d.topics, topic)
	for i, held := range d.order {
		if held == topic {
			d.order = append(d.order[:i:i], d.order[i+1:]...)
			return
		}
	}
}

// sent notes that a subscription has got the content of a version.
func (d *documents) sent(target int64, channel, callback string, version tidings.Version) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.got[target]; !known && len(d.got) >= maxSent {
		clear(d.got) // a topic may get content twice
	}
	d.got[target] = delivered{version, maphash.String(d.seed, channel+"\n"+callback)}
}

// has reports whether a subscription has got the content of a version, or of a later one.
func (d *documents) has(target int64, channel, callback string, version tidings.Version) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	got := d.got[target]
	return got.version >= version && got.of == maphash.String(d.seed, channel+"\n"+callback)
}

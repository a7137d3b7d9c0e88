package publish

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"tidings/network/engine"
	"tidings/store/published"
)

// publicationName names a publication.
type publicationName struct{ channel, key string }

// publications are those that are worked for. They run from begin, or from a later take, until they are dropped or the
// context of begin ends.
type publications struct {
	mu      sync.Mutex
	active  map[publicationName]*publication
	byTopic map[engine.ID]*publication
	counts  map[publicationName]count // also of those that were stopped
	run     context.Context           // nil before begin
	ended   bool                      // nothing more is started
	running sync.WaitGroup
}

// count is how far the items of a publication have come. It outlives the publication, which may change, or be stopped
// and resumed, while the node runs.
type count struct {
	numbering *numbering
	flights   *flights
}

func newPublications() publications {
	return publications{
		active: make(map[publicationName]*publication), byTopic: make(map[engine.ID]*publication),
		counts: make(map[publicationName]count),
	}
}

// begin has all publications work until ctx ends.
func (p *publications) begin(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run = ctx
	for _, c := range p.sorted() {
		p.start(c)
	}
}

// end waits until all have ended, which they do with the context of begin.
func (p *publications) end() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.running.Wait()
}

// started returns the running publication for the store's: the existing one, or else a new one, which begins.
func (p *publications) started(kept published.Publication, fresh func(*numbering, *flights) *publication) *publication {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := publicationName{kept.Channel, kept.Key}
	now := p.active[name]
	if now != nil && now.isAs(kept) {
		now.again.Ring()
		return now
	}
	if now != nil {
		p.drop(now)
	}
	n, known := p.counts[name]
	if !known {
		n = count{newNumbering(kept), newFlights()}
		p.counts[name] = n
	}
	now = fresh(n.numbering, n.flights)
	p.active[name], p.byTopic[now.topic] = now, now
	p.start(now)
	return now
}

// start has a publication work, once there is a context. The caller holds p.mu.
func (p *publications) start(c *publication) {
	if p.run == nil || p.ended {
		return
	}
	ctx, stop := context.WithCancel(p.run)
	c.stop = stop
	p.running.Go(func() { c.send(ctx) })
	p.running.Go(func() { c.noteArrivals(ctx) })
	if c.watched != "" {
		p.running.Go(func() { newSourceWatch(c).watch(ctx) })
	}
}

// halt ends the work for the publication on a topic, which stays known.
func (p *publications) halt(topic engine.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.byTopic[topic]; c != nil {
		c.stop()
	}
}

// restart has a publication work again after halt.
func (p *publications) restart(c *publication) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.active[c.name] == c {
		c.stop()
		p.start(c)
	}
}

// drop ends the work for a publication. The caller holds p.mu.
func (p *publications) drop(gone *publication) {
	gone.stop()
	delete(p.active, gone.name)
	if p.byTopic[gone.topic] == gone {
		delete(p.byTopic, gone.topic)
	}
}

// remove is drop.
func (p *publications) remove(gone *publication) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(gone)
}

// dropChannel ends the work for the publications of a channel, and calls ended for each before.
func (p *publications) dropChannel(channel string, ended func(*publication)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.sorted() {
		if c.name.channel == channel {
			ended(c)
			p.drop(c)
		}
	}
}

// later runs f after a time, unless the node stops before.
func (p *publications) later(after time.Duration, f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == nil || p.ended {
		return
	}
	p.running.Go(func() {
		select {
		case <-time.After(after):
			f()
		case <-p.run.Done():
		}
	})
}

// onTopic returns the publication on a topic; nil if there is none.
func (p *publications) onTopic(topic engine.ID) *publication {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byTopic[topic]
}

// find returns a publication by its name; nil if there is none.
func (p *publications) find(name publicationName) *publication {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.active[name]
}

// all returns what is worked for, by name.
func (p *publications) all() []*publication {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sorted()
}

// sorted is all. The caller holds p.mu.
func (p *publications) sorted() []*publication {
	var all []*publication
	for _, c := range p.active {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *publication) int {
		return cmp.Or(cmp.Compare(a.name.channel, b.name.channel), cmp.Compare(a.name.key, b.name.key))
	})
	return all
}

package store

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"tidings"
)

const (
	// maxTouches bounds the polls that wait in memory, one a channel. Beyond it a
	// poll is forgotten, which costs no more than an early poll after a restart.
	maxTouches = 1 << 17
	// touchBatch bounds how many one transaction takes, and so how long it makes
	// others wait: about 20 ms.
	touchBatch = 2048
)

// touches keeps the newest poll a channel that changed nothing but the watch
// itself. Such polls are most of all, and may be lost in a crash.
type touches struct {
	first chan struct{} // gets a value when there is one after there was none

	mu      sync.Mutex
	waiting map[string]*Record // by URL; a record is replaced, never changed
}

func newTouches() *touches {
	return &touches{first: make(chan struct{}, 1), waiting: make(map[string]*Record)}
}

// RecordUnchanged notes a poll that found nothing new for a reader. It does not wait for the
// disk: the newest poll a channel is written within Config.TouchDelay or, while the
// disk is slow or broken, as soon as that is over. Readers see it at once, and a
// later Record of the channel includes it. The Change of r is ignored.
func (s *Store) RecordUnchanged(r Record) { s.touches.add(r) }

// Plan notes that the next poll of a channel is planned for another time than the last poll said.
// It is written as RecordUnchanged writes.
func (s *Store) Plan(url string, next time.Time, why string) {
	s.touches.add(Record{URL: url, Poll: tidings.Poll{Next: next, NextWhy: why}, planned: true})
}

func (q *touches) add(r Record) {
	r.Change = nil
	q.mu.Lock()
	defer q.mu.Unlock()
	before, ok := q.waiting[r.URL]
	if ok {
		r = r.over(*before)
	} else if len(q.waiting) >= maxTouches {
		return
	}
	q.waiting[r.URL] = &r
	if len(q.waiting) == 1 {
		q.notify()
	}
}

func (q *touches) notify() {
	select {
	case q.first <- struct{}{}:
	default:
	}
}

// putBack has records wait again that were taken, in that order, but could not be written. What has come meanwhile goes over
// them.
func (q *touches) putBack(taken []*Record) {
	if len(taken) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range slices.Backward(taken) {
		newer, ok := q.waiting[r.URL]
		switch {
		case ok:
			both := newer.over(*r)
			q.waiting[r.URL] = &both
		case len(q.waiting) < maxTouches:
			q.waiting[r.URL] = r
		}
	}
	q.notify()
}

// get returns what waits for a channel, or nil.
func (q *touches) get(url string) *Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting[url]
}

// take returns what waits for a channel, or nil, and forgets it.
func (q *touches) take(url string) *Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.waiting[url]
	delete(q.waiting, url)
	return r
}

// all returns everything that waits, in the order of the channels' URLs, in which
// the index by URL is read page by page.
func (q *touches) all() []*Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	records := make([]*Record, 0, len(q.waiting))
	for _, r := range q.waiting {
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b *Record) int { return cmp.Compare(a.URL, b.URL) })
	return records
}

// written forgets records that are in the file, but for those replaced meanwhile.
func (q *touches) written(records []*Record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range records {
		if q.waiting[r.URL] == r {
			delete(q.waiting, r.URL)
		}
	}
}

// empty reports whether nothing waits.
func (q *touches) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) == 0
}

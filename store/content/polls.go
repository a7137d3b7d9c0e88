package content

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/store/db"
)

const (
	// maxTouches bounds the polls that wait in memory, one a channel. Beyond it a
	// poll is forgotten, which costs no more than an early poll after a restart.
	maxTouches = 1 << 17
	// touchBatch bounds how many one transaction writes, and so how long others wait: about 20 ms.
	touchBatch = 2048
)

// touches keeps the newest poll a channel that changed nothing but the watch
// itself. Such polls are most of all, and may be lost in a crash.
type touches struct {
	wake func() // is called when there is one after there was none

	mu      sync.Mutex
	waiting map[string]*Record // by URL; a record is replaced, never changed
}

func newTouches(wake func()) *touches {
	return &touches{wake: wake, waiting: make(map[string]*Record)}
}

// RecordUnchanged notes a poll that found nothing new for a reader. It does not wait for the disk. The newest poll of a
// channel is written within Config.TouchDelay. If the disk is slow or broken, it is written as soon as that is over.
// Readers see it at once, and a later Record of the channel includes it. The Change of r is ignored.
func (s *Store) RecordUnchanged(r Record) { s.waiting.add(r) }

// Plan notes that the next poll of a channel is planned for another time than the last poll said.
// It is written as RecordUnchanged writes.
func (s *Store) Plan(url string, next time.Time, why string) {
	s.waiting.add(Record{URL: url, Poll: tidings.Poll{Next: next, NextWhy: why}, planned: true})
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
		q.wake()
	}
}

// putBack queues a record again that could not be written. What has come meanwhile is merged over it.
func (q *touches) putBack(r *Record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	newer, ok := q.waiting[r.URL]
	switch {
	case ok:
		both := newer.over(*r)
		q.waiting[r.URL] = &both
	case len(q.waiting) < maxTouches:
		q.waiting[r.URL] = r
	}
	q.wake()
}

// get returns what waits for a channel, or nil.
func (q *touches) get(url string) *Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting[url]
}

// remove returns what waits for a channel, or nil, and forgets it.
func (q *touches) remove(url string) *Record {
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

// sweepPolls is what the writer does with polls that wait: it writes them, a batch at a time.
func (s *Store) sweepPolls(delay time.Duration) db.Work {
	return db.Work{
		Waits: func() bool { return !s.waiting.empty() },
		After: func() time.Duration { return delay },
		Do: func(t *db.Tx) (more bool, err error) {
			if len(s.sweep) == 0 {
				s.sweep = s.waiting.all()
			}
			polls := s.sweep[:min(touchBatch, len(s.sweep))]
			for _, r := range polls {
				if s.waiting.get(r.URL) != r {
					continue // a newer poll has replaced it
				}
				if err := r.writePoll(t); err != nil {
					return false, fmt.Errorf("noting checks: %w", err)
				}
			}
			t.OnCommit(func() {
				s.sweep = s.sweep[len(polls):]
				s.waiting.written(polls)
			})
			return len(polls) < len(s.sweep), nil
		},
		AtClose: true,
	}
}

package outbox

import (
	"sync"

	"tidings/store/db"
)

// Store is the part of the store that this package is about. Its methods may be called by many goroutines at once.
type Store struct {
	db *db.DB

	mu     sync.Mutex
	listen func(target int64) // nil: nobody listens
}

// New returns the part of a database.
func New(d *db.DB) *Store { return &Store{db: d} }

// Listen has f called with each target for which something may have to be tried now, from now on: once it is on the
// disk. f must not wait. There is one listener at a time; nil ends it.
func (s *Store) Listen(f func(target int64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listen = f
}

func (s *Store) ready(targets ...int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listen == nil {
		return
	}
	for _, t := range targets {
		s.listen(t)
	}
}

package content

import (
	"time"

	"tidings"
	"tidings/store/db"
	"tidings/store/known"
)

// Store is the part of the store that this package is about. Its methods may be called by many goroutines at once.
type Store struct {
	db      *db.DB
	waiting *touches
	known   *known.Cache
	// embargoed has room for one word that there is something new for Release.
	embargoed chan struct{}

	// The writer's alone, as the transaction under way has left it.
	changes []known.Change // what it has changed in what items are known by
	sweep   []*Record      // polls: the rest of the sweep under way
}

// New returns the part of a database. A poll that found nothing new waits in memory for about delay.
func New(d *db.DB, delay time.Duration) *Store {
	s := &Store{db: d, waiting: newTouches(d.Wake), known: known.NewCache(), embargoed: make(chan struct{}, 1)}
	d.Regularly(s.sweepPolls(delay))
	return s
}

// Overlay puts what waits to be written of a channel over what was read of its last poll.
func (s *Store) Overlay(url string, last *tidings.Poll, health *tidings.Health, failures *int) {
	if r := s.waiting.get(url); r != nil {
		r.overlay(last, health, failures)
	}
}

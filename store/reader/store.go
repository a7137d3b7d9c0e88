package reader

import "tidings/store/db"

// Store is the part of the store that this package is about. Its methods may be called by many goroutines at once.
type Store struct {
	db   *db.DB
	uses *tokenUses
}

// New returns the part of a database.
func New(d *db.DB) *Store {
	s := &Store{db: d, uses: newTokenUses(d.Wake)}
	d.Regularly(s.uses.work())
	return s
}

package reader

import (
	"tidings"
	"tidings/store/db"
)

// Store is the part of the store that this package is about. Its methods may be called by many goroutines at once.
type Store struct {
	db      *db.DB
	uses    *tokenUses
	starred int // how many items a reader can star; 0: any number

	onRead func(t *db.Tx, account tidings.AccountID) error
}

// New returns the part of a database, in which each reader can star so many items; 0: any number. onRead is called in
// each transaction in which an account reads items.
func New(d *db.DB, starred int, onRead func(t *db.Tx, account tidings.AccountID) error) *Store {
	s := &Store{db: d, uses: newTokenUses(d.Wake), starred: starred, onRead: onRead}
	d.Regularly(s.uses.work())
	return s
}

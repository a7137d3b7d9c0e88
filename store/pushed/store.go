package pushed

import (
	"tidings/store/db"
)

// Store is the part of the store that this package is about. Its methods may be called by many goroutines at once.
type Store struct{ db *db.DB }

// New returns the part of a database.
func New(d *db.DB) *Store { return &Store{d} }

// Schema is what a check and a repair must know of the tables.
var Schema = db.Schema{
	Tables: []db.Table{
		{Name: "pushed", Key: []string{"id"}, Owner: `(SELECT url FROM channel c WHERE c.id = x.channel)`},
		{Name: "websub", Key: []string{"channel"}}, // the hub is asked anew
		{Name: "pin",
			Needed: "it has the keys that feeds are trusted with, and a node without one would trust the first that comes"},
		{Name: "republisher", Needed: "it says which third parties' keys you trust"},
	},
}

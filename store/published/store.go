package published

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
		{Name: "publication", Needed: "it has the numbers of what you publish, and no number may be given twice"},
		{Name: "published", Needed: "it has the numbers of what you publish, and no number may be given twice"},
	},
	Agreements: []db.Agreement{
		{What: "publications whose next number is used", SQL: `SELECT count(*) FROM publication p
			WHERE p.next <= (SELECT max(number) FROM published i WHERE i.publication = p.id)`},
	},
}

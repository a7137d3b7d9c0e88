package shared

import (
	"tidings/store/db"
)

// Store is the part of the store that this package is about. Its methods may be called by many goroutines at once.
type Store struct{ db *db.DB }

// New returns the part of a database.
func New(d *db.DB) *Store { return &Store{d} }

// Schema is what a check and a repair must know of the tables. What a channel has lost is asked for anew.
var Schema = db.Schema{
	Tables: []db.Table{
		{Name: "past", Key: []string{"channel", "hash"}, Owner: `(SELECT url FROM channel c WHERE c.id = x.channel)`},
		{Name: "forwarding", Key: []string{"rowid"}},
		{Name: "archived", Key: []string{"rowid"}},
	},
	Again: []string{
		`DELETE FROM past WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
		`DELETE FROM shared WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
	},
	Consequences: []string{
		`DELETE FROM archive_use`,
		`INSERT INTO archive_use (topic, items, bytes) SELECT topic, count(*), sum(size) FROM archived GROUP BY topic`,
		`INSERT INTO archive_use (topic, items, bytes) SELECT x'', count(*), coalesce(sum(size), 0) FROM archived`,
	},
}

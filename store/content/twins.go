package content

import (
	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// Pair is two channels of which one is the other at a former address.
type Pair struct {
	From, To int64
	// Twins are the items of To whose text is kept and that are in From as well: what they are there, by what they are
	// here.
	Twins map[int64]int64
}

// PairOf returns two channels that can be one: both are followed, have a version and no password, and are of one kind,
// privacy and options. An item is the twin of one with its title, and its guid or link.
func PairOf(conn *sqlite.Conn, from, to string) (p Pair, ok bool, err error) {
	if ok, err = db.One(conn, `SELECT a.id, b.id FROM channel a JOIN channel b ON b.url = ?2
		WHERE a.url = ?1 AND a.id != b.id AND a.kind = b.kind AND a.privacy = b.privacy AND a.options = b.options
		AND a.version > 0 AND b.version > 0 AND a.orphaned IS NULL AND b.orphaned IS NULL
		AND NOT EXISTS (SELECT 1 FROM credential WHERE channel IN (a.id, b.id))`, func(r *sqlite.Stmt) {
		p.From, p.To = r.ColumnInt64(0), r.ColumnInt64(1)
	}, from, to); err != nil || !ok {
		return p, false, err
	}
	return p, true, p.findTwins(conn)
}

func (p *Pair) findTwins(conn *sqlite.Conn) error {
	type key struct{ title, address uint64 }
	known := make(map[key]int64)
	read := func(channel int64, take func(item int64, kept bool, keys []key)) error {
		return db.Each(conn, `SELECT id, latest, guid, link, title FROM item WHERE channel = ?`,
			func(r *sqlite.Stmt) error {
				var keys []key
				for at := 2; at <= 3; at++ { // the guid first
					if address := uint64(r.ColumnInt64(at)); address != 0 {
						keys = append(keys, key{uint64(r.ColumnInt64(4)), address})
					}
				}
				take(r.ColumnInt64(0), r.ColumnInt64(1) != 0, keys)
				return nil
			}, channel)
	}
	if err := read(p.From, func(item int64, _ bool, keys []key) {
		for _, k := range keys {
			known[k] = item
		}
	}); err != nil {
		return err
	}
	p.Twins = make(map[int64]int64)
	return read(p.To, func(item int64, kept bool, keys []key) {
		if !kept {
			return
		}
		for _, k := range keys {
			if was, ok := known[k]; ok {
				p.Twins[item] = was
				return
			}
		}
	})
}

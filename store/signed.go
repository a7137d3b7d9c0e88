package store

import (
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
	"tidings/store/search"
)

// A poll may find an item before its publisher's push of it comes, in the feed, which often has less of it. What the
// publisher has signed takes the place of what was found. Readers who have seen less, since the channel is trusted to the
// publisher, are told of a revision; nobody is told again of what was in the feed before that, or of the same words.

// standing is an item's latest revision, as it is before its publisher's word comes.
type standing struct {
	item     tidings.Item
	version  int64 // version.id
	alone    bool  // its version has no other
	signed   bool  // by the publisher; a third party's word is as one that was found
	received time.Time
	indexed  bool // the search index knows it
}

func (t *tx) standing(revision int64) (s standing, err error) {
	err = db.Must(db.One(t.Conn, `SELECT v.id, v.first = v.last, v.signed_by != '' AND NOT v.third_party, v.received,
			EXISTS (SELECT 1 FROM search_docsize d WHERE d.id = r.id), `+column.ItemColumns+`
		FROM revision r JOIN version v ON v.id = r.version WHERE r.id = ?`, func(r *sqlite.Stmt) {
		const at = 5
		s = standing{version: r.ColumnInt64(0), alone: r.ColumnBool(1), signed: r.ColumnBool(2), received: db.ColumnTime(r, 3), indexed: r.ColumnBool(4)}
		s.item, _ = column.Item(r, at) // a text that is damaged is another, and is replaced
		x, _ := column.ReadExtras(r, at)
		s.signed = s.signed || x.SignedBy != ""
	}, revision))
	return s, err
}

// compareSigned finds out what an item that a publisher has signed, and that is here, does to its latest revision.
func (t *tx) compareSigned(p *prepared, item *placed) error {
	if item.latest == 0 {
		return nil
	}
	now, err := t.standing(item.latest)
	if err != nil {
		return err
	}
	same := slices.Equal(search.Words(&now.item), search.Words(&item.Item))
	p.late = p.late || !now.signed
	item.told = !same && now.received.After(p.trusted)
	item.fill = !item.told && (!now.signed || now.item.Content != item.Content || now.item.Summary != item.Summary)
	return nil
}

// fillSigned gives an item's latest revision the texts that its publisher has signed.
func (t *tx) fillSigned(item *placed, signedBy string) error {
	now, err := t.standing(item.latest)
	if err != nil {
		return err
	}
	x := item.texts
	if x.extra, err = column.PackExtras(item.Item, signedBy); err != nil {
		return err
	}
	if err := t.rewrite(item.latest, item, x); err != nil {
		return err
	}
	if now.alone {
		if err := db.Exec(t.Conn, `UPDATE version SET signed_by = ?, found_by = '', confirmed_by = '', withdrawn = NULL, third_party = 0 WHERE id = ?`, signedBy, now.version); err != nil {
			return err
		}
	}
	if !now.indexed {
		return nil
	}
	return search.Replace(t.Tx, item.latest, &item.Item)
}

package content

import (
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
	"tidings/store/words"
)

// A poll may find an item in the feed before its publisher's push arrives. The feed often has less of it. The
// publisher's signed version replaces what was found. Readers are notified of a revision if they have seen less since
// the channel is trusted to the publisher. They are not notified of what was in the feed before that, or of the same
// words.

// standing is an item's latest revision, as it is before its publisher's word comes.
type standing struct {
	item     tidings.Item
	version  int64 // version.id
	alone    bool  // its version has no other
	signed   bool  // by the publisher; a third party's word is as one that was found
	received time.Time
}

func standingOf(t *Tx, revision int64) (s standing, err error) {
	err = db.Must(db.One(t.Conn, `SELECT v.id, v.first = v.last, v.signed_by != '' AND NOT v.third_party, v.received,
			`+column.ItemColumns+`
		FROM revision r JOIN version v ON v.id = r.version WHERE r.id = ?`, func(r *sqlite.Stmt) {
		const at = 4
		s = standing{version: r.ColumnInt64(0), alone: r.ColumnBool(1), signed: r.ColumnBool(2),
			received: db.ColumnTime(r, 3)}
		s.item, _ = column.Item(r, at) // a text that is damaged is another, and is replaced
		x, _ := column.ReadExtras(r, at)
		s.signed = s.signed || x.SignedBy != ""
	}, revision))
	return s, err
}

// compareSigned finds out what an item that a publisher has signed, and that is here, does to its latest revision.
func compareSigned(t *Tx, p *Prepared, item *placed) error {
	if item.latest == 0 {
		return nil
	}
	now, err := standingOf(t, item.latest)
	if err != nil {
		return err
	}
	same := slices.Equal(words.Of(&now.item), words.Of(&item.Item))
	p.Late = p.Late || !now.signed
	item.told = !same && now.received.After(p.Trusted)
	item.fill = !item.told && (!now.signed || now.item.Content != item.Content || now.item.Summary != item.Summary)
	return nil
}

// fillSigned gives an item's latest revision the texts that its publisher has signed.
func fillSigned(t *Tx, item *placed, signedBy string) error {
	now, err := standingOf(t, item.latest)
	if err != nil {
		return err
	}
	x := item.texts
	if x.extra, err = column.PackExtras(item.Item, signedBy); err != nil {
		return err
	}
	if err := rewrite(t, item.latest, item, x); err != nil {
		return err
	}
	if now.alone {
		if err := db.Exec(t.Conn, `UPDATE version SET signed_by = ?, found_by = '', confirmed_by = '',
			withdrawn = NULL, third_party = 0 WHERE id = ?`, signedBy, now.version); err != nil {
			return err
		}
	}
	t.Left.Reworded = append(t.Left.Reworded, item.latest)
	return nil
}

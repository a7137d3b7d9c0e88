package content

import (
	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// recordPage stores a page's new version. Each is an item of its own, so that
// reading, starring and searching are the same for feeds and pages.
func recordPage(t *Tx, ch *Row, p *Prepared) (*tidings.Update, error) {
	hash := ""
	if ch.latest != 0 {
		if _, err := db.One(t.Conn, `SELECT hash FROM version WHERE id = ? AND kind = 'page'`, func(r *sqlite.Stmt) {
			hash = r.ColumnText(0)
		}, ch.latest); err != nil {
			return nil, err
		}
	}
	switch {
	case hash != "" && hash == p.Hash:
		return nil, nil
	case hash != p.BaseHash:
		return nil, tidings.ErrStale
	}
	entry := tidings.Item{URL: ch.url, Title: ch.title, Change: tidings.Changed}
	if ch.title == "" {
		entry.Title = ch.url
	}
	if ch.version == 0 {
		entry.Change = tidings.New
	}
	if p.Quiet && ch.version > 0 {
		return quietPage(t, ch, p)
	}
	revision, item := t.Next(revisionNumbers), t.Next(itemNumbers)
	u, err := addVersion(t, ch, p.Change, revision, revision, p.delta, p.body)
	if err != nil {
		return nil, err
	}
	if err := addItem(t, ch.ID, item, tidings.ItemIdentity{}, revision); err != nil {
		return nil, err
	}
	if err := addRevision(t, ch, u.ID, revision, item, 0, &entry, &texts{}); err != nil {
		return nil, err
	}
	if err := keepDocument(t, ch.ID, p); err != nil {
		return nil, err
	}
	arrive(t, ch.ID, revision, 0)
	return u, nil
}

// quietPage stores a version of a page that has no item.
func quietPage(t *Tx, ch *Row, p *Prepared) (*tidings.Update, error) {
	first := t.Next(revisionNumbers)
	u, err := addVersion(t, ch, p.Change, first, first-1, p.delta, p.body)
	if err != nil {
		return nil, err
	}
	return u, keepDocument(t, ch.ID, p)
}

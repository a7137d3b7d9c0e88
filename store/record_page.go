package store

import (
	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// recordPage stores a page's new version. Each is an item of its own, so that
// reading, starring and searching are the same for feeds and pages.
func (t *tx) recordPage(ch *channelRow, p *prepared) (*tidings.Update, error) {
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
	revision, item := t.Next(revisionNumbers), t.Next(itemNumbers)
	u, err := t.addVersion(ch, p.Change, revision, revision, p.delta, p.body)
	if err != nil {
		return nil, err
	}
	if err := t.addItem(ch.id, item, tidings.ItemIdentity{}, revision); err != nil {
		return nil, err
	}
	if err := t.addRevision(ch, u.ID, revision, item, 0, &entry, &texts{}); err != nil {
		return nil, err
	}
	if err := t.keepDocument(ch.id, p); err != nil {
		return nil, err
	}
	t.tellOf(ch.id, revision, 0)
	return u, nil
}

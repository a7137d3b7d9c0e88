package content

import (
	"context"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Document returns the document of a channel's latest version as it was received, with its Content-Type. So it can be
// read again by other rules, or passed on. It is nil if there is none. That of a page is kept if this node has received
// it, that of a feed if somebody wants it (tidings.Change.Raw).
func (s *Store) Document(ctx context.Context, url string) (document []byte, contentType string, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		var packed []byte
		if _, err := db.One(conn, `SELECT d.body, d.type FROM document d JOIN channel c ON c.id = d.channel
			WHERE c.url = ?`, func(r *sqlite.Stmt) {
			packed, contentType = db.ColumnBlob(r, 0), r.ColumnText(1)
		}, url); err != nil {
			return err
		}
		text, err := column.Unpack(packed)
		if text != "" {
			document = []byte(text)
		}
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("document of %s: %w", url, err)
	}
	return document, contentType, nil
}

// keepFeedDocument keeps the document of a feed's new version. It does so if the document was received as a whole, and
// no item of the feed waits for the end of its embargo. There is none before: see addVersion.
func keepFeedDocument(t *Tx, channel int64, p *Prepared, items []placed) error {
	if p.document == nil || p.Partial || p.Past || slices.ContainsFunc(items, func(i placed) bool { return i.held }) {
		return nil
	}
	held, err := heldItems(t.Conn, channel)
	if err != nil || len(held) > 0 {
		return err
	}
	return keepDocument(t, channel, p)
}

// keepDocument keeps the document of the version that a channel gets, in place of the one before.
func keepDocument(t *Tx, channel int64, p *Prepared) error {
	if p.document == nil {
		return db.Exec(t.Conn, `DELETE FROM document WHERE channel = ?`, channel)
	}
	return db.Exec(t.Conn, `INSERT INTO document (channel, body, type) VALUES (?, ?, ?)
		ON CONFLICT (channel) DO UPDATE SET body = excluded.body, type = excluded.type`,
		channel, p.document, p.RawType)
}

// recordNotice stores a notice about a channel for its subscribers. It makes a version with the content of the one
// before, and an item that nothing is known by.
func recordNotice(t *Tx, ch *Row, p *Prepared) (*tidings.Update, error) {
	var body []byte
	hash := ""
	if _, err := db.One(t.Conn, `SELECT t.body, v.hash FROM content t JOIN version v ON v.id = t.version
		WHERE t.version = ? AND v.kind = ?`, func(r *sqlite.Stmt) {
		body, hash = db.ColumnBlob(r, 0), r.ColumnText(1)
	}, ch.latest, string(p.Kind)); err != nil {
		return nil, err
	}
	if body == nil {
		body = packOrder(nil)
	}
	f := *p.Change
	f.BaseHash, f.Hash = hash, hash
	item := *p.Notice
	item.Change = tidings.New
	revision, row := t.Next(revisionNumbers), t.Next(itemNumbers)
	u, err := addVersion(t, ch, &f, revision, revision, nil, body)
	if err != nil {
		return nil, err
	}
	if err := addItem(t, ch.ID, row, tidings.ItemIdentity{}, revision); err != nil {
		return nil, err
	}
	if err := addRevision(t, ch, u.ID, revision, row, 0, &item, &p.texts[0]); err != nil {
		return nil, err
	}
	arrive(t, ch.ID, revision, 0)
	u.Items = []tidings.Item{asStored(item)}
	return u, nil
}

package content

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
	"tidings/store/known"
)

// Content is a channel's latest content as far as hashes are made of it.
type Content struct {
	Kind     tidings.Kind // empty: there is none so far
	Version  tidings.Version
	Marks    []tidings.ItemIdentity // of a feed's items, in the order of the document
	PageHash string                 // of a page's lines: tidings.Update.Hash
}

// Hash returns the hash by which nodes name the content; zero if there is none.
func (c *Content) Hash() (h [sha256.Size]byte) {
	switch c.Kind {
	case tidings.KindUnknown:
	case tidings.KindPage:
		if b, err := hex.DecodeString(c.PageHash); err == nil && len(b) == len(h) {
			copy(h[:], b)
		}
	default:
		h = tidings.ContentHash(c.Marks)
	}
	return h
}

// Content returns the latest content of a channel that is polled; tidings.ErrNotFollowed if
// there is none such.
func (s *Store) Content(ctx context.Context, url string) (c Content, err error) {
	changes := s.known.Changes()
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		now, err := Now(conn, url)
		if err != nil {
			return err
		}
		c = now.content()
		if s.known.ViewAsOf(changes, url, func(f *known.Feed) { c.Marks = f.InOrder(now.order) }) &&
			len(c.Marks) == len(now.order) {
			return nil
		}
		c.Marks, err = now.marks(conn)
		return err
	})
	if err != nil {
		return Content{}, fmt.Errorf("content of %s: %w", url, err)
	}
	return c, nil
}

// content returns the content but for its marks.
func (p *Present) content() Content {
	return Content{Kind: p.kind, Version: p.version, PageHash: p.hash}
}

// marks reads those of a feed's items.
func (p *Present) marks(conn *sqlite.Conn) (marks []tidings.ItemIdentity, err error) {
	for _, row := range p.order {
		if err := db.Must(db.One(conn, `SELECT guid, link, title, date, print FROM item WHERE channel = ? AND id = ?`,
			func(r *sqlite.Stmt) { marks = append(marks, column.Identity(r, 0)) }, p.Channel, row)); err != nil {
			return nil, err
		}
	}
	return marks, nil
}

// Present is where a channel stands now.
type Present struct {
	Channel, Latest int64        // its row, and its latest update
	kind            tidings.Kind // of the latest version; empty: none
	title, site     string
	version         tidings.Version
	hash            string // of a page
	body            []byte
	order           []int64 // of a feed
}

// Now returns where a channel stands that is polled; tidings.ErrNotFollowed if there is none such.
func Now(conn *sqlite.Conn, url string) (p Present, err error) {
	found, err :=
		db.One(conn,
			`SELECT c.id, c.latest, coalesce(v.kind, ''), c.title, c.site, c.version, coalesce(v.hash, ''), t.body
		FROM channel c LEFT JOIN version v ON v.id = c.latest LEFT JOIN content t ON t.version = v.id
		WHERE c.url = ? AND (c.orphaned IS NULL OR c.polled IS NOT NULL)`, func(r *sqlite.Stmt) {
				p = Present{
					Channel: r.ColumnInt64(0), Latest: r.ColumnInt64(1), kind: tidings.Kind(r.ColumnText(2)),
					title: r.ColumnText(3), site: r.ColumnText(4), version: tidings.Version(r.ColumnInt64(5)),
					hash: r.ColumnText(6), body: db.ColumnBlob(r, 7),
				}
			}, url)
	if err == nil && !found {
		err = tidings.ErrNotFollowed
	}
	if err == nil && p.kind == tidings.KindFeed {
		p.order, err = unpackOrder(p.body)
	}
	return p, err
}

// Order returns the order of a feed's items as [Store] keeps it; nil if it is none.
func (p *Present) Order() []byte {
	if p.kind != tidings.KindFeed {
		return nil
	}
	return packOrder(p.order)
}

// Recorded returns where a channel stands now that a change was stored, and its content.
func Recorded(t *Tx, url string, p *Prepared) (now Present, c Content, err error) {
	if now, err = Now(t.Conn, url); err != nil {
		return now, c, err
	}
	c = now.content()
	if c.Marks = p.marks; len(c.Marks) != len(now.order) {
		c.Marks, err = now.marks(t.Conn)
	}
	return now, c, err
}

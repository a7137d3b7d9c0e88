package store

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
	"tidings/store/shared"
)

// Content is a channel's latest content as far as hashes are made of it.
type Content struct {
	Kind     tidings.Kind // empty: there is none so far
	Version  tidings.Version
	Marks    []tidings.ItemIdentity // of a feed's items, in the order of the document
	PageHash string                 // of a page's lines: tidings.Update.Hash
}

// Content returns the latest content of a channel that is polled; tidings.ErrNotFollowed if
// there is none such.
func (s *Store) Content(ctx context.Context, url string) (c Content, err error) {
	changes := s.memory.marks.changed()
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		now, err := readPresent(conn, url)
		if err != nil {
			return err
		}
		c = now.content()
		if s.memory.marks.after(changes, url, func(f *feedMarks) { c.Marks = f.inOrder(now.order) }) && len(c.Marks) == len(now.order) {
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
func (p *present) content() Content {
	return Content{Kind: p.kind, Version: p.version, PageHash: p.hash}
}

// marks reads those of a feed's items.
func (p *present) marks(conn *sqlite.Conn) (marks []tidings.ItemIdentity, err error) {
	for _, row := range p.order {
		if err := db.Must(db.One(conn, `SELECT guid, link, title, date, print FROM item WHERE channel = ? AND id = ?`,
			func(r *sqlite.Stmt) { marks = append(marks, column.Identity(r, 0)) }, p.channel, row)); err != nil {
			return nil, err
		}
	}
	return marks, nil
}

// inOrder returns the marks of items in an order, as far as they are held.
func (f *feedMarks) inOrder(rows []int64) []tidings.ItemIdentity {
	marks := make([]tidings.ItemIdentity, 0, len(rows))
	for _, row := range rows {
		if m, known := f.of(row); known {
			marks = append(marks, m)
		}
	}
	return marks
}

// present is where a channel stands now.
type present struct {
	channel, latest int64
	kind            tidings.Kind // of the latest version; empty: none
	title, site     string
	version         tidings.Version
	hash            string // of a page
	body            []byte
	order           []int64 // of a feed
}

func readPresent(conn *sqlite.Conn, url string) (p present, err error) {
	found, err := db.One(conn, `SELECT c.id, c.latest, coalesce(v.kind, ''), c.title, c.site, c.version, coalesce(v.hash, ''), t.body
		FROM channel c LEFT JOIN version v ON v.id = c.latest LEFT JOIN content t ON t.version = v.id
		WHERE c.url = ? AND (c.orphaned IS NULL OR c.polled IS NOT NULL)`, func(r *sqlite.Stmt) {
		p = present{
			channel: r.ColumnInt64(0), latest: r.ColumnInt64(1), kind: tidings.Kind(r.ColumnText(2)),
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

// Name notes that a channel's latest content has a hash, and is to be found again by it. With a
// number, the content of that hash is the network's version of that number. Who has seen that content is noted of its update, if it has one here.
func (s *Store) Name(ctx context.Context, url string, content shared.Hash, given shared.Version, seen ...Seen) error {
	err := s.write(ctx, func(t *tx) error {
		if err := t.name(url, content, given); err != nil {
			return err
		}
		return confirm(t, given, seen)
	})
	if err != nil {
		return fmt.Errorf("naming the content of %s: %w", url, err)
	}
	return nil
}

// Number notes that the network has given a number to a content that has its name already. It does not wait for the
// disk: a number that is lost in a crash is told again. Who has seen the content is noted of its update. Without a number
// that is all.
func (s *Store) Number(ctx context.Context, given shared.Version, seen ...Seen) error {
	return s.DB.Leave(ctx, s.with(func(t *tx) error {
		var channel int64
		found, err := db.One(t.Conn, `SELECT id FROM channel WHERE url = ?`, func(r *sqlite.Stmt) { channel = r.ColumnInt64(0) }, given.URL)
		if err != nil || !found {
			return err
		}
		if err := shared.Give(t.Tx, channel, given); err != nil {
			return err
		}
		return confirm(t, given, seen)
	}))
}

// Remote is a version that another node has found, with the number and the name that the network has given it, if any.
// Of what is past already the latest content here keeps its name.
type Remote struct {
	shared.Version
	Change *tidings.Change
}

func (r Remote) url() string             { return r.URL }
func (r Remote) change() *tidings.Change { return r.Change }

func (r Remote) apply(t *tx, p *prepared) (applied Applied, err error) {
	ch, err := t.channel(r.URL)
	if err != nil {
		return applied, err
	}
	if applied.Update, err = t.store(ch, p); err != nil {
		return applied, err
	}
	if u := applied.Update; u != nil && r.Hash != (shared.Hash{}) {
		if err := db.Exec(t.Conn, `UPDATE version SET number = ?, shared_hash = ? WHERE id = ?`, int64(r.Number), r.Hash[:], u.ID); err != nil {
			return applied, err
		}
	}
	content := r.Hash
	if r.Change.Past {
		content = shared.Hash{}
	}
	return applied, t.name(r.URL, content, r.Version)
}

func (t *tx) name(url string, content shared.Hash, given shared.Version) error {
	now, err := readPresent(t.Conn, url)
	if err != nil {
		return err
	}
	if err := shared.Give(t.Tx, now.channel, given); err != nil {
		return err
	}
	return t.nameAs(&now, content)
}

// nameRecorded names what a change that was just recorded has left, and returns the name.
func (t *tx) nameRecorded(ch *channelRow, p *prepared, name func(Content) shared.Hash) (h shared.Hash, err error) {
	now, err := readPresent(t.Conn, ch.url)
	if err != nil {
		return h, err
	}
	c := now.content()
	if c.Marks = p.marks; len(c.Marks) != len(now.order) {
		if c.Marks, err = now.marks(t.Conn); err != nil {
			return h, err
		}
	}
	h = name(c)
	return h, t.nameAs(&now, h)
}

// nameAs has what is there now found again by a hash, unless that is zero.
func (t *tx) nameAs(now *present, content shared.Hash) error {
	var body []byte
	if now.kind == tidings.KindFeed {
		body = packOrder(now.order)
	}
	return shared.Name(t.Tx, now.channel, shared.Past{Latest: now.latest, Order: body}, content)
}

// Delta is what leads from one content of a channel to the latest.
type Delta struct {
	Kind        tidings.Kind // empty: there is no content
	Title, Site string
	// Found says who found the latest version here, and OriginChanged when the origin changed.
	Found tidings.Update

	// Based says that it leads on from the content that was asked for; else it is the whole.
	Based bool
	Items []LeadItem // feeds: the whole document, in its order
	// Pages.
	Base, Lines []string
}

// LeadItem is an item of a Lead.
type LeadItem struct {
	tidings.FoundItem      // with texts if Fresh
	Fresh             bool // the base does not have it as it is
}

// DeltaFrom finds what leads from a content to the latest. The zero Hash stands for nothing, and so does
// one that is not known. tidings.ErrNotFound if a part of the latest is kept no more.
func (s *Store) DeltaFrom(ctx context.Context, url string, base shared.Hash) (l Delta, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		now, err := readPresent(conn, url)
		if err != nil || now.kind == tidings.KindUnknown {
			return err
		}
		l = Delta{Kind: now.kind, Title: now.title, Site: now.site}
		if _, err := db.One(conn, `SELECT found, found_by, origin_changed FROM version WHERE id = ?`, func(r *sqlite.Stmt) {
			l.Found = tidings.Update{Time: db.ColumnTime(r, 0), FoundBy: r.ColumnText(1), OriginChanged: db.ColumnTime(r, 2)}
		}, now.latest); err != nil {
			return err
		}
		past, known, err := shared.Find(conn, now.channel, base)
		if err != nil {
			return err
		}
		if now.kind == tidings.KindPage {
			return l.page(conn, &now, known && past.Order == nil, past.Latest)
		}
		return l.feed(conn, &now, known && past.Order != nil, past.Latest, past.Order)
	})
	if err != nil {
		return Delta{}, fmt.Errorf("what leads to the latest version of %s: %w", url, err)
	}
	return l, nil
}

func (l *Delta) page(conn *sqlite.Conn, now *present, known bool, latest int64) (err error) {
	if l.Lines, err = unpackLines(now.body); err != nil || !known {
		return err
	}
	var body []byte
	if _, err := db.One(conn, `SELECT body FROM content WHERE version = ?`, func(r *sqlite.Stmt) { body = db.ColumnBlob(r, 0) }, latest); err != nil || body == nil {
		return err
	}
	l.Base, err = unpackLines(body)
	l.Based = err == nil
	return err
}

func (l *Delta) feed(conn *sqlite.Conn, now *present, known bool, latest int64, order []byte) error {
	had := make(map[int64]struct{})
	if known {
		rows, err := unpackOrder(order)
		if err != nil {
			return err
		}
		for _, row := range rows {
			had[row] = struct{}{}
		}
		l.Based = true
	}
	for _, row := range now.order {
		item := LeadItem{FoundItem: tidings.FoundItem{Row: row}}
		var revision, came int64
		if err := db.Must(db.One(conn, `SELECT i.guid, i.link, i.title, i.date, i.print, i.latest, coalesce(r.version, 0)
			FROM item i LEFT JOIN revision r ON r.id = i.latest WHERE i.channel = ? AND i.id = ?`, func(r *sqlite.Stmt) {
			item.Mark, revision, came = column.Identity(r, 0), r.ColumnInt64(5), r.ColumnInt64(6)
		}, now.channel, row)); err != nil {
			return err
		}
		_, listed := had[row]
		item.Fresh = !listed || came > latest
		if err := item.read(conn, revision); err != nil {
			return err
		}
		l.Items = append(l.Items, item)
	}
	return nil
}

// read reads an item's latest revision; of one that is not fresh the heading alone.
func (i *LeadItem) read(conn *sqlite.Conn, revision int64) error {
	if revision == 0 && !i.Fresh {
		return nil
	}
	var raw []byte
	found := false
	if err := db.Each(conn, `SELECT `+column.ItemColumns+`, coalesce(r.raw, r.content, r.summary) FROM revision r WHERE r.id = ?`, func(r *sqlite.Stmt) (err error) {
		found = true
		if i.Item, err = column.Item(r, 0); err != nil {
			return err
		}
		raw = db.ColumnBlob(r, column.ItemWidth)
		return nil
	}, revision); err != nil || !i.Fresh {
		return err
	}
	if !found {
		return tidings.ErrNotFound
	}
	text, err := column.Unpack(raw)
	i.Raw = text
	return err
}

package content

import (
	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Delta is what leads from one content of a channel to the latest.
type Delta struct {
	Kind        tidings.Kind // empty: there is no content
	Title, Site string
	// Found names the finder of the latest version here. OriginChanged is when the origin changed.
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

// From reads what leads to the latest content from one that is known: its latest update, and the order of its items if
// it was a feed's. tidings.ErrNotFound if a part of the latest is kept no more.
func From(conn *sqlite.Conn, now *Present, known bool, latest int64, order []byte) (l Delta, err error) {
	l = Delta{Kind: now.kind, Title: now.title, Site: now.site}
	if now.kind == tidings.KindUnknown {
		return Delta{}, nil
	}
	if _, err := db.One(conn, `SELECT found, found_by, origin_changed FROM version WHERE id = ?`, func(r *sqlite.Stmt) {
		l.Found = tidings.Update{Time: db.ColumnTime(r, 0), FoundBy: r.ColumnText(1),
			OriginChanged: db.ColumnTime(r, 2)}
	}, now.Latest); err != nil {
		return l, err
	}
	if now.kind == tidings.KindPage {
		return l, l.page(conn, now, known && order == nil, latest)
	}
	return l, l.feed(conn, now, known && order != nil, latest, order)
}

func (l *Delta) page(conn *sqlite.Conn, now *Present, known bool, latest int64) (err error) {
	if l.Lines, err = unpackLines(now.body); err != nil || !known {
		return err
	}
	var body []byte
	if _, err := db.One(conn, `SELECT body FROM content WHERE version = ?`,
		func(r *sqlite.Stmt) { body = db.ColumnBlob(r, 0) }, latest); err != nil || body == nil {
		return err
	}
	l.Base, err = unpackLines(body)
	l.Based = err == nil
	return err
}

func (l *Delta) feed(conn *sqlite.Conn, now *Present, known bool, latest int64, order []byte) error {
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
		if err := db.Must(
			db.One(conn, `SELECT i.guid, i.link, i.title, i.date, i.print, i.latest, coalesce(r.version, 0)
			FROM item i LEFT JOIN revision r ON r.id = i.latest WHERE i.channel = ?
			AND i.id = ?`, func(r *sqlite.Stmt) {
				item.Mark, revision, came = column.Identity(r, 0), r.ColumnInt64(5), r.ColumnInt64(6)
			}, now.Channel, row)); err != nil {
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
	if err := db.Each(conn, `SELECT `+column.ItemColumns+
		`, coalesce(r.raw, r.content, r.summary) FROM revision r WHERE r.id = ?`, func(r *sqlite.Stmt) (err error) {
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

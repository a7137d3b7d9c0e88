package content

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// judgeNews decides on a revision of a news item that readers were to be notified of. It is dropped if a later or equal
// one is here. It waits while it is under embargo.
func judgeNews(t *Tx, p *Prepared, item *placed) error {
	if item.known {
		shown, held, err := shownAndHeld(t, item)
		if err != nil {
			return err
		}
		if item.latest == 0 && held != nil { // no reader was notified so far
			found := *item.FoundItem
			found.Change = tidings.New
			item.FoundItem = &found
		}
		for _, before := range []*tidings.Item{shown, held} {
			if before == nil || before.News == nil || item.revises(before) {
				continue
			}
			item.told = false
			if p.Partial { // of a whole document, what it is known by goes into the name of the content
				found := *item.FoundItem
				found.Mark = item.mark
				item.FoundItem = &found
			}
			return nil
		}
	}
	if item.News.Embargoed(t.Now) {
		item.told, item.held = false, true
	}
	return nil
}

// shownAndHeld returns the latest revision of an item, and the one that waits for the end of its embargo; nil if there
// is none.
func shownAndHeld(t *Tx, item *placed) (shown, held *tidings.Item, err error) {
	read := func(into **tidings.Item) func(*sqlite.Stmt) error {
		return func(r *sqlite.Stmt) error {
			i, err := column.Item(r, 0)
			*into = &i
			return err
		}
	}
	if item.latest != 0 {
		if err := db.Each(t.Conn, `SELECT `+column.ItemColumns+
			` FROM revision r WHERE r.id = ? AND (? OR r.extra != '')`, read(&shown), item.latest,
			item.News != nil); err != nil {
			return nil, nil, err
		}
	}
	return shown, held, db.Each(t.Conn, `SELECT `+column.ItemColumns+` FROM embargo r WHERE r.item = ?`, read(&held),
		item.row)
}

// revises reports whether a news item is a revision of before that readers are to be notified of.
func (item *placed) revises(before *tidings.Item) bool {
	now := item.News
	if now == nil {
		return !before.News.Withdrawn()
	}
	if !now.MayReplace(before.News) {
		return false
	}
	same := equalNews(now, before.News) && item.Title == before.Title && item.Summary == before.Summary &&
		item.Content == before.Content
	return !same
}

func equalNews(a, b *tidings.News) bool {
	x, err := json.Marshal(a)
	y, wrong := json.Marshal(b)
	return err == nil && wrong == nil && bytes.Equal(x, y)
}

// withdrawItem removes the content of an item that its publisher has withdrawn. In the place of each earlier revision
// it leaves what readers see now. A link to one leads there, and its words no longer find it.
func withdrawItem(t *Tx, channel int64, item *placed) error {
	if !item.News.Withdrawn() {
		return nil
	}
	type revision struct {
		id    int64
		files []tidings.Enclosure
	}
	var old []revision
	if err := db.Each(t.Conn, `SELECT r.id, `+column.ItemColumns+` FROM revision r
		WHERE r.channel = ? AND r.item = ?`, func(r *sqlite.Stmt) error {
		x, _ := column.ReadExtras(r, 1) // what is damaged goes all the same
		old = append(old, revision{r.ColumnInt64(0), x.Enclosures})
		return nil
	}, channel, item.row); err != nil {
		return err
	}
	for _, r := range old {
		for _, f := range r.files {
			t.Left.Gone = append(t.Left.Gone, File{channel, f.URL})
		}
		if err := rewrite(t, r.id, item, item.texts); err != nil {
			return err
		}
		t.Left.Reworded = append(t.Left.Reworded, r.id)
	}
	t.Left.Taken = append(t.Left.Taken, item.row)
	return nil
}

// rewrite puts other texts in the place of those of a revision.
func rewrite(t *Tx, revision int64, item *placed, x *texts) error {
	return db.Exec(t.Conn, `UPDATE revision SET guid = ?, url = ?, title = ?, author = ?, published = ?, updated = ?,
			extra = ?, summary = ?, content = ?, raw = ? WHERE id = ?`, item.ID, item.URL, item.Title, item.Author,
		item.Published, item.Updated,
		x.extra, x.summary, x.content, x.raw, revision)
}

// WithdrawnItems returns the marks of the items of a feed that their publisher has withdrawn.
func (s *Store) WithdrawnItems(ctx context.Context, url string) (items []tidings.KnownItem, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT i.id, i.guid, i.link, i.title, i.date, i.print, `+column.ItemColumns+
			` FROM item i JOIN revision r ON r.id = i.latest
			WHERE i.channel = (SELECT id FROM channel WHERE url = ?) AND r.extra LIKE '%"n":%'`, func(r *sqlite.Stmt) error {
			if x, err := column.ReadExtras(r, 6); err == nil && x.News.Withdrawn() {
				items = append(items, tidings.KnownItem{Row: r.ColumnInt64(0), ItemIdentity: column.Identity(r, 1)})
			}
			return nil
		}, url)
	})
	if err != nil {
		return nil, fmt.Errorf("withdrawn items of %s: %w", url, err)
	}
	return items, nil
}

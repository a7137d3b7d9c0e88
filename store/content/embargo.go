package content

import (
	"context"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// An item under embargo is known, and waits in a table of its own, which nothing that readers ask reads. Once its
// embargo is over, Release makes a version of its channel with it, as if it had been found then.

// maxReleased bounds the items of one version that Release makes.
const maxReleased = 1000

// holdItem keeps a revision until its embargo is over, in the place of one that waits already.
func holdItem(t *Tx, channel int64, p *Prepared, item *placed) error {
	i, x := &item.Item, item.texts
	t.OnCommit(t.store.notifyEmbargoed)
	return db.Exec(t.Conn, `INSERT OR REPLACE INTO embargo (item, channel, due, found_by, confirmed_by, signed_by,
		change, guid, url, title, author,
			published, updated, extra, summary, content, raw, third_party) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
			?, ?, ?, ?, ?, ?)`,
		item.row, channel, item.News.Embargo, p.FoundBy, strings.Join(p.ConfirmedBy, " "), p.SignedBy, string(i.Change),
		i.ID, i.URL, i.Title, i.Author,
		i.Published, i.Updated, x.extra, x.summary, x.content, x.raw, p.ThirdParty)
}

// Embargoed returns a channel that can be read once an item was stored that waits for the end of its embargo.
func (s *Store) Embargoed() <-chan struct{} { return s.embargoed }

// notifyEmbargoed notifies the reader of Embargoed.
func (s *Store) notifyEmbargoed() {
	select {
	case s.embargoed <- struct{}{}:
	default: // it is notified already, and has not read so far
	}
}

// NextEmbargo returns when the first embargo ends; zero: there is none.
func (s *Store) NextEmbargo(ctx context.Context) (due time.Time, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		_, err := db.One(conn, `SELECT min(e.due) FROM embargo e JOIN channel c ON c.id = e.channel`,
			func(r *sqlite.Stmt) { due = db.ColumnTime(r, 0) })
		return err
	})
	if err != nil {
		return due, fmt.Errorf("looking for the next embargo that ends: %w", err)
	}
	return due, nil
}

// freed is an item whose embargo is over.
type freed struct {
	row, latest       int64
	foundBy, signedBy string
	confirmedBy       []string
	thirdParty        bool
	item              tidings.Item
}

// Release makes a version of a channel of which items wait that may be shown; it reports whether there is one.
func Release(t *Tx) (bool, error) {
	ch := &Row{}
	found, err := db.One(t.Conn, `SELECT c.id, c.url, c.kind, c.title, c.site, c.icon, c.version, c.latest
		FROM embargo e JOIN channel c ON c.id = e.channel
		WHERE e.due <= ? ORDER BY e.due LIMIT 1`, func(r *sqlite.Stmt) {
		*ch = Row{r.ColumnInt64(0), r.ColumnText(1), tidings.Kind(r.ColumnText(2)), r.ColumnText(3),
			r.ColumnText(4),
			r.ColumnText(5), tidings.Version(r.ColumnInt64(6)), r.ColumnInt64(7)}
	}, t.Now)
	if err != nil || !found {
		return false, err
	}
	items, err := freedItems(t, ch.ID)
	if err != nil {
		return false, err
	}
	if len(items) == 0 { // the channel is being removed
		return true, db.Exec(t.Conn, `DELETE FROM embargo WHERE channel = ? AND due <= ?`, ch.ID, t.Now)
	}
	order, err := orderOf(t, ch)
	if err != nil {
		return false, err
	}
	if ch.version == 0 { // its document has had nothing so far that could be shown
		if order, err = heldItems(t.Conn, ch.ID); err != nil {
			return false, err
		}
	}
	change := &tidings.Change{Kind: tidings.KindFeed, Found: t.Now, FoundBy: items[0].foundBy,
		ConfirmedBy: items[0].confirmedBy, SignedBy: items[0].signedBy,
		ThirdParty: items[0].thirdParty}
	first := t.Reserve(revisionNumbers, len(items))
	last := first + int64(len(items)) - 1
	u, err := addVersion(t, ch, change, first, last, nil, packOrder(order))
	if err != nil {
		return false, err
	}
	for i, f := range items {
		if err := freeItem(t, ch.ID, u.ID, last-int64(i), f); err != nil {
			return false, err
		}
	}
	return true, nil
}

// freedItems returns the items of a channel that may be shown now, the one that could first last: as a document has
// them. All were found, or signed, by one.
func freedItems(t *Tx, channel int64) (items []freed, err error) {
	err = db.Each(t.Conn, `SELECT r.item, i.latest, r.found_by, r.signed_by, r.confirmed_by, r.third_party, `+
		column.ItemColumns+` FROM embargo r
		JOIN item i ON i.channel = r.channel AND i.id = r.item WHERE r.channel = ?1 AND r.due <= ?2
		AND (r.found_by, r.signed_by, r.confirmed_by, r.third_party) = (SELECT e.found_by, e.signed_by, e.confirmed_by, e.third_party FROM embargo e WHERE e.channel = ?1 AND e.due <= ?2 ORDER BY e.due, e.item LIMIT 1)
		ORDER BY r.due DESC, r.item LIMIT +?3`, func(r *sqlite.Stmt) error {
		f := freed{row: r.ColumnInt64(0), latest: r.ColumnInt64(1), foundBy: r.ColumnText(2), signedBy: r.ColumnText(3),
			confirmedBy: column.Nodes(r, 4), thirdParty: r.ColumnBool(5)}
		f.item, err = column.Item(r, 6)
		items = append(items, f)
		return err
	}, channel, t.Now, maxReleased)
	return items, err
}

// heldItems returns the items of a channel that wait, those whose embargo is over too: the one that could first last.
func heldItems(c *sqlite.Conn, channel int64) (items []int64, err error) {
	return items, db.Each(c, `SELECT item FROM embargo WHERE channel = ? ORDER BY due DESC, item`,
		func(r *sqlite.Stmt) error {
			items = append(items, r.ColumnInt64(0))
			return nil
		}, channel)
}

// freeItem makes a revision of what has waited.
func freeItem(t *Tx, channel, update, revision int64, f freed) error {
	if err := db.Exec(t.Conn,
		`INSERT INTO revision (id, version, channel, item, before, change, guid, url, title, author,
			published, updated, extra, summary, content, raw)
		SELECT ?, ?, channel, item, ?, change, guid, url, title, author, published, updated, extra, summary, content,
		raw
		FROM embargo WHERE item = ?`, revision, update, f.latest, f.row); err != nil {
		return err
	}
	if err := db.Exec(t.Conn, `UPDATE item SET latest = ? WHERE channel = ? AND id = ?`, revision, channel,
		f.row); err != nil {
		return err
	}
	if err := noteArrival(t, channel, f.row, f.latest); err != nil {
		return err
	}
	if err := db.Exec(t.Conn, `DELETE FROM embargo WHERE item = ?`, f.row); err != nil {
		return err
	}
	arrive(t, channel, revision, f.latest)
	return nil
}

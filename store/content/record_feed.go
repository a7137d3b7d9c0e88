package content

import (
	"bytes"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
	"tidings/store/known"
)

// placed is an item of a document with what the store makes of it.
type placed struct {
	*tidings.FoundItem
	texts  *texts
	row    int64 // never 0
	known  bool  // the row was there before
	mark   tidings.ItemIdentity
	latest int64 // revision before this change
	told   bool  // it gets a revision that readers are notified of
	fill   bool  // its latest revision gets the texts that its publisher has signed
	held   bool  // readers are notified once its embargo is over
}

// recordFeed stores a document's items, and its new version if it has news for readers.
func recordFeed(t *Tx, ch *Row, p *Prepared) (*tidings.Update, error) {
	if err := MustKnow(t, ch, p.Change); err != nil {
		return nil, err
	}
	items, err := placeItems(t, ch, p)
	if err != nil {
		return nil, err
	}
	told := 0
	order := make([]int64, len(items))
	for i, item := range items {
		order[i] = item.row
		if item.told {
			told++
		}
	}
	if !p.Past && !p.Partial {
		p.marks = make([]tidings.ItemIdentity, len(items))
		for i := range items {
			p.marks[i] = items[i].Mark
		}
	}
	if p.Past {
		if order, err = orderOf(t, ch); err != nil {
			return nil, err
		}
	}
	if p.Partial {
		if order, err = withRest(t, ch, order); err != nil {
			return nil, err
		}
	}
	if told == 0 {
		return nil, recordQuiet(t, ch, p, items, packOrder(order))
	}
	// Numbers fall along the document, so that the river, newest first, has its order.
	first := t.Reserve(revisionNumbers, told)
	u, err := addVersion(t, ch, p.Change, first, first+int64(told)-1, nil, packOrder(order))
	if err != nil {
		return nil, err
	}
	revision := first + int64(told)
	for i := range items {
		item := &items[i]
		if !item.told {
			if err := keepItem(t, ch, p, item); err != nil {
				return nil, err
			}
			continue
		}
		revision--
		if err := storeRevision(t, ch, u.ID, revision, item); err != nil {
			return nil, err
		}
		arrive(t, ch.ID, revision, item.latest)
		u.Items = append(u.Items, asStored(item.Item))
	}
	return u, keepFeedDocument(t, ch.ID, p, items)
}

// MustKnow refuses a change that was compared before the latest items became known: it would report them again. A part
// of a document depends only on items that have something in common with it, so only those count.
func MustKnow(t *Tx, ch *Row, f *tidings.Change) error {
	if f.Partial {
		if stale, sure := overtook(t, ch.ID, f); sure {
			if stale {
				return tidings.ErrStale
			}
			return nil
		}
	}
	stale, err := db.One(t.Conn, `SELECT 1 FROM item WHERE channel = ? AND id > ?
		AND (guid != 0 OR link != 0 OR title != 0 OR date != 0 OR print != 0) LIMIT 1`,
		func(*sqlite.Stmt) {}, ch.ID, f.KnownUpTo)
	if err == nil && stale {
		err = tidings.ErrStale
	}
	return err
}

// overtook reports whether a change has been overtaken: an item that became known or changed after the comparison has a
// part in common with one of the change. sure is false where only a look into the file could decide it.
func overtook(t *Tx, channel int64, f *tidings.Change) (stale, sure bool) {
	held := t.store.known.Held(channel)
	if held == nil {
		return false, false
	}
	marks := make([]tidings.ItemIdentity, len(f.Items))
	for i := range f.Items {
		marks[i] = f.Items[i].Mark
	}
	like := known.PartsOf(marks)
	for i := len(held.Items()) - 1; i >= 0 && held.Items()[i].Row > f.KnownUpTo; i-- {
		stale = stale || like.Meet(held.Items()[i].ItemIdentity)
	}
	for i := range t.store.changes {
		if t.store.changes[i].Row == 0 {
			return false, false
		}
		stale = stale || t.store.changes[i].Channel == channel && like.Meet(t.store.changes[i].ItemIdentity)
	}
	return stale, true
}

// maxRest bounds the items of a document that grows by parts: each version keeps their order, and parts may come for
// years before a whole document does. One that had more has no more than it had.
const maxRest = 200

// withRest returns the order of a whole document of which a part was found: the rest
// follows as it was.
func withRest(t *Tx, ch *Row, part []int64) ([]int64, error) {
	before, err := orderOf(t, ch)
	if err != nil {
		return nil, err
	}
	most := min(max(len(before), maxRest), MaxItems)
	whole := part
	for _, row := range before {
		if len(whole) >= most {
			break
		}
		if !slices.Contains(part, row) {
			whole = append(whole, row)
		}
	}
	return whole, nil
}

// orderOf returns the items of a feed's document, in its order.
func orderOf(t *Tx, ch *Row) ([]int64, error) {
	var blob []byte
	if _, err := db.One(t.Conn, `SELECT t.body FROM content t JOIN version v ON v.id = t.version
		WHERE t.version = ? AND v.kind = 'feed'`, func(r *sqlite.Stmt) { blob = db.ColumnBlob(r, 0) },
		ch.latest); err != nil {
		return nil, err
	}
	return unpackOrder(blob)
}

// placeItems finds out which item of the store each found item is, and gives new ones a number.
func placeItems(t *Tx, ch *Row, p *Prepared) ([]placed, error) {
	items := make([]placed, 0, len(p.Items))
	seen := make(map[int64]struct{}, len(p.Items))
	held := heldMarks(t, ch.ID)
	for i := range p.Items {
		item := placed{FoundItem: &p.Items[i], texts: &p.texts[i], row: p.Items[i].Row}
		if _, twice := seen[item.row]; twice && item.row != 0 {
			continue
		}
		// of what stays as it is, no more than that is asked
		if held != nil && item.Change == "" && !item.Quiet && !item.Signed {
			item.mark, item.known = held.Of(item.row)
			item.known = item.known && item.mark == item.Mark
		}
		if item.row != 0 && !item.known {
			var err error
			item.known, err =
				db.One(t.Conn, `SELECT guid, link, title, date, print, latest FROM item WHERE channel = ? AND id = ?`,
					func(r *sqlite.Stmt) { item.mark, item.latest = column.Identity(r, 0), r.ColumnInt64(5) }, ch.ID,
					item.row)
			if err != nil {
				return nil, err
			}
		}
		if item.known && item.Was != (tidings.ItemIdentity{}) && item.mark != item.Was {
			return nil, tidings.ErrStale // it may have been reported, or be older than what was
		}
		item.told = item.Change != ""
		if item.known && item.Signed && !item.News.Embargoed(t.Now) {
			if err := compareSigned(t, p, &item); err != nil {
				return nil, err
			}
		}
		if !item.known {
			if item.row == 0 && !item.told {
				continue // no news, and nothing to know it by
			}
			// The knowledge of an item that vanished is gone with its row. In a channel that begins anew it is new;
			// else its readers were notified of it.
			if !item.told && ch.version == 0 {
				item.told = true
				packed, err := packItem(&tidings.FoundItem{Item: asNew(item.Item), Raw: item.Raw})
				if err != nil {
					return nil, err
				}
				item.texts = &packed
			}
			item.row = t.Next(itemNumbers)
		}
		if item.told {
			if err := judgeNews(t, p, &item); err != nil {
				return nil, err
			}
		}
		if item.told {
			found := *item.FoundItem
			if item.latest == 0 && !item.known {
				found.Change = tidings.New
			} else if item.latest != 0 {
				found.Change = tidings.Changed
			}
			item.FoundItem = &found
		}
		seen[item.row] = struct{}{}
		items = append(items, item)
	}
	return items, nil
}

// heldMarks returns what a channel's items are known by. It is nil if that is not held, or not as the transaction has
// left it.
func heldMarks(t *Tx, channel int64) *known.Feed {
	for i := range t.store.changes {
		if t.store.changes[i].Channel == channel || t.store.changes[i].Row == 0 {
			return nil
		}
	}
	return t.store.known.Held(channel)
}

// storeRevision stores the revision of an item that is new to readers.
func storeRevision(t *Tx, ch *Row, update, revision int64, item *placed) error {
	if item.known {
		if err := setItem(t, ch.ID, item.row, item.Mark, revision); err != nil {
			return err
		}
		if err := noteArrival(t, ch.ID, item.row, item.latest); err != nil {
			return err
		}
		if err := withdrawItem(t, ch.ID, item); err != nil {
			return err
		}
		if err := db.Exec(t.Conn, `DELETE FROM embargo WHERE item = ?`, item.row); err != nil {
			return err
		}
	} else if err := addItem(t, ch.ID, item.row, item.Mark, revision); err != nil {
		return err
	}
	if err := addRevision(t, ch, update, revision, item.row, item.latest, &item.Item, item.texts); err != nil {
		return err
	}
	return noteSelected(t, ch, item)
}

// keepItem stores a change in an item without notifying readers: what it is known by, its link and its dates. Only
// texts that its publisher has signed are stored. A change has no other texts of items that are no news.
func keepItem(t *Tx, ch *Row, p *Prepared, item *placed) error {
	if !item.known {
		if err := addItem(t, ch.ID, item.row, item.Mark, 0); err != nil {
			return err
		}
	} else if item.Mark != item.mark {
		if err := setItem(t, ch.ID, item.row, item.Mark, item.latest); err != nil {
			return err
		}
	}
	if item.held {
		return holdItem(t, ch.ID, p, item)
	}
	if !item.known {
		return nil
	}
	if item.fill {
		return fillSigned(t, item, p.SignedBy)
	}
	if !item.Quiet || item.latest == 0 || item.News.Embargoed(t.Now) { // what readers know is an earlier revision
		return nil
	}
	return db.Exec(t.Conn, `UPDATE revision SET guid = ?, url = ?, published = ?, updated = ? WHERE id = ?`,
		item.ID, item.URL, item.Published, item.Updated, item.latest)
}

// recordQuiet stores a document that has no news: quiet changes and its order, which
// becomes that of the latest version.
func recordQuiet(t *Tx, ch *Row, p *Prepared, items []placed, order []byte) error {
	for i := range items {
		if err := keepItem(t, ch, p, &items[i]); err != nil {
			return err
		}
	}
	var before []byte
	found, err := db.One(t.Conn, `SELECT t.body FROM content t JOIN version v ON v.id = t.version
		WHERE t.version = ? AND v.kind = 'feed'`, func(r *sqlite.Stmt) { before = db.ColumnBlob(r, 0) }, ch.latest)
	if err != nil || !found || bytes.Equal(before, order) {
		return err
	}
	return db.Exec(t.Conn, `UPDATE content SET body = ? WHERE version = ?`, order, ch.latest)
}

func addItem(t *Tx, channel, id int64, m tidings.ItemIdentity, latest int64) error {
	noteKnown(t, known.Change{Channel: channel, KnownItem: tidings.KnownItem{Row: id, ItemIdentity: m}})
	return db.Exec(t.Conn, `INSERT INTO item (channel, id, guid, link, title, date, print, latest, arrived)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, CASE ?8 WHEN 0 THEN 0 ELSE ?9 END)`,
		channel, id, int64(m.ID), int64(m.Link), int64(m.Title), int64(m.Date), int64(m.Print), latest, t.Now)
}

func setItem(t *Tx, channel, id int64, m tidings.ItemIdentity, latest int64) error {
	noteKnown(t, known.Change{Channel: channel, KnownItem: tidings.KnownItem{Row: id, ItemIdentity: m}})
	return db.Exec(t.Conn,
		`UPDATE item SET guid = ?, link = ?, title = ?, date = ?, print = ?, latest = ? WHERE channel = ? AND id = ?`,
		int64(m.ID), int64(m.Link), int64(m.Title), int64(m.Date), int64(m.Print), latest, channel, id)
}

// noteArrival notes when an item that was known before is first shown to readers; before is its revision until then.
func noteArrival(t *Tx, channel, id, before int64) error {
	if before != 0 {
		return nil
	}
	return db.Exec(t.Conn, `UPDATE item SET arrived = ? WHERE channel = ? AND id = ? AND arrived = 0`, t.Now, channel,
		id)
}

// addRevision stores an item as of one version. It is found by its words soon, see index.
func addRevision(t *Tx, ch *Row, update, revision, item, before int64, i *tidings.Item, x *texts) error {
	return db.Exec(t.Conn, `INSERT INTO revision (id, version, channel, item, before, change, guid, url, title, author,
			published, updated, extra, summary, content, raw) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		revision, update, ch.ID, item, before, string(i.Change), i.ID, i.URL, i.Title, i.Author,
		i.Published, i.Updated, x.extra, x.summary, x.content, x.raw)
}

// asStored returns an item as it will be read again.
func asStored(i tidings.Item) tidings.Item {
	i.Published, i.Updated = db.Stored(i.Published), db.Stored(i.Updated)
	return i
}

func asNew(i tidings.Item) tidings.Item {
	i.Change = tidings.New
	return i
}

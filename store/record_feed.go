package store

import (
	"bytes"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// placed is an item of a document with what the store makes of it.
type placed struct {
	*tidings.FoundItem
	texts  *texts
	row    int64 // never 0
	known  bool  // the row was there before
	mark   tidings.ItemIdentity
	latest int64 // revision before this change
	told   bool  // it gets a revision that readers are told of
	fill   bool  // its latest revision gets the texts that its publisher has signed
	held   bool  // readers are told once its embargo is over
}

// recordFeed stores a document's items, and its new version if a reader is told of any.
func (t *tx) recordFeed(ch *channelRow, p *prepared) (*tidings.Update, error) {
	if err := t.mustKnow(ch, p.Change); err != nil {
		return nil, err
	}
	items, err := t.place(ch, p)
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
		if order, err = t.order(ch); err != nil {
			return nil, err
		}
	}
	if p.Partial {
		if order, err = t.withRest(ch, order); err != nil {
			return nil, err
		}
	}
	if told == 0 {
		return nil, t.settle(ch, p, items, packOrder(order))
	}
	// Numbers fall along the document, so that the river, newest first, has its order.
	first := t.Take(revisionNumbers, told)
	u, err := t.addVersion(ch, p.Change, first, first+int64(told)-1, nil, packOrder(order))
	if err != nil {
		return nil, err
	}
	revision := first + int64(told)
	for i := range items {
		item := &items[i]
		if !item.told {
			if err := t.keep(ch, p, item); err != nil {
				return nil, err
			}
			continue
		}
		revision--
		if err := t.tell(ch, u.ID, revision, item); err != nil {
			return nil, err
		}
		t.tellOf(ch.id, revision, item.latest)
		u.Items = append(u.Items, asStored(item.Item))
	}
	return u, nil
}

// mustKnow refuses a change that was compared before the latest items became known:
// it would tell them again. A part of a document is told by itself, so that what has nothing in common with it is not
// asked for.
func (t *tx) mustKnow(ch *channelRow, f *tidings.Change) error {
	if f.Partial {
		if stale, known := t.overtook(ch.id, f); known {
			if stale {
				return tidings.ErrStale
			}
			return nil
		}
	}
	stale, err := db.One(t.Conn, `SELECT 1 FROM item WHERE channel = ? AND id > ?
		AND (guid != 0 OR link != 0 OR title != 0 OR date != 0 OR print != 0) LIMIT 1`,
		func(*sqlite.Stmt) {}, ch.id, f.KnownUpTo)
	if err == nil && stale {
		err = tidings.ErrStale
	}
	return err
}

// overtook reports whether an item that has become known, or other, since a change was compared has a part in common
// with one of it, as far as that is known without reading the file.
func (t *tx) overtook(channel int64, f *tidings.Change) (stale, known bool) {
	held := t.marks.byID(channel)
	if held == nil {
		return false, false
	}
	marks := make([]tidings.ItemIdentity, len(f.Items))
	for i := range f.Items {
		marks[i] = f.Items[i].Mark
	}
	like := partsOf(marks)
	for i := len(held.items) - 1; i >= 0 && held.items[i].Row > f.KnownUpTo; i-- {
		stale = stale || like.meet(held.items[i].ItemIdentity)
	}
	for i := range t.marked {
		if t.marked[i].Row == 0 {
			return false, false
		}
		stale = stale || t.marked[i].channel == channel && like.meet(t.marked[i].ItemIdentity)
	}
	return stale, true
}

// maxRest bounds the items of a document that grows by parts: each version keeps their order, and parts may come for
// years before a whole document does. One that had more has no more than it had.
const maxRest = 200

// withRest returns the order of a whole document of which a part was found: the rest
// follows as it was.
func (t *tx) withRest(ch *channelRow, part []int64) ([]int64, error) {
	before, err := t.order(ch)
	if err != nil {
		return nil, err
	}
	most := min(max(len(before), maxRest), maxFound)
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

// order returns the items of a feed's document, in its order.
func (t *tx) order(ch *channelRow) ([]int64, error) {
	var blob []byte
	if _, err := db.One(t.Conn, `SELECT t.body FROM content t JOIN version v ON v.id = t.version
		WHERE t.version = ? AND v.kind = 'feed'`, func(r *sqlite.Stmt) { blob = db.ColumnBlob(r, 0) }, ch.latest); err != nil {
		return nil, err
	}
	return unpackOrder(blob)
}

// place finds out which item of the store each found item is, and gives new ones a number.
func (t *tx) place(ch *channelRow, p *prepared) ([]placed, error) {
	items := make([]placed, 0, len(p.Items))
	seen := make(map[int64]struct{}, len(p.Items))
	held := t.heldMarks(ch.id)
	for i := range p.Items {
		item := placed{FoundItem: &p.Items[i], texts: &p.texts[i], row: p.Items[i].Row}
		if _, twice := seen[item.row]; twice && item.row != 0 {
			continue
		}
		if held != nil && item.Change == "" && !item.Quiet && !item.Signed { // of what stays as it is, no more than that is asked
			item.mark, item.known = held.of(item.row)
			item.known = item.known && item.mark == item.Mark
		}
		if item.row != 0 && !item.known {
			var err error
			item.known, err = db.One(t.Conn, `SELECT guid, link, title, date, print, latest FROM item WHERE channel = ? AND id = ?`,
				func(r *sqlite.Stmt) { item.mark, item.latest = column.Identity(r, 0), r.ColumnInt64(5) }, ch.id, item.row)
			if err != nil {
				return nil, err
			}
		}
		if item.known && item.Was != (tidings.ItemIdentity{}) && item.mark != item.Was {
			return nil, tidings.ErrStale // what is told of it may have been told, or be older than what was
		}
		item.told = item.Change != ""
		if item.known && item.Signed && !item.News.Embargoed(t.Now) {
			if err := t.compareSigned(p, &item); err != nil {
				return nil, err
			}
		}
		if !item.known {
			if item.row == 0 && !item.told {
				continue // nothing to tell, nothing to know it by
			}
			// The knowledge of an item that vanished is gone with its row. In a
			// channel that begins anew it is new; else its readers were told of it.
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
			if err := t.judgeNews(p, &item); err != nil {
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

// heldMarks returns what a channel's items are known by, nil if that is not held, or not as the transaction has left it.
func (t *tx) heldMarks(channel int64) *feedMarks {
	for i := range t.marked {
		if t.marked[i].channel == channel || t.marked[i].Row == 0 {
			return nil
		}
	}
	return t.marks.byID(channel)
}

// tell stores the revision of an item that readers are told of.
func (t *tx) tell(ch *channelRow, update, revision int64, item *placed) error {
	if item.known {
		if err := t.setItem(ch.id, item.row, item.Mark, revision); err != nil {
			return err
		}
		if err := t.withdraw(ch.id, item); err != nil {
			return err
		}
		if err := db.Exec(t.Conn, `DELETE FROM embargo WHERE item = ?`, item.row); err != nil {
			return err
		}
	} else if err := t.addItem(ch.id, item.row, item.Mark, revision); err != nil {
		return err
	}
	return t.addRevision(ch, update, revision, item.row, item.latest, &item.Item, item.texts)
}

// keep stores what changed in an item without a word to readers: what it is known by,
// its link and its dates. Its texts stay, but for those that its publisher has signed; a change has no others of items
// that are not told.
func (t *tx) keep(ch *channelRow, p *prepared, item *placed) error {
	if !item.known {
		if err := t.addItem(ch.id, item.row, item.Mark, 0); err != nil {
			return err
		}
	} else if item.Mark != item.mark {
		if err := t.setItem(ch.id, item.row, item.Mark, item.latest); err != nil {
			return err
		}
	}
	if item.held {
		return t.hold(ch.id, p, item)
	}
	if !item.known {
		return nil
	}
	if item.fill {
		return t.fillSigned(item, p.SignedBy)
	}
	if !item.Quiet || item.latest == 0 || item.News.Embargoed(t.Now) { // what readers know is an earlier revision
		return nil
	}
	return db.Exec(t.Conn, `UPDATE revision SET guid = ?, url = ?, published = ?, updated = ? WHERE id = ?`,
		item.ID, item.URL, item.Published, item.Updated, item.latest)
}

// settle stores a document that has no news: quiet changes and its order, which
// becomes that of the latest version.
func (t *tx) settle(ch *channelRow, p *prepared, items []placed, order []byte) error {
	for i := range items {
		if err := t.keep(ch, p, &items[i]); err != nil {
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

func (t *tx) addItem(channel, id int64, m tidings.ItemIdentity, latest int64) error {
	noteMark(t, marking{channel, tidings.KnownItem{Row: id, ItemIdentity: m}})
	return db.Exec(t.Conn, `INSERT INTO item (channel, id, guid, link, title, date, print, latest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		channel, id, int64(m.ID), int64(m.Link), int64(m.Title), int64(m.Date), int64(m.Print), latest)
}

func (t *tx) setItem(channel, id int64, m tidings.ItemIdentity, latest int64) error {
	noteMark(t, marking{channel, tidings.KnownItem{Row: id, ItemIdentity: m}})
	return db.Exec(t.Conn, `UPDATE item SET guid = ?, link = ?, title = ?, date = ?, print = ?, latest = ? WHERE channel = ? AND id = ?`,
		int64(m.ID), int64(m.Link), int64(m.Title), int64(m.Date), int64(m.Print), latest, channel, id)
}

// addRevision stores an item as of one version. It is found by its words soon, see index.
func (t *tx) addRevision(ch *channelRow, update, revision, item, before int64, i *tidings.Item, x *texts) error {
	return db.Exec(t.Conn, `INSERT INTO revision (id, version, channel, item, before, change, guid, url, title, author,
			published, updated, extra, summary, content, raw) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		revision, update, ch.id, item, before, string(i.Change), i.ID, i.URL, i.Title, i.Author,
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

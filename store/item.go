package store

import (
	"encoding/json"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Columns of table revision (r), and how they are read.
const (
	itemColumns = `r.guid, r.url, r.title, r.author, r.published, r.updated, r.extra, r.summary, r.content, r.change`
	itemWidth   = 10
)

func readItem(r *sqlite.Stmt, at int) (i tidings.Item, err error) {
	i = tidings.Item{
		ID:        r.ColumnText(at),
		URL:       r.ColumnText(at + 1),
		Title:     r.ColumnText(at + 2),
		Author:    r.ColumnText(at + 3),
		Published: db.ColumnTime(r, at+4),
		Updated:   db.ColumnTime(r, at+5),
		Change:    tidings.ChangeKind(r.ColumnText(at + 9)),
	}
	x, err := readExtras(r, at)
	if err != nil {
		return i, fmt.Errorf("item %s: %w", i.ID, err)
	}
	i.Enclosures, i.Categories, i.Source, i.News = x.Enclosures, x.Categories, x.Source, x.News
	if i.Summary, err = column.Unpack(db.ColumnBlob(r, at+7)); err != nil {
		return i, err
	}
	i.Content, err = column.Unpack(db.ColumnBlob(r, at+8))
	return i, err
}

// readExtras reads what an item has besides single values, of a row that itemColumns begin at.
func readExtras(r *sqlite.Stmt, at int) (x extras, err error) {
	text := r.ColumnText(at + 6)
	if text == "" {
		return x, nil
	}
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		return x, fmt.Errorf("%w (%w)", db.ErrDamaged, err)
	}
	return x, nil
}

// itemSize is about how much memory an item's texts take.
func itemSize(i *tidings.Item) int { return len(i.Summary) + len(i.Content) + len(i.Title) + 256 }

package column

import (
	"encoding/json"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Columns of an item in table revision (r).
const (
	ItemColumns = `r.guid, r.url, r.title, r.author, r.published, r.updated, r.extra, r.summary, r.content, r.change`
	ItemWidth   = 10
)

// Item reads an item from a row that ItemColumns begin at.
func Item(r *sqlite.Stmt, at int) (i tidings.Item, err error) {
	i = tidings.Item{
		ID:        r.ColumnText(at),
		URL:       r.ColumnText(at + 1),
		Title:     r.ColumnText(at + 2),
		Author:    r.ColumnText(at + 3),
		Published: db.ColumnTime(r, at+4),
		Updated:   db.ColumnTime(r, at+5),
		Change:    tidings.ChangeKind(r.ColumnText(at + 9)),
	}
	x, err := ReadExtras(r, at)
	if err != nil {
		return i, fmt.Errorf("item %s: %w", i.ID, err)
	}
	i.Enclosures, i.Categories, i.Source, i.News, i.Chapters = x.Enclosures, x.Categories, x.Source, x.News, x.Chapters
	if i.Summary, err = Unpack(db.ColumnBlob(r, at+7)); err != nil {
		return i, err
	}
	i.Content, err = Unpack(db.ColumnBlob(r, at+8))
	return i, err
}

// ReadExtras reads what an item has besides single values, of a row that ItemColumns begin at.
func ReadExtras(r *sqlite.Stmt, at int) (x Extras, err error) {
	text := r.ColumnText(at + 6)
	if text == "" {
		return x, nil
	}
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		return x, fmt.Errorf("%w (%w)", db.ErrDamaged, err)
	}
	return x, nil
}

// Extras is what an item has besides single values.
type Extras struct {
	Enclosures []tidings.Enclosure `json:"e,omitempty"`
	Categories []string            `json:"c,omitempty"`
	// SignedBy is the fingerprint of the key by which the item is signed, where a poll had found it before: its
	// version has the finder.
	SignedBy string          `json:"s,omitempty"`
	Source   *tidings.Source `json:"o,omitempty"`
	News     *tidings.News   `json:"n,omitempty"`

	Chapters *tidings.Chapters `json:"h,omitempty"`
}

// PackExtras writes the extras of an item; empty: there are none.
func PackExtras(item tidings.Item, signedBy string) (string, error) {
	if len(item.Enclosures)+len(item.Categories) == 0 && signedBy == "" && item.Source == nil && item.News == nil &&
		item.Chapters == nil {
		return "", nil
	}
	extra, err := json.Marshal(Extras{item.Enclosures, item.Categories, signedBy, item.Source, item.News,
		item.Chapters})
	if err != nil {
		return "", fmt.Errorf("%w item %s: %w", tidings.ErrInvalid, item.ID, err)
	}
	return string(extra), nil
}

package reader

import (
	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// The full text of an item, of a statement about a revision r of it and a subscription s. It is NULL where the account
// of s may not see it.
const (
	fullTextColumns = `x.state, x.revision, r.id, x.fetched, x.shorter, x.why, x.due, s.full_text, x.content, x.before`
	fullTextJoin    = ` LEFT JOIN full_text x ON x.item = r.item
		AND (s.full_text OR EXISTS (SELECT 1 FROM full_text_reader a WHERE a.account = s.account AND a.item = r.item))`
	fullTextWidth = 10
)

// readFullText reads a full text of a row that fullTextColumns begin at; nil if there is none. What it says is read if
// it is preferred, and if whole in any case.
func readFullText(r *sqlite.Stmt, at int, whole bool) (x *tidings.FullText, err error) {
	state := tidings.FullTextState(r.ColumnText(at))
	if state == "" {
		return nil, nil
	}
	x = &tidings.FullText{
		State: state, Fetched: db.ColumnTime(r, at+3), Shorter: r.ColumnBool(at + 4), Why: r.ColumnText(at + 5),
		Due: db.ColumnTime(r, at+6),
	}
	has := !r.ColumnIsNull(at + 8)
	x.Older = has && r.ColumnInt64(at+2) > r.ColumnInt64(at+1)
	x.Preferred = has && r.ColumnBool(at+7) && !x.Shorter && !x.Older
	if !whole && !x.Preferred {
		return x, nil
	}
	if x.Content, err = column.Unpack(db.ColumnBlob(r, at+8)); err != nil || !whole {
		return x, err
	}
	x.Before, err = column.Unpack(db.ColumnBlob(r, at+9))
	return x, err
}

// FullTextOf returns the full text of an item, whether it is preferred or not; nil if the account has not asked for it.
func FullTextOf(conn *sqlite.Conn, account tidings.AccountID, item int64) (x *tidings.FullText, err error) {
	return x, db.Each(conn, `SELECT `+fullTextColumns+
		` FROM item i INDEXED BY item_id CROSS JOIN subscription s ON s.account = ?1 AND s.channel = i.channel
		CROSS JOIN revision r ON r.id = i.latest`+fullTextJoin+` WHERE i.id = ?2`, func(r *sqlite.Stmt) (err error) {
		x, err = readFullText(r, 0, true)
		return err
	}, int64(account), item)
}

// dropUnpreferred leaves out what a full text says unless it is preferred, and what it was before.
func dropUnpreferred(x *tidings.FullText) {
	if x == nil {
		return
	}
	x.Before = ""
	if !x.Preferred {
		x.Content = ""
	}
}

func fullTextSize(x *tidings.FullText) int {
	if x == nil {
		return 0
	}
	return len(x.Content) + len(x.Before)
}

package column

import (
	"encoding/json"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// defaultLimit is how much a query returns that does not say.
const defaultLimit = 50

// MaxResult bounds the text that one query returns, in bytes. Past it a result is
// cut, whatever its limit; the next query goes on behind it.
const MaxResult = 32 << 20

// TextLimit returns after how many bytes of text a result is cut that asks for at most so many; 0: it does not say.
func TextLimit(asked int) int {
	if asked <= 0 {
		return MaxResult
	}
	return min(asked, MaxResult)
}

// Limit returns how much a query returns that asks for so many; 0: it does not say.
func Limit(asked int) int {
	if asked <= 0 {
		return defaultLimit
	}
	return min(asked, tidings.MaxLimit)
}

const updateColumns = `v.id, c.url, c.title, v.version, v.found, v.kind, v.delta, v.base_hash, v.hash,
	v.found_by, v.origin_changed, v.received, v.first, v.last, v.signed_by, v.third_party, v.confirmed_by, v.withdrawn`

// View is how an update is seen where filters leave out some of its items. The zero View leaves out none.
type View struct {
	Account tidings.AccountID // without what filters hide from it
	Silent  bool              // also without what no target of it is to get
}

// Update reads an update that is there.
func Update(conn *sqlite.Conn, id int64, as View) (u tidings.Update, err error) {
	var delta []byte
	var first, last int64
	if err := db.Must(db.One(conn, `SELECT `+updateColumns+
		` FROM version v JOIN channel c ON c.id = v.channel WHERE v.id = ?`,
		func(r *sqlite.Stmt) {
			u = tidings.Update{
				ID:            r.ColumnInt64(0),
				Channel:       r.ColumnText(1),
				Title:         r.ColumnText(2),
				Version:       tidings.Version(r.ColumnInt64(3)),
				Time:          db.ColumnTime(r, 4),
				Kind:          tidings.Kind(r.ColumnText(5)),
				BaseHash:      r.ColumnText(7),
				Hash:          r.ColumnText(8),
				FoundBy:       r.ColumnText(9),
				OriginChanged: db.ColumnTime(r, 10),
				Received:      db.ColumnTime(r, 11),
				SignedBy:      r.ColumnText(14),
				ThirdParty:    r.ColumnBool(15),
				ConfirmedBy:   Nodes(r, 16),
				Withdrawn:     Withdrawal(r, 17),
			}
			delta = db.ColumnBlob(r, 6)
			first, last = r.ColumnInt64(12), r.ColumnInt64(13)
		}, id)); err != nil {
		return u, err
	}
	if u.Delta, err = Unpack(delta); err != nil {
		return u, err
	}
	return u, db.Each(conn, `SELECT `+ItemColumns+` FROM revision r WHERE r.id BETWEEN ? AND ?
			AND NOT EXISTS (SELECT 1 FROM filtered h WHERE h.account = ? AND h.item = r.item
				AND (h.hidden != 0 OR ? AND h.silent != 0 AND h.revision = r.id)) ORDER BY r.id DESC`,
		func(r *sqlite.Stmt) error {
			item, err := Item(r, 0)
			// On a page, an item without an ID stands for the version, which is reported by its delta. In a
			// feed it is an item with neither guid nor link.
			if item.ID != "" || u.Kind != tidings.KindPage {
				u.Items = append(u.Items, item)
			}
			return err
		}, first, last, int64(as.Account), as.Silent)
}

// UpdateSize is about how many bytes of memory an update's texts need.
func UpdateSize(u *tidings.Update) int {
	size := len(u.Delta)
	for i := range u.Items {
		size += ItemSize(&u.Items[i])
	}
	return size
}

// ItemSize is about how many bytes of memory an item's texts need.
func ItemSize(i *tidings.Item) int { return len(i.Summary) + len(i.Content) + len(i.Title) + 256 }

// Withdrawal reads why an update is withdrawn; nil: it is not.
func Withdrawal(r *sqlite.Stmt, at int) *tidings.Withdrawal {
	text := r.ColumnText(at)
	if text == "" {
		return nil
	}
	w := new(tidings.Withdrawal)
	if err := json.Unmarshal([]byte(text), w); err != nil {
		w.Reason = "nobody knows any more why" // it is false all the same
	}
	return w
}

package reader

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/words"
)

// mergeMax is up to how many channels a river is merged from their own rivers; for
// more it is read from the end, skipping what is not asked for.
const mergeMax = 300

// selection is an EntryQuery made ready for the database.
type selection struct {
	account       int64
	before, after int64 // revisions between, both left out
	unread, star  bool
	search        *words.Query // nil: no search
	all           bool         // every channel that the account follows
	channels      []int64      // these; if all, no more than mergeMax+1 of them
}

func newSelection(conn *sqlite.Conn, account tidings.AccountID, q tidings.EntryQuery) (*selection, error) {
	sel := &selection{
		account: int64(account), before: q.Before, after: q.After, unread: q.Unread, star: q.Starred,
	}
	if sel.before <= 0 {
		sel.before = math.MaxInt64
	}
	if strings.TrimSpace(q.Search) != "" {
		sel.search = words.Parse(q.Search)
	}
	if q.Channel != "" {
		sub, err := oneSubscription(conn, account, q.Channel)
		if err != nil {
			return nil, err
		}
		if q.Folder == "" || inFolder(sub.folder, q.Folder) {
			sel.channels = []int64{sub.channel}
		}
		return sel, nil
	}
	sel.all = q.Folder == ""
	limit, condition := -1, ``
	switch {
	case sel.unread && sel.search == nil && !sel.star: // those that have some, the one with the latest version first
		condition = ` AND c.kept > s.read ORDER BY c.latest DESC`
	case sel.all:
		limit = mergeMax + 1 // beyond, which they are is asked row by row
	}
	err := db.Each(conn, `SELECT s.channel, s.folder FROM subscription s JOIN channel c ON c.id = s.channel WHERE s.account = ?`+condition+` LIMIT +?`, func(r *sqlite.Stmt) error {
		if sel.all || inFolder(r.ColumnText(1), q.Folder) {
			sel.channels = append(sel.channels, r.ColumnInt64(0))
		}
		return nil
	}, sel.account, limit)
	return sel, err
}

// inFolder reports whether folder is wanted or lies within it.
func inFolder(folder, wanted string) bool {
	rest, ok := strings.CutPrefix(tidings.CleanFolder(folder), tidings.CleanFolder(wanted))
	return ok && (rest == "" || rest[0] == '/')
}

// ids returns up to limit revisions, newest first.
func (sel *selection) ids(conn *sqlite.Conn, limit int) ([]int64, error) {
	switch {
	case len(sel.channels) == 0:
		return nil, nil
	case sel.search != nil && sel.search.Empty():
		return nil, nil
	case sel.search != nil:
		return sel.sweep(conn, `search f CROSS JOIN revision r ON r.id = f.rowid`, `f.rowid`,
			` AND f.search MATCH ?4`, limit)
	case sel.star:
		return sel.sweep(conn, `star f CROSS JOIN item i ON i.id = f.item CROSS JOIN revision r ON r.id = i.latest`, `r.id`,
			` AND f.account = ?1`, limit)
	case sel.unread:
		return sel.unreadOf(conn, limit)
	case !sel.all || len(sel.channels) <= mergeMax:
		return sel.merge(conn, limit)
	}
	return sel.sweep(conn, `revision r`, `r.id`, ``, limit)
}

// filters returns the conditions on a revision that hold besides channel and place.
func (sel *selection) filters() string {
	sql := ``
	if sel.unread {
		sql += ` AND EXISTS (SELECT 1 FROM item i JOIN subscription s ON s.account = ?1 AND s.channel = i.channel
			WHERE i.channel = r.channel AND i.id = r.item AND i.latest = r.id AND i.latest > ` + read + `)`
	}
	if sel.star {
		sql += ` AND EXISTS (SELECT 1 FROM star t WHERE t.account = ?1 AND t.item = r.item)
			AND r.id = (SELECT i.latest FROM item i WHERE i.channel = r.channel AND i.id = r.item)`
	}
	return sql
}

// sweep reads a source from its newest row on, passing over channels that are not
// asked for; key is its column that holds the revision.
func (sel *selection) sweep(conn *sqlite.Conn, source, key, condition string, limit int) (ids []int64, err error) {
	args := []any{sel.account, sel.before, sel.after}
	if sel.search != nil {
		args = append(args, sel.search.Match())
	}
	wanted := make(map[int64]struct{}, len(sel.channels))
	if sel.all {
		condition += ` AND EXISTS (SELECT 1 FROM subscription s WHERE s.account = ?1 AND s.channel = r.channel)`
	} else {
		for _, channel := range sel.channels {
			wanted[channel] = struct{}{}
		}
	}
	err = db.Each(conn, `SELECT `+key+`, r.channel FROM `+source+`
		WHERE `+key+` < ?2 AND `+key+` > ?3`+condition+sel.filters()+` ORDER BY `+key+` DESC`,
		func(r *sqlite.Stmt) error {
			if _, ok := wanted[r.ColumnInt64(1)]; ok || sel.all {
				ids = append(ids, r.ColumnInt64(0))
			}
			if len(ids) == limit {
				return errEnough
			}
			return nil
		}, args...)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return ids, err
}

// errEnough ends the reading of rows.
var errEnough = errors.New("enough rows")

// merge takes the newest of each channel, and the newest of those.
func (sel *selection) merge(conn *sqlite.Conn, limit int) (ids []int64, err error) {
	sql := `SELECT r.id FROM revision r WHERE r.channel = ?4 AND r.id < ?2 AND r.id > ?3` + sel.filters() +
		` ORDER BY r.id DESC LIMIT +?5`
	after := sel.after
	for _, channel := range sel.channels {
		if err := db.Each(conn, sql, func(r *sqlite.Stmt) error {
			ids = append(ids, r.ColumnInt64(0))
			return nil
		}, sel.account, sel.before, after, channel, limit); err != nil {
			return nil, err
		}
		if len(ids) >= 4*limit {
			ids = newest(ids, limit)
			after = ids[limit-1] // nothing older can be among the newest
		}
	}
	return newest(ids, limit), nil
}

// unreadOf returns the newest unread ones: of each channel those above what was seen there that have no mark, or one of an earlier
// revision, and those that are marked unread.
func (sel *selection) unreadOf(conn *sqlite.Conn, limit int) (ids []int64, err error) {
	after := sel.after
	for _, channel := range sel.channels {
		if full := len(ids) >= limit; full {
			last := int64(0)
			if _, err := db.One(conn, `SELECT v.last FROM channel c JOIN version v ON v.id = c.latest WHERE c.id = ?`, func(r *sqlite.Stmt) { last = r.ColumnInt64(0) }, channel); err != nil {
				return nil, err
			}
			if last > 0 && last <= after {
				break // nor can those of the channels that follow
			}
		}
		for _, sql := range []string{
			`SELECT i.latest FROM subscription s CROSS JOIN item i ON i.channel = s.channel
				WHERE s.account = ?1 AND s.channel = ?4 AND i.latest < ?2 AND i.latest > max(?3, s.seen) AND i.latest > ` + read + `
				ORDER BY i.latest DESC LIMIT +?5`,
			`SELECT i.latest FROM mark m CROSS JOIN subscription s ON s.account = m.account AND s.channel = m.channel
				CROSS JOIN item i ON i.channel = m.channel AND i.id = m.item
				WHERE m.account = ?1 AND m.channel = ?4 AND m.read = 0 AND i.latest < ?2 AND i.latest > ?3 AND i.latest <= s.seen
				ORDER BY i.latest DESC LIMIT +?5`,
		} {
			if err := db.Each(conn, sql, func(r *sqlite.Stmt) error {
				ids = append(ids, r.ColumnInt64(0))
				return nil
			}, sel.account, sel.before, after, channel, limit); err != nil {
				return nil, err
			}
		}
		if len(ids) >= limit {
			ids = newest(ids, limit)
			after = ids[limit-1] // nothing older can be among the newest
		}
	}
	return newest(ids, limit), nil
}

func newest(ids []int64, limit int) []int64 {
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids[:min(limit, len(ids))]
}

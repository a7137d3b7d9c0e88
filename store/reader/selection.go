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
	if sel.all && sel.unread && sel.search == nil && !sel.star {
		return sel, nil // which channels they are is asked where it matters
	}
	limit := -1
	if sel.all {
		limit = mergeMax + 1 // beyond, which they are is asked row by row
	}
	err := db.Each(conn, `SELECT channel, folder FROM subscription WHERE account = ? LIMIT +?`, func(r *sqlite.Stmt) error {
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
	case sel.unread && sel.search == nil && !sel.star:
		return sel.unreadOf(conn, limit)
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

// unreadOf returns the newest unread ones. What is unread is mostly new: of all channels the newest entries are looked through first,
// and channel by channel only what lies behind these.
func (sel *selection) unreadOf(conn *sqlite.Conn, limit int) ([]int64, error) {
	if !sel.all {
		return sel.unreadByChannel(conn, limit)
	}
	ids, before, err := sel.unreadAmongNewest(conn, limit)
	if err != nil || before <= sel.after || len(ids) == limit {
		return ids, err
	}
	rest := *sel
	rest.before = before
	if rest.channels, err = unreadChannels(conn, sel.account); err != nil {
		return nil, err
	}
	more, err := rest.unreadByChannel(conn, limit-len(ids))
	return append(ids, more...), err
}

// lookedThrough is how many of the newest entries unreadAmongNewest reads for each that is asked for.
const lookedThrough = 8

// unreadAmongNewest returns unread ones among the newest entries, and the entry that was read last; 0: there are no more.
func (sel *selection) unreadAmongNewest(conn *sqlite.Conn, limit int) (ids []int64, last int64, err error) {
	n := 0
	err = db.Each(conn, `SELECT r.id, i.latest = r.id AND i.latest > `+read+` FROM revision r
			CROSS JOIN item i ON i.channel = r.channel AND i.id = r.item
			LEFT JOIN subscription s ON s.account = ?1 AND s.channel = r.channel
		WHERE r.id < ?2 AND r.id > ?3 ORDER BY r.id DESC LIMIT +?4`, func(r *sqlite.Stmt) error {
		n++
		if last = r.ColumnInt64(0); r.ColumnBool(1) {
			ids = append(ids, last)
		}
		if len(ids) == limit {
			return errEnough
		}
		return nil
	}, sel.account, sel.before, sel.after, lookedThrough*limit)
	if errors.Is(err, errEnough) {
		err = nil
	}
	if n < lookedThrough*limit && len(ids) < limit {
		last = 0
	}
	return ids, last, err
}

// unreadChannels returns the channels in which something is unread, that of the latest version first.
func unreadChannels(conn *sqlite.Conn, account int64) (channels []int64, err error) {
	return channels, db.Each(conn, `SELECT s.channel FROM subscription s JOIN channel c ON c.id = s.channel
		WHERE s.account = ? AND c.kept > s.read ORDER BY c.latest DESC`, func(r *sqlite.Stmt) error {
		channels = append(channels, r.ColumnInt64(0))
		return nil
	}, account)
}

// unreadByChannel returns the newest of some channels that are unread: of each those above what was seen there that have no mark, or
// one of an earlier revision, and those that are marked unread.
func (sel *selection) unreadByChannel(conn *sqlite.Conn, limit int) (ids []int64, err error) {
	after := sel.after
	for _, channel := range sel.channels {
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
		if len(ids) >= 4*limit {
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

package reader

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
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
	label         string       // with this; empty: any
	labels        []string     // and with these
	hides         bool         // filters hide something from the account
	all           bool         // every channel that the account follows
	channels      []int64      // these; if all, no more than mergeMax+1 of them
	rising        bool         // from the oldest on
	twins         bool         // there are items that stand in two channels

	byDate        bool
	behind, ahead tidings.Place // by date: items between, both left out
}

func newSelection(conn *sqlite.Conn, account tidings.AccountID, q tidings.EntryQuery) (*selection, error) {
	sel := &selection{
		account: int64(account), before: q.Before, after: q.After, unread: q.Unread, star: q.Starred, rising: q.Rising,
		byDate: q.ByDate, behind: q.Behind, ahead: q.Ahead, label: q.Label,
	}
	var err error
	if sel.hides, err = hides(conn, sel.account); err != nil {
		return nil, err
	}
	if sel.before <= 0 {
		sel.before = math.MaxInt64
	}
	if sel.twins, err = db.One(conn, `SELECT 1 FROM selected INDEXED BY selected_of WHERE of != 0 LIMIT 1`,
		nil); err != nil {
		return nil, err
	}
	var wanted []string // tags
	if q.Tag != "" {
		wanted = []string{q.Tag}
	}
	if strings.TrimSpace(q.Search) != "" {
		if sel.byDate {
			return nil, tidings.Invalidf("a search is not sorted by date")
		}
		asked := words.Parse(q.Search)
		wanted = append(wanted, asked.Tags...)
		if sel.labels = asked.Labels; sel.label == "" && len(sel.labels) > 0 {
			sel.label, sel.labels = sel.labels[0], sel.labels[1:]
		}
		if !asked.Empty() || !asked.Names() {
			sel.search = asked
		}
	}
	if q.Channel != "" {
		sub, err := oneSubscription(conn, account, q.Channel)
		if err != nil {
			return nil, err
		}
		tags, err := tagsOf(conn, account, sub.channel)
		if err != nil {
			return nil, err
		}
		if (q.Folder == "" || inFolder(sub.folder, q.Folder)) && hasAll(tags[sub.channel], wanted) {
			sel.channels = []int64{sub.channel}
		}
		return sel, nil
	}
	sel.all = q.Folder == "" && len(wanted) == 0
	if sel.all && sel.unread && sel.search == nil && !sel.star && sel.label == "" {
		return sel, nil // which channels they are is asked where it matters
	}
	limit := -1
	if sel.all {
		limit = mergeMax + 1 // beyond, which they are is asked row by row
	}
	err = db.Each(conn, `SELECT channel, folder FROM subscription s WHERE account = ?1
		AND NOT EXISTS (SELECT 1 FROM json_each(?2) w WHERE NOT EXISTS
			(SELECT 1 FROM tag g WHERE g.account = ?1 AND g.channel = s.channel AND g.name = w.value))
			LIMIT +?3`, func(r *sqlite.Stmt) error {
		if q.Folder == "" || inFolder(r.ColumnText(1), q.Folder) {
			sel.channels = append(sel.channels, r.ColumnInt64(0))
		}
		return nil
	}, sel.account, namesJSON(wanted), limit)
	return sel, err
}

// hasAll reports whether all names that are wanted are among those that there are.
func hasAll(names, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(names, name) })
}

// namesJSON returns names as SQL reads them by json_each.
func namesJSON(names []string) string {
	text, err := json.Marshal(names)
	if err != nil || names == nil {
		return "[]"
	}
	return string(text)
}

// inFolder reports whether folder is wanted or lies within it.
func inFolder(folder, wanted string) bool {
	rest, ok := strings.CutPrefix(tidings.CleanFolder(folder), tidings.CleanFolder(wanted))
	return ok && (rest == "" || rest[0] == '/')
}

// ids returns up to limit revisions, newest first unless they are to be rising.
func (sel *selection) ids(conn *sqlite.Conn, limit int) ([]int64, error) {
	switch {
	case sel.byDate:
		return sel.dated(conn, limit)
	case sel.unread && sel.search == nil && !sel.star && sel.label == "":
		return sel.unreadOf(conn, limit)
	case len(sel.channels) == 0:
		return nil, nil
	case sel.search != nil && sel.search.Empty():
		return nil, nil
	case sel.search != nil:
		return sel.sweep(conn, `search f CROSS JOIN revision r ON r.id = f.rowid`, `f.rowid`,
			` AND f.search MATCH ?4`, limit)
	case sel.label != "":
		return sel.sweep(conn, `label f CROSS JOIN item i ON i.id = f.item CROSS JOIN revision r ON r.id = i.latest`,
			`r.id`,
			` AND f.account = ?1 AND f.name = ?4`, limit)
	case sel.star:
		return sel.sweep(conn, `star f CROSS JOIN item i ON i.id = f.item CROSS JOIN revision r ON r.id = i.latest`,
			`r.id`,
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
	if sel.hides {
		sql += ` AND NOT ` + isHidden(`?1`, `r.item`)
	}
	if sel.star {
		sql += ` AND EXISTS (SELECT 1 FROM star t WHERE t.account = ?1 AND t.item = r.item)
			AND r.id = (SELECT i.latest FROM item i WHERE i.channel = r.channel AND i.id = r.item)`
	}
	return sql
}

// once returns the condition that an item is not the copy of another that is selected as well (see twin.go): its number
// is item, and what within returns is the parameter there. Among what is unread, both have to be unread.
func (sel *selection) once(item, there string) string {
	switch {
	case !sel.twins || sel.star || sel.label != "" || !sel.all && len(sel.channels) < 2:
		return ``
	case sel.unread:
		return ` AND NOT EXISTS (SELECT 1 FROM twice w WHERE w.account = ?1 AND w.item = ` + item + `
			AND (` + there + ` = '' OR w.of_channel IN (SELECT value FROM json_each(` + there + `))))`
	}
	shown := ``
	if sel.hides { // an item that is not listed stands for no other
		shown = ` AND NOT ` + isHidden(`?1`, `w.of`)
	}
	return ` AND NOT EXISTS (SELECT 1 FROM selected w JOIN subscription o ON o.account = ?1 AND o.channel = w.of_channel
		WHERE w.item = ` + item + ` AND w.of != 0` + shown + ` AND (` + there + ` = '' OR w.of_channel IN (SELECT value FROM json_each(` + there + `))))`
}

// onceArgs are the arguments of the condition that once returns.
func (sel *selection) onceArgs() []any {
	if sel.once(``, ``) == `` {
		return nil
	}
	return []any{sel.within()}
}

// within returns the selected channels as once needs them.
func (sel *selection) within() string {
	if sel.all || !sel.twins {
		return ""
	}
	return numbersJSON(sel.channels)
}

// order is the direction in which revisions are read.
func (sel *selection) order() string {
	if sel.rising {
		return ` ASC`
	}
	return ` DESC`
}

// first sorts revisions, and returns the first of them.
func (sel *selection) first(ids []int64, limit int) []int64 {
	slices.SortFunc(ids, func(a, b int64) int {
		if sel.rising {
			a, b = b, a
		}
		return cmp.Compare(b, a)
	})
	return ids[:min(limit, len(ids))]
}

// narrow leaves out what cannot be among the first revisions, of which last is the last.
func (sel *selection) narrow(last int64) {
	if sel.rising {
		sel.before = last
	} else {
		sel.after = last
	}
}

// sweep reads a source from its first row on, passing over channels that are not
// asked for; key is its column that holds the revision.
func (sel *selection) sweep(conn *sqlite.Conn, source, key, condition string, limit int) (ids []int64, err error) {
	args := []any{sel.account, sel.before, sel.after}
	switch {
	case sel.search != nil && sel.label != "":
		args = append(args, sel.search.Match(), sel.label)
		condition += ` AND EXISTS (SELECT 1 FROM label l WHERE l.account = ?1 AND l.name = ?5 AND l.item = r.item)
			AND r.id = (SELECT i.latest FROM item i WHERE i.channel = r.channel AND i.id = r.item)`
	case sel.search != nil:
		args = append(args, sel.search.Match())
	case sel.label != "":
		args = append(args, sel.label)
	}
	if len(sel.labels) > 0 {
		args = append(args, namesJSON(sel.labels))
		condition += fmt.Sprintf(` AND NOT EXISTS (SELECT 1 FROM json_each(?%d) w WHERE NOT EXISTS
			(SELECT 1 FROM label l WHERE l.account = ?1 AND l.name = w.value AND l.item = r.item))`, len(args))
	}
	condition += sel.once(`r.item`, fmt.Sprint(`?`, len(args)+1))
	args = append(args, sel.onceArgs()...)
	wanted := make(map[int64]struct{}, len(sel.channels))
	if sel.all {
		condition += ` AND EXISTS (SELECT 1 FROM subscription s WHERE s.account = ?1 AND s.channel = r.channel)`
	} else {
		for _, channel := range sel.channels {
			wanted[channel] = struct{}{}
		}
	}
	err = db.Each(conn, `SELECT `+key+`, r.channel FROM `+source+`
		WHERE `+key+` < ?2 AND `+key+` > ?3`+condition+sel.filters()+` ORDER BY `+key+sel.order(),
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

// merge reads the first revisions of each channel, and returns the first of those.
func (sel *selection) merge(conn *sqlite.Conn, limit int) (ids []int64, err error) {
	sql := `SELECT r.id FROM revision r WHERE r.channel = ?4 AND r.id < ?2 AND r.id > ?3` +
		sel.filters() + sel.once(`r.item`, `?6`) +
		` ORDER BY r.id` + sel.order() + ` LIMIT +?5`
	rest, args := *sel, sel.onceArgs()
	for _, channel := range sel.channels {
		if err := db.Each(conn, sql, func(r *sqlite.Stmt) error {
			ids = append(ids, r.ColumnInt64(0))
			return nil
		}, append([]any{sel.account, rest.before, rest.after, channel, limit}, args...)...); err != nil {
			return nil, err
		}
		if len(ids) >= 4*limit {
			ids = sel.first(ids, limit)
			rest.narrow(ids[limit-1])
		}
	}
	return sel.first(ids, limit), nil
}

// unreadOf returns the newest unread ones. What is unread is mostly new: of all channels the newest entries are looked
// through first, and channel by channel only what lies behind these.
func (sel *selection) unreadOf(conn *sqlite.Conn, limit int) ([]int64, error) {
	if !sel.all {
		return sel.unreadByChannel(conn, limit)
	}
	if sel.rising {
		rest := *sel
		var err error
		if rest.channels, err = unreadChannels(conn, sel.account); err != nil {
			return nil, err
		}
		return rest.unreadByChannel(conn, limit)
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

// unreadAmongNewest returns unread ones among the newest entries, and the entry that was read last; 0: there are no
// more.
func (sel *selection) unreadAmongNewest(conn *sqlite.Conn, limit int) (ids []int64, last int64, err error) {
	n := 0
	err = db.Each(conn, `SELECT r.id, i.latest = r.id AND i.latest > `+read+sel.once(`i.id`, `?5`)+` FROM revision r
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
	}, append([]any{sel.account, sel.before, sel.after, lookedThrough * limit}, sel.onceArgs()...)...)
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

// unreadByChannel returns the newest unread items of the selected channels. Of each channel these are the items above
// its seen revision without a mark or with one of an earlier revision, and those marked unread.
func (sel *selection) unreadByChannel(conn *sqlite.Conn, limit int) (ids []int64, err error) {
	rest, args := *sel, sel.onceArgs()
	for _, channel := range sel.channels {
		for _, sql := range []string{
			`SELECT i.latest FROM subscription s CROSS JOIN item i ON i.channel = s.channel
				WHERE s.account = ?1 AND s.channel = ?4 AND i.latest < ?2 AND i.latest > max(?3, s.seen)
				AND i.latest > ` + read + sel.once(`i.id`, `?6`) + `
				ORDER BY i.latest` + sel.order() + ` LIMIT +?5`,
			`SELECT i.latest FROM mark m CROSS JOIN subscription s ON s.account = m.account AND s.channel = m.channel
				CROSS JOIN item i ON i.channel = m.channel AND i.id = m.item
				WHERE m.account = ?1 AND m.channel = ?4 AND m.read = 0 AND i.latest < ?2 AND i.latest > ?3
				AND i.latest <= s.seen` + sel.once(`i.id`, `?6`) + `
				ORDER BY i.latest` + sel.order() + ` LIMIT +?5`,
		} {
			if err := db.Each(conn, sql, func(r *sqlite.Stmt) error {
				ids = append(ids, r.ColumnInt64(0))
				return nil
			}, append([]any{sel.account, rest.before, rest.after, channel, limit}, args...)...); err != nil {
				return nil, err
			}
		}
		if len(ids) >= 4*limit {
			ids = sel.first(ids, limit)
			rest.narrow(ids[limit-1])
		}
	}
	return sel.first(ids, limit), nil
}

package reader

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// A channel with more than manyUnread unread items, or with more than one of denseParts items unread, is read by date,
// and read items are skipped. Of other channels all unread items are sorted.
const (
	manyUnread = 500
	denseParts = 4
)

// datedItem is an item where it stands among others by its date.
type datedItem struct{ at, item, latest int64 }

// between is the part of the order by date that is looked through, in microseconds since 1970; both ends are left out.
type between struct{ newer, older datedItem }

func (sel *selection) between() between {
	b := between{newer: datedItem{at: math.MaxInt64}, older: datedItem{at: math.MinInt64}}
	if sel.behind.Item != 0 {
		b.newer = datedItem{at: sel.behind.Dated.UnixMicro(), item: sel.behind.Item}
	}
	if sel.ahead.Item != 0 {
		b.older = datedItem{at: sel.ahead.Dated.UnixMicro(), item: sel.ahead.Item}
	}
	return b
}

// source is a part of a statement from FROM on, with a condition on the channel ?6, that gives items i.
type source struct {
	from  string
	value any   // of ?6
	first int64 // no item that it gives stands before this date
}

const (
	allByDate      = `subscription s CROSS JOIN item i INDEXED BY item_dated ON i.channel = s.channel WHERE s.account = ?1 AND s.channel = ?6`
	unreadByDate   = allByDate + ` AND i.latest > ` + read
	unreadByUpdate = `subscription s CROSS JOIN item i INDEXED BY item_latest ON i.channel = s.channel AND i.latest > s.seen
		WHERE s.account = ?1 AND s.channel = ?6 AND i.latest > ` + read
	unreadByMark = `mark m INDEXED BY mark_unread CROSS JOIN subscription s ON s.account = m.account AND s.channel = m.channel
		CROSS JOIN item i ON i.channel = m.channel AND i.id = m.item
		WHERE m.account = ?1 AND m.channel = ?6 AND m.read = 0 AND i.latest <= s.seen`
	labelledByDate = `label f CROSS JOIN item i ON i.id = f.item CROSS JOIN subscription s ON s.account = f.account AND s.channel = i.channel
		WHERE f.account = ?1 AND (?6 = '' OR s.channel IN (SELECT value FROM json_each(?6))) AND f.name = ?10`
	starredByDate = `star f CROSS JOIN item i ON i.id = f.item CROSS JOIN subscription s ON s.account = f.account AND s.channel = i.channel
		WHERE f.account = ?1 AND (?6 = '' OR s.channel IN (SELECT value FROM json_each(?6)))`
)

// dated returns up to limit latest revisions of items, by the dates of these.
func (sel *selection) dated(conn *sqlite.Conn, limit int) ([]int64, error) {
	sources, err := sel.sources(conn)
	if err != nil {
		return nil, err
	}
	var found []datedItem
	rest := sel.between()
	shown := ``
	if sel.hides {
		shown = ` AND NOT ` + isHidden(`?1`, `i.id`)
	}
	for _, s := range sources {
		if sel.rising && s.first > rest.newer.at || !sel.rising && s.first < rest.older.at {
			break // so are those that follow
		}
		args := []any{sel.account, rest.newer.at, rest.newer.item, rest.older.at, rest.older.item, s.value, limit,
			sel.before, sel.after}
		if sel.label != "" {
			args = append(args, sel.label)
		}
		once := sel.once(`i.id`, fmt.Sprint(`?`, len(args)+1))
		args = append(args, sel.onceArgs()...)
		err := db.Each(conn, `SELECT i.dated, i.id, i.latest FROM `+s.from+shown+` AND i.latest != 0
				AND (i.dated, i.id) < (?2, ?3) AND (i.dated, i.id) > (?4, ?5) AND i.latest < ?8 AND i.latest > ?9`+once+`
				ORDER BY i.dated`+sel.order()+`, i.id`+sel.order()+` LIMIT +?7`, func(r *sqlite.Stmt) error {
			found = append(found, datedItem{r.ColumnInt64(0), r.ColumnInt64(1), r.ColumnInt64(2)})
			return nil
		}, args...)
		if err != nil {
			return nil, err
		}
		if len(found) >= 4*limit {
			found = sel.firstDated(found, limit)
			if last := found[limit-1]; sel.rising {
				rest.newer = last
			} else {
				rest.older = last
			}
		}
	}
	var ids []int64
	for _, one := range sel.firstDated(found, limit) {
		ids = append(ids, one.latest)
	}
	return ids, nil
}

// sources returns the sources of the selected items, without duplicates. The channel whose items come first is the
// first.
func (sel *selection) sources(conn *sqlite.Conn) (all []source, err error) {
	if sel.star || sel.label != "" {
		from := starredByDate
		if sel.label != "" {
			from = labelledByDate
		}
		if sel.label != "" && sel.star {
			from += ` AND EXISTS (SELECT 1 FROM star t WHERE t.account = ?1 AND t.item = i.id)`
		}
		if sel.unread {
			from += ` AND i.latest > ` + read
		}
		channels := ""
		if !sel.all {
			channels = numbersJSON(sel.channels)
		}
		return []source{{from, channels, sel.edge()}}, nil
	}
	marked, err := sel.markedUnread(conn)
	if err != nil {
		return nil, err
	}
	// The first date of a channel is that of any item: what is read or hidden only makes it come sooner than it has to.
	first := `SELECT i.dated FROM item i INDEXED BY item_dated WHERE i.channel = s.channel AND i.dated <= ?2
		AND i.dated >= ?3 ORDER BY i.dated` + sel.order() + ` LIMIT 1`
	sql := `SELECT s.channel, c.kept, c.kept - s.read, (` + first +
		`) AS first FROM subscription s JOIN channel c ON c.id = s.channel WHERE s.account = ?1`
	part := sel.between()
	args := []any{sel.account, part.newer.at, part.older.at}
	if !sel.all {
		sql += ` AND s.channel IN (SELECT value FROM json_each(?4))`
		args = append(args, numbersJSON(sel.channels))
	}
	return all, db.Each(conn, sql+` ORDER BY first`+sel.order(), func(r *sqlite.Stmt) error {
		if r.ColumnType(3) == sqlite.TypeNull {
			return nil // it has nothing there
		}
		channel, kept, unread, first := r.ColumnInt64(0), r.ColumnInt(1), r.ColumnInt(2), r.ColumnInt64(3)
		switch _, some := marked[channel]; {
		case !sel.unread:
			all = append(all, source{allByDate, channel, first})
		case unread > manyUnread || unread*denseParts > kept:
			all = append(all, source{unreadByDate, channel, first})
		case unread > 0 && some:
			all = append(all, source{unreadByUpdate, channel, first}, source{unreadByMark, channel, first})
		case unread > 0:
			all = append(all, source{unreadByUpdate, channel, first})
		}
		return nil
	}, args...)
}

// edge returns the date at which the order by date begins.
func (sel *selection) edge() int64 {
	if sel.rising {
		return math.MinInt64
	}
	return math.MaxInt64
}

// markedUnread returns the channels of which something is marked unread.
func (sel *selection) markedUnread(conn *sqlite.Conn) (map[int64]struct{}, error) {
	if !sel.unread {
		return nil, nil
	}
	marked := make(map[int64]struct{})
	return marked,
		db.Each(conn, `SELECT DISTINCT channel FROM mark INDEXED BY mark_unread WHERE account = ? AND read = 0`,
			func(r *sqlite.Stmt) error {
				marked[r.ColumnInt64(0)] = struct{}{}
				return nil
			}, sel.account)
}

// firstDated sorts items, and returns the first of them.
func (sel *selection) firstDated(all []datedItem, limit int) []datedItem {
	slices.SortFunc(all, func(a, b datedItem) int {
		if sel.rising {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.item, a.item))
	})
	return all[:min(limit, len(all))]
}

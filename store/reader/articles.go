package reader

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/words"
)

// An article is an item as an account sees it now: its latest revision, and what the account did with it. It is what
// programs on phones keep copies of. They know it by the number of the item. An edit may be one too, see edit.go.

// Which says which articles a query asks for by one of their states.
type Which uint8

// Articles in a state, or not in it, or both.
const (
	Any Which = iota
	Only
	Without
)

// Span is a range of time, with From and without Before. A zero time is no bound.
type Span struct{ From, Before time.Time }

// Order is by what articles are sorted; equal ones by their numbers.
type Order uint8

// The orders.
const (
	ByNumber Order = iota
	ByPublished
	ByChanged
)

// ArticleQuery asks for articles. The zero value of a field asks for all.
type ArticleQuery struct {
	Channels        []int64 // of these; nil: of all that are followed
	Label, NotLabel string
	Search          string
	Read, Starred   Which
	After, Before   int64 // numbers of items between these, both left out; 0: no bound

	Arrived   Span // when readers were first shown the item
	Published Span // as it claims, unless that is before 1970 or after it arrived: then that
	Changed   Span // when the item or what the account did with it changed last

	Order         Order
	Ascending     bool
	Limit, Offset int // Limit 0: all
}

// articleQuery is an ArticleQuery as a statement under way.
type articleQuery struct {
	ArticleQuery
	form  *form
	args  []any
	where strings.Builder
}

// arg adds an argument and returns what stands for it.
func (q *articleQuery) arg(v any) string {
	q.args = append(q.args, v)
	return fmt.Sprintf("?%d", len(q.args))
}

func (q *articleQuery) and(condition string) { q.where.WriteString(" AND " + condition) }

func (q *articleQuery) within(what string, span Span) {
	if !span.From.IsZero() {
		q.and(what + " >= " + q.arg(span.From))
	}
	if !span.Before.IsZero() {
		q.and(what + " < " + q.arg(span.Before))
	}
}

func (q *articleQuery) is(which Which, condition string) {
	switch which {
	case Only:
		q.and(condition)
	case Without:
		q.and("NOT " + condition)
	}
}

// newArticleQuery writes the conditions. Values are bound, and never written, so that few statements are compiled.
func newArticleQuery(account tidings.AccountID, of ArticleQuery, f *form, hides bool) *articleQuery {
	q := &articleQuery{ArticleQuery: of, form: f, args: []any{int64(account)}}
	q.and(`i.latest != 0`)
	if hides {
		q.and(`NOT ` + f.isHidden())
	}
	if q.Channels != nil {
		q.and(`s.channel IN (SELECT value FROM json_each(` + q.arg(numbersJSON(q.Channels)) + `))`)
	}
	if q.After > 0 {
		q.and(`i.id > ` + q.arg(q.After))
	}
	if q.Before != 0 {
		q.and(`i.id < ` + q.arg(q.Before))
	}
	if asked := words.Parse(q.Search); asked.Names() {
		for _, name := range asked.Labels {
			q.and(f.isLabeled() + q.arg(name) + `)`)
		}
		if len(asked.Tags) > 0 {
			q.and(`NOT EXISTS (SELECT 1 FROM json_each(` + q.arg(namesJSON(asked.Tags)) + `) w WHERE NOT EXISTS
				(SELECT 1 FROM tag g WHERE g.account = ?1 AND g.channel = s.channel AND g.name = w.value))`)
		}
		if asked.Empty() {
			q.Search = ""
		}
	}
	if q.Label != "" {
		q.and(f.isLabeled() + q.arg(q.Label) + `)`)
	}
	if q.NotLabel != "" {
		q.and(`NOT ` + f.isLabeled() + q.arg(q.NotLabel) + `)`)
	}
	q.is(q.Read, f.isRead)
	q.is(q.Starred, f.isStarred())
	q.within(`i.arrived`, q.Arrived)
	q.within(f.published(), q.Published)
	q.within(f.changed, q.Changed)
	return q
}

func numbersJSON(numbers []int64) string {
	text, err := json.Marshal(numbers)
	if err != nil {
		panic(err) // numbers can be written
	}
	return string(text)
}

// unreadSources give what is unread: what is above what was seen in a channel, and what is marked so below.
var unreadSources = []string{
	`subscription s CROSS JOIN channel c ON c.id = s.channel AND c.kept > s.read
		CROSS JOIN item i INDEXED BY item_latest ON i.channel = s.channel AND i.latest > s.seen WHERE s.account = ?1`,
	`subscription s CROSS JOIN channel c ON c.id = s.channel AND c.kept > s.read
		CROSS JOIN mark m INDEXED BY mark_unread ON m.account = s.account AND m.channel = s.channel AND m.read = 0
		CROSS JOIN item i ON i.channel = m.channel AND i.id = m.item WHERE s.account = ?1 AND i.latest <= s.seen`,
}

// sources returns what to read: each is a part of a statement from FROM on that has its own first conditions. They have
// every article that is asked for, none of them twice, and as few others as possible. whole says that they have
// everything, by its number.
func (q *articleQuery) sources(conn *sqlite.Conn) (sources []string, whole bool, err error) {
	switch {
	case q.form == editArticles && q.Search != "":
		return []string{`search f CROSS JOIN edit i ON i.latest = f.rowid` + ofAccount + ` AND s.edits < i.id
			WHERE f.search MATCH ` + q.arg(words.Parse(q.Search).Match())}, false, nil
	case q.form == editArticles:
		return []string{`subscription s INDEXED BY subscription_edits CROSS JOIN edit i INDEXED BY edit_channel
			ON i.channel = s.channel AND i.id > s.edits WHERE s.account = ?1 AND s.edits IS NOT NULL`}, false, nil
	case q.Search != "":
		return []string{`search f CROSS JOIN revision r ON r.id = f.rowid
			CROSS JOIN item i ON i.channel = r.channel AND i.id = r.item` + ofAccount +
				` WHERE r.id = ` + q.form.revision + ` AND f.search MATCH ` + q.arg(words.Parse(q.Search).Match())},
			false,
			nil
	case q.Starred == Only:
		return []string{`star f CROSS JOIN item i ON i.id = f.item` + ofAccount + ` WHERE f.account = ?1`}, false, nil
	case q.Label != "":
		return []string{`label f CROSS JOIN item i ON i.id = f.item` + ofAccount +
			` WHERE f.account = ?1 AND f.name = ` + q.arg(q.Label)}, false, nil
	case q.Read == Without:
		few, err := q.fewUnread(conn)
		if err != nil || few {
			return unreadSources, false, err
		}
	case !q.Changed.From.IsZero():
		from := q.arg(q.Changed.From)
		return []string{`(SELECT m.channel, m.item FROM mark m WHERE m.account = ?1 AND m.changed >= ` + from + ` UNION
				SELECT r.channel, r.item FROM version v CROSS JOIN revision r ON r.id BETWEEN v.first AND v.last WHERE v.received >= ` + from + `) f
			CROSS JOIN item i ON i.channel = f.channel AND i.id = f.item` + ofAccount + ` WHERE 1`}, false, nil
	}
	switch {
	case !q.Arrived.From.IsZero():
		return []string{`item i INDEXED BY item_arrived` + ofAccount + ` WHERE 1`}, false, nil
	case !q.Published.From.IsZero(): // nothing arrives before it is published
		return []string{`item i INDEXED BY item_arrived` + ofAccount + ` WHERE i.arrived >= ` +
			q.arg(q.Published.From)}, false, nil
	case q.Channels != nil:
		return []string{`subscription s CROSS JOIN item i ON i.channel = s.channel WHERE s.account = ?1`}, false, nil
	}
	return []string{`item i INDEXED BY item_id` + ofAccount + ` WHERE 1`}, true, nil
}

// fewUnread reports whether it is less to look at all that is unread than to look through what arrived last.
func (q *articleQuery) fewUnread(conn *sqlite.Conn) (bool, error) {
	if q.Order != ByNumber || q.Ascending || q.Limit == 0 || q.Channels != nil {
		return true, nil
	}
	_, unread, err := countKept(conn, q.args[0], nil)
	return unread < 4*(q.Limit+q.Offset), err
}

// countKept returns how many articles there are, and how many of them are unread; of some channels, nil: of all.
func countKept(conn *sqlite.Conn, account any, channels []int64) (all, unread int, err error) {
	sql, args := `SELECT sum(c.kept - `+hiddenOfChannel+
		`), sum(c.kept - s.read) FROM subscription s JOIN channel c ON c.id = s.channel WHERE s.account = ?1`,
		[]any{account}
	if channels != nil {
		sql += ` AND s.channel IN (SELECT value FROM json_each(?2))`
		args = append(args, numbersJSON(channels))
	}
	_, err = db.One(conn, sql, func(r *sqlite.Stmt) { all, unread = r.ColumnInt(0), r.ColumnInt(1) }, args...)
	return all, unread, err
}

// keyed is the number of an article with what it is sorted by.
type keyed struct{ number, key int64 }

// sortKeyed sorts as a query asks.
func sortKeyed(all []keyed, ascending bool) {
	slices.SortFunc(all, func(a, b keyed) int {
		by := cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.number, b.number))
		if !ascending {
			by = -by
		}
		return by
	})
}

// ArticleNumbers returns the numbers of the articles that q asks for, in its order. A search finds what the index of
// words knows.
func ArticleNumbers(conn *sqlite.Conn, account tidings.AccountID, of ArticleQuery) (numbers []int64, err error) {
	edits, hides, err := viewOf(conn, account)
	if err != nil {
		return nil, err
	}
	if !edits {
		return numbers, newArticleQuery(account, of, items, hides).each(conn, func(number, _ int64) {
			numbers = append(numbers, number)
		})
	}
	part := of
	part.Offset = 0
	if of.Limit > 0 {
		part.Limit = of.Limit + of.Offset
	}
	var all []keyed
	for _, f := range formsOf(edits) {
		if err := newArticleQuery(account, part, f, hides).each(conn, func(number, key int64) {
			all = append(all, keyed{number, key})
		}); err != nil {
			return nil, err
		}
	}
	sortKeyed(all, of.Ascending)
	all = all[min(of.Offset, len(all)):]
	if of.Limit > 0 {
		all = all[:min(of.Limit, len(all))]
	}
	for _, one := range all {
		numbers = append(numbers, one.number)
	}
	return numbers, nil
}

// viewOf reports whether an account sees edits, and whether filters hide anything from it.
func viewOf(conn *sqlite.Conn, account tidings.AccountID) (edits, hidden bool, err error) {
	if edits, err = wantsEdits(conn, int64(account)); err != nil {
		return false, false, err
	}
	hidden, err = hides(conn, int64(account))
	return edits, hidden, err
}

// each calls f for the articles that q asks for, in its order, with what they are sorted by.
func (q *articleQuery) each(conn *sqlite.Conn, f func(number, key int64)) error {
	if q.searchesNothing() {
		return nil
	}
	sources, whole, err := q.sources(conn)
	if err != nil {
		return err
	}
	if q.Order == ByPublished && !q.Ascending && q.Limit > 0 && whole {
		return q.latestPublished(conn, f)
	}
	key := map[Order]string{ByNumber: `i.id`, ByPublished: q.form.published(), ByChanged: q.form.changed}[q.Order]
	direction := ` DESC`
	if q.Ascending {
		direction = ` ASC`
	}
	var sql string
	if whole && q.Order == ByNumber {
		sql = `SELECT i.id, i.id FROM ` + sources[0] + q.where.String() + ` ORDER BY i.id` + direction
	} else {
		sql = q.union(sources, `i.id AS number, `+key+` AS key`) + ` ORDER BY key` + direction + `, number` + direction
	}
	limit := q.Limit
	if limit == 0 {
		limit = -1
	}
	sql += ` LIMIT +` + q.arg(limit) + ` OFFSET +` + q.arg(q.Offset)
	return db.Each(conn, sql, func(r *sqlite.Stmt) error {
		f(r.ColumnInt64(0), r.ColumnInt64(1))
		return nil
	}, q.args...)
}

func (q *articleQuery) searchesNothing() bool {
	if q.Search = strings.TrimSpace(q.Search); q.Search == "" {
		return false
	}
	return words.Parse(q.Search).Empty()
}

func (q *articleQuery) union(sources []string, columns string) string {
	all := make([]string, len(sources))
	for i, from := range sources {
		all[i] = `SELECT ` + columns + ` FROM ` + from + q.where.String()
	}
	return strings.Join(all, ` UNION ALL `)
}

// latestPublished is each for those that were published last. Nothing arrives before it is published: they are found
// among those that arrived last, and what lies behind need not be read.
func (q *articleQuery) latestPublished(conn *sqlite.Conn, f func(number, key int64)) error {
	var found []keyed
	wanted := q.Limit + q.Offset
	cut := func() {
		sortKeyed(found, false)
		found = found[:min(wanted, len(found))]
	}
	err := db.Each(conn, `SELECT i.id, `+q.form.published()+`, i.arrived FROM item i INDEXED BY item_arrived`+ofAccount+
		` WHERE 1`+q.where.String()+
		` ORDER BY i.arrived DESC`, func(r *sqlite.Stmt) error {
		if len(found) >= 2*wanted+100 {
			if cut(); r.ColumnInt64(2) < found[wanted-1].key {
				return errEnough
			}
		}
		found = append(found, keyed{r.ColumnInt64(0), r.ColumnInt64(1)})
		return nil
	}, q.args...)
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	cut()
	for _, one := range found[min(q.Offset, len(found)):] {
		f(one.number, one.key)
	}
	return nil
}

// CountArticles returns how many articles q asks for, whatever its limit and offset.
func CountArticles(conn *sqlite.Conn, account tidings.AccountID, of ArticleQuery) (n int, err error) {
	of.Limit, of.Offset, of.Order = 0, 0, ByNumber
	edits, hides, err := viewOf(conn, account)
	if err != nil {
		return 0, err
	}
	if !edits && of.isCounted() {
		all, unread, err := countKept(conn, int64(account), of.Channels)
		switch of.Read {
		case Without:
			return unread, err
		case Only:
			return all - unread, err
		}
		return all, err
	}
	for _, f := range formsOf(edits) {
		some, err := newArticleQuery(account, of, f, hides).count(conn)
		if err != nil {
			return 0, err
		}
		n += some
	}
	return n, nil
}

func (q *articleQuery) count(conn *sqlite.Conn) (n int, err error) {
	if q.searchesNothing() {
		return 0, nil
	}
	sources, _, err := q.sources(conn)
	if err != nil {
		return 0, err
	}
	_, err = db.One(conn, `SELECT count(*) FROM (`+q.union(sources, `1`)+`)`,
		func(r *sqlite.Stmt) { n = r.ColumnInt(0) }, q.args...)
	return n, err
}

// isCounted reports whether what q asks for is counted already.
func (q ArticleQuery) isCounted() bool {
	q.Channels, q.Read, q.Ascending = nil, Any, false
	return reflect.ValueOf(q).IsZero()
}

// Tally counts the articles of a channel.
type Tally struct {
	Unread, Items int
	Newest        time.Time // arrival of the one with the largest number; zero: there is none
}

// Tallies returns counts of all channels that account follows.
func Tallies(conn *sqlite.Conn, account tidings.AccountID) (map[int64]Tally, error) {
	all := make(map[int64]Tally)
	if err := db.Each(conn, `SELECT s.channel, c.kept - s.read, c.kept - `+hiddenOfChannel+`,
			(SELECT i.arrived FROM item i WHERE i.channel = s.channel AND i.latest != 0 ORDER BY i.id DESC LIMIT 1)
		FROM subscription s JOIN channel c ON c.id = s.channel WHERE s.account = ?`, func(r *sqlite.Stmt) error {
		all[r.ColumnInt64(0)] = Tally{r.ColumnInt(1), r.ColumnInt(2), db.ColumnTime(r, 3)}
		return nil
	}, int64(account)); err != nil {
		return nil, err
	}
	return all, tallyEdits(conn, account, all)
}

// tallyEdits counts edits, and as read the items that were read before those came.
func tallyEdits(conn *sqlite.Conn, account tidings.AccountID, all map[int64]Tally) error {
	if err := db.Each(conn, `SELECT s.channel, count(*), sum(NOT `+editArticles.isRead+`), max(i.arrived)
		FROM subscription s INDEXED BY subscription_edits CROSS JOIN edit i INDEXED BY edit_channel ON i.channel = s.channel AND i.id > s.edits
		WHERE s.account = ?1 AND s.edits IS NOT NULL AND i.latest != 0 AND NOT `+editArticles.isHidden()+` GROUP BY s.channel`, func(r *sqlite.Stmt) error {
		t := all[r.ColumnInt64(0)]
		t.Items, t.Unread = t.Items+r.ColumnInt(1), t.Unread+r.ColumnInt(2)
		if at := db.ColumnTime(r, 3); at.After(t.Newest) {
			t.Newest = at
		}
		all[r.ColumnInt64(0)] = t
		return nil
	}, int64(account)); err != nil {
		return err
	}
	return db.Each(conn, `SELECT s.channel, count(DISTINCT i.id)
		FROM subscription s INDEXED BY subscription_edits CROSS
		JOIN edit d INDEXED BY edit_channel ON d.channel = s.channel AND d.id > s.edits
		CROSS JOIN item i ON i.channel = s.channel AND i.id = d.item
		WHERE s.account = ?1 AND s.edits IS NOT NULL AND i.latest > `+read+` AND `+besideEdits.isRead+`
		GROUP BY s.channel`, func(r *sqlite.Stmt) error {
		t := all[r.ColumnInt64(0)]
		t.Unread -= r.ColumnInt(1)
		all[r.ColumnInt64(0)] = t
		return nil
	}, int64(account))
}

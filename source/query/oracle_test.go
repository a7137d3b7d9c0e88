package query_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings"
	"tidings/source/query"
)

// oracle is a database with one item. Subjects and places are tables with a row for each form in which they can be
// named.
type oracle struct{ *sqlite.Conn }

func newOracle(t *testing.T) oracle {
	conn, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := sqlitex.ExecuteScript(conn, `
		CREATE TABLE item (guid, version INTEGER, publisher TEXT COLLATE NOCASE, status TEXT, signal TEXT, urgency INTEGER, language TEXT COLLATE NOCASE,
			genre TEXT COLLATE NOCASE, headline TEXT, slugline TEXT, byline TEXT, note TEXT, created TEXT, revised TEXT, embargo TEXT, expires TEXT, text TEXT);
		CREATE TABLE subject (id INTEGER, form TEXT COLLATE NOCASE);
		CREATE TABLE place (id INTEGER, form TEXT COLLATE NOCASE);`, nil); err != nil {
		t.Fatal(err)
	}
	return oracle{conn}
}

func (o oracle) run(t *rapid.T, sql string, args ...any) {
	if err := sqlitex.Execute(o.Conn, sql, &sqlitex.ExecOptions{Args: args}); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// put makes an item the only one.
func (o oracle) put(t *rapid.T, news tidings.News, body string) {
	for _, table := range []string{"item", "subject", "place"} {
		o.run(t, "DELETE FROM "+table)
	}
	together := strings.Trim(strings.Join([]string{news.Headline, body, news.Note}, "\n\n"), "\n")
	if body == "" && news.Headline != "" && news.Note != "" {
		together = news.Headline + "\n\n" + news.Note
	}
	args := []any{news.GUID, news.Version, news.Publisher, withDefaults(news).status, string(news.Signal),
		withDefaults(news).urgency, news.Language,
		news.Genre, news.Headline, news.Slugline, news.Byline, news.Note}
	for _, at := range []tidings.News{{Created: news.Created}, {Created: news.Revised}, {Created: news.Embargo},
		{Created: news.Expires}} {
		if at.Created.IsZero() {
			args = append(args, "")
		} else {
			args = append(args, stored(at.Created))
		}
	}
	args = append(args, together)
	for i, a := range args {
		if a == "" || a == 0 {
			args[i] = nil
		}
	}
	o.run(t, "INSERT INTO item VALUES (?"+strings.Repeat(",?", len(args)-1)+")", args...)
	for table, list := range map[string][]tidings.Subject{"subject": news.Subjects, "place": news.Places} {
		for id, s := range list {
			for _, form := range forms(s) {
				if form != "" {
					o.run(t, "INSERT INTO "+table+" VALUES (?, ?)", id, form)
				}
			}
		}
	}
}

// ask returns "1" if a condition is true for the item, "0" if it is false, and "" if it is NULL.
func (o oracle) ask(t *rapid.T, condition string) (answer string) {
	err := sqlitex.ExecuteTransient(o.Conn, "SELECT ("+condition+") FROM item",
		&sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			answer = stmt.ColumnText(0)
			return nil
		}})
	if err != nil {
		t.Fatalf("%s: %v", condition, err)
	}
	return answer
}

// A query says of an item what SQLite says; its canonical form says the same; and the item carries one of its topics.
func TestMatchesAsSQLiteDoes(t *testing.T) {
	o := newOracle(t)
	count := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		news, body := drawItem(t)
		item := query.NewItem(news, body)
		o.put(t, news, body)
		carried := topicsOf(news)
		for range 30 {
			c := drawCondition(t, 3)
			q, opposite := parse(t, c.query), parse(t, "NOT ("+c.query+")")
			answer := o.ask(t, c.sql)
			count[answer]++
			if q.Matches(item) != (answer == "1") || opposite.Matches(item) != (answer == "0") {
				t.Fatalf("%s\nis %v, and its opposite %v, but SQLite says %q of\n%s", c.query, q.Matches(item),
					opposite.Matches(item), answer, c.sql)
			}
			for _, q := range []*query.Query{q, opposite} {
				if q.Matches(item) && !slices.Equal(q.Topics(), []string{"any"}) {
					count["narrow"]++
				}
				if q.Matches(item) && !carriesOne(carried, q.Topics()) {
					t.Fatalf("%s\nmatches an item with the topics %v, none of which is in %v", q, carried, q.Topics())
				}
				if again := parse(t, q.String()); again.String() != q.String() ||
					again.Matches(item) != q.Matches(item) {
					t.Fatalf("%s\nbecomes %s", q, again)
				}
			}
		}
	})
	for _, answer := range []string{"1", "0", "", "narrow"} {
		if count[answer] < 10 { // in 20 items at least
			t.Errorf("only %d conditions were %q", count[answer], answer)
		}
	}
}

func parse(t rapid.TB, text string) *query.Query {
	q, err := query.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q
}

func carriesOne(carried map[string]bool, topics []string) bool {
	for _, topic := range topics {
		if carried[topic] {
			return true
		}
	}
	return false
}

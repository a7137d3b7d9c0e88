package salvage

import (
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings"
)

// Rebuildable is a table whose lost rows come back with what other trees have of them.
type Rebuildable struct {
	Table
	Lacks string // a sentence that says what is lost of them

	name    string // a query for what a row is called, by its key
	restore string // a statement that puts a row back, by its key; empty: it does not come back
}

// rebuildable are the tables without which a store is of no use. A channel whose version has a number of the network's is
// public; another may be none, so that it is announced to nobody.
var rebuildable = []Rebuildable{
	{
		Table: Table{Name: "channel", Key: []string{"id", "url"}, Text: []int{1},
			Keys: `SELECT id, url FROM channel INDEXED BY sqlite_autoindex_channel_1 ORDER BY url`},
		Lacks: "their titles and what was set for them are lost",
		name:  `SELECT ?2`,
		restore: `INSERT INTO channel (id, url, kind, privacy, version, latest, changed, added, orphaned, guest)
			SELECT ?1, ?2, coalesce(v.kind, ''),
				CASE WHEN EXISTS (SELECT 1 FROM credential WHERE channel = ?1) THEN 'credentialed'
					WHEN EXISTS (SELECT 1 FROM shared WHERE channel = ?1 AND number > 0) THEN 'public' ELSE 'unlisted' END,
				coalesce(v.version, 0), coalesce(v.id, 0), v.received, now.at,
				CASE WHEN followed THEN NULL ELSE now.at END, NOT followed
			FROM (SELECT unixepoch() * 1000000 AS at, EXISTS (SELECT 1 FROM subscription WHERE channel = ?1) AS followed) now
			LEFT JOIN (SELECT * FROM version WHERE channel = ?1 ORDER BY version DESC LIMIT 1) v`,
	},
	{
		Table: Table{Name: "subscription", Key: []string{"account", "channel"}, Text: []int{2, 3},
			Keys: `SELECT account, channel FROM subscription INDEXED BY subscription_channel ORDER BY channel, account`},
		Lacks:   "their names and folders are lost",
		name:    `SELECT url FROM channel WHERE id = ?2 AND ?1 = ?1`,
		restore: `INSERT INTO subscription (account, channel, since) VALUES (?1, ?2, unixepoch() * 1000000)`,
	},
	{
		Table: Table{Name: "setting", Key: []string{"key"}, Text: []int{0, 1}},
		Lacks: "others on the page may be lost as well, and the node makes them anew",
		name:  `SELECT ?1`,
	},
	{ // a row that may be another's lets nobody in: only those whose pages are sound are kept
		Table: Table{Name: "token", Key: []string{"id"}},
		Lacks: "programs that used them need new ones: tidings token new NAME",
		name:  `SELECT '' WHERE ?1 = ?1`,
	},
}

// needed says of tables whose rows nothing else has, and that are not made anew, what a node without a row would do wrong.
var needed = map[string]string{
	"account":     "it says who may sign in, and with what password",
	"credential":  "it has the passwords for origins, and without one others could follow what needs it",
	"pin":         "it has the keys that feeds are trusted with, and a node without one would trust the first that comes",
	"publication": "it has the numbers of what you publish, and no number may be given twice",
	"published":   "it has the numbers of what you publish, and no number may be given twice",
	"republisher": "it says which third parties' keys you trust",
}

// Need returns what a table is needed for, if its rows are in no other and must not be given up unasked; else empty.
func Need(table string) string { return needed[table] }

// Of returns the rebuildable table of a name.
func Of(name string) (t Rebuildable, found bool) {
	i := slices.IndexFunc(rebuildable, func(r Rebuildable) bool { return r.Name == name })
	if i < 0 {
		return t, false
	}
	return rebuildable[i], true
}

// NameOf returns what a lost row is called.
func (t Rebuildable) NameOf(conn *sqlite.Conn, key Row) (string, error) {
	found, err := rows(conn, t.name, key...)
	if err != nil || len(found) == 0 {
		return "", err
	}
	name, _ := found[0][0].(string)
	return name, nil
}

// Rebuild makes a table anew of the rows that are kept and of what is known of those that are lost. See Replace.
func (t Rebuildable) Rebuild(conn *sqlite.Conn, kept, lost []Row) error {
	if err := Replace(conn, t.Name, kept); err != nil {
		return err
	}
	if t.restore == "" {
		return nil
	}
	for _, key := range lost {
		if err := sqlitex.Execute(conn, t.restore, &sqlitex.ExecOptions{Args: key}); err != nil {
			return fmt.Errorf("putting back a row of table %s: %w", t.Name, err)
		}
	}
	if t.Name != "channel" {
		return nil
	}
	for _, key := range lost { // the addresses of those without an origin say it
		url, _ := key[1].(string)
		if kind := tidings.KindOf(url); kind != tidings.KindUnknown {
			if err := sqlitex.Execute(conn, `UPDATE channel SET kind = ? WHERE id = ?`, &sqlitex.ExecOptions{Args: []any{string(kind), key[0]}}); err != nil {
				return err
			}
		}
	}
	return nil
}

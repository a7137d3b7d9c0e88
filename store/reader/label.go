package reader

import (
	"fmt"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// MaxLabels bounds the labels of an account, and the folders that it makes empty.
const MaxLabels = 1000

// label adds labels to the item and removes others, before it adds. Those that are added automatically do not keep the
// item.
func (s *state) label(t *db.Tx, add, remove []string, auto bool) error {
	changed := false
	for _, name := range remove {
		if slices.Contains(add, name) {
			continue
		}
		if err := db.Exec(t.Conn, `DELETE FROM label WHERE account = ? AND name = ? AND item = ?`, s.account, name,
			s.item); err != nil {
			return err
		}
		changed = changed || t.Changes() > 0
	}
	for _, name := range add {
		if err := db.Exec(t.Conn, `INSERT INTO label (account, name, item, channel, auto) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET auto = 0 WHERE auto > excluded.auto`, s.account, name, s.item, s.channel,
			auto); err != nil {
			return err
		}
		changed = changed || t.Changes() > 0
	}
	if !changed {
		return nil
	}
	return s.save(t)
}

// validLabels reports which names of labels an account cannot have, or not any more.
func validLabels(t *db.Tx, account tidings.AccountID, names []string) error {
	fresh := 0
	for _, name := range names {
		if strings.TrimSpace(name) == "" || len(name) > tidings.MaxLabel {
			return tidings.Invalidf("a label needs a name, of at most %d bytes", tidings.MaxLabel)
		}
		used, err := db.One(t.Conn, `SELECT 1 FROM label WHERE account = ? AND name = ? LIMIT 1`, nil, int64(account),
			name)
		if err != nil {
			return err
		}
		if !used {
			fresh++
		}
	}
	if fresh == 0 {
		return nil
	}
	has := 0
	if _, err := db.One(t.Conn, `SELECT count(DISTINCT name) FROM label WHERE account = ?`,
		func(r *sqlite.Stmt) { has = r.ColumnInt(0) }, int64(account)); err != nil {
		return err
	}
	if has+fresh > MaxLabels {
		return tidings.Invalidf("there are %d labels already, of at most %d", has, MaxLabels)
	}
	return nil
}

// Labels returns the labels that articles of account have, sorted.
func Labels(conn *sqlite.Conn, account tidings.AccountID) (names []string, err error) {
	return names, db.Each(conn, `SELECT DISTINCT l.name FROM label l WHERE l.account = ?1
		AND EXISTS (SELECT 1 FROM item i`+ofAccount+` WHERE i.id = l.item AND i.latest != 0)
		ORDER BY l.name`, func(r *sqlite.Stmt) error {
		names = append(names, r.ColumnText(0))
		return nil
	}, int64(account))
}

// RenameLabel gives a label of the articles of account another name, or removes it if that is empty.
func RenameLabel(t *db.Tx, account tidings.AccountID, name, to string) error {
	if name == to {
		return nil
	}
	numbers, err := ArticleNumbers(t.Conn, account, ArticleQuery{Label: name})
	if err != nil {
		return fmt.Errorf("label %q: %w", tidings.Quote(name), err)
	}
	c := ArticleChange{RemoveLabels: []string{name}}
	if to != "" {
		c.AddLabels = []string{to}
	}
	return ChangeArticles(t, account, numbers, c, 0)
}

func labelsOf(conn *sqlite.Conn, account, item int64) (names []string, err error) {
	return names, db.Each(conn, `SELECT name FROM label WHERE account = ? AND item = ? ORDER BY name`,
		func(r *sqlite.Stmt) error {
			names = append(names, r.ColumnText(0))
			return nil
		}, account, item)
}

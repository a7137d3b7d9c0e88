package salvage

import (
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Rebuildable is a table whose lost rows come back with what other trees have of them.
type Rebuildable struct {
	Table
	Lacks   string // a sentence that says what is lost of them
	Called  string // a query for what a row is called, by its key
	Restore string // a statement that puts a row back, by its key; empty: it does not come back
}

// NameOf returns what a lost row is called.
func (t Rebuildable) NameOf(conn *sqlite.Conn, key Row) (string, error) {
	found, err := rows(conn, t.Called, key...)
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
	if t.Restore == "" {
		return nil
	}
	for _, key := range lost {
		if err := sqlitex.Execute(conn, t.Restore, &sqlitex.ExecOptions{Args: key}); err != nil {
			return fmt.Errorf("putting back a row of table %s: %w", t.Name, err)
		}
	}
	return nil
}

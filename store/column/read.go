package column

import (
	"strings"

	"zombiezen.com/go/sqlite"

	"tidings"
)

// Identity reads what an item is known by from five columns in a row.
func Identity(r *sqlite.Stmt, at int) tidings.ItemIdentity {
	return tidings.ItemIdentity{
		ID:    uint64(r.ColumnInt64(at)),
		Link:  uint64(r.ColumnInt64(at + 1)),
		Title: uint64(r.ColumnInt64(at + 2)),
		Date:  uint64(r.ColumnInt64(at + 3)),
		Print: uint64(r.ColumnInt64(at + 4)),
	}
}

// Nodes reads the IDs of nodes, which have blanks between them; nil: none.
func Nodes(r *sqlite.Stmt, column int) []string {
	if text := r.ColumnText(column); text != "" {
		return strings.Fields(text)
	}
	return nil
}

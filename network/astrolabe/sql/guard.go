package sql

import (
	"slices"

	"tidings/network/astrolabe/attr"

	"zombiezen.com/go/sqlite"
)

// guard is asked by SQLite, while it compiles, about all that a text wants to do.
type guard struct {
	selects int
	reads   []string // attributes, each once
	refused string   // the first thing that was denied
}

var _ sqlite.Authorizer = (*guard)(nil)

// Authorize allows one SELECT that reads attributes. Functions are left to the check of the program.
func (g *guard) Authorize(a sqlite.Action) sqlite.AuthResult {
	switch a.Type() {
	case sqlite.OpSelect:
		if g.selects++; g.selects > 1 {
			return g.deny("a second SELECT")
		}
		return sqlite.AuthResultOK
	case sqlite.OpFunction:
		return sqlite.AuthResultOK
	case sqlite.OpRead:
		return g.read(a.Table(), a.Column())
	case sqlite.OpRecursive:
		return g.deny("RECURSIVE")
	}
	return g.deny(a.Type().String()[len("SQLITE_"):])
}

func (g *guard) read(table, column string) sqlite.AuthResult {
	switch {
	case table != "children":
		return g.deny(table)
	case column == "": // COUNT(*)
		return sqlite.AuthResultOK
	case !attr.ValidName(column): // the star, and ROWID
		return g.deny(column)
	}
	if !slices.Contains(g.reads, column) {
		g.reads = append(g.reads, column)
	}
	return sqlite.AuthResultOK
}

func (g *guard) deny(what string) sqlite.AuthResult {
	if g.refused == "" {
		g.refused = what
	}
	return sqlite.AuthResultDeny
}

package sql

import (
	"fmt"

	"zombiezen.com/go/sqlite"
)

// Bounds of texts and their evaluation.
const (
	MaxText  = 2048    // bytes of a text
	MaxWords = 256     // different words in it
	MaxRows  = 256     // that are aggregated
	MaxSteps = 1 << 16 // instructions of a program times rows
	// bytes of texts and blobs that an evaluation reads from rows, each time that it reads them, and once more for each
	// sorter
	MaxRead = 2 << 20
)

// limits of SQLite for a connection.
var limits = []struct {
	of    sqlite.Limit
	value int32
}{
	{sqlite.LimitLength, 16 << 10}, // bytes of a value, and of a row of a sorter
	{sqlite.LimitSQLLength, 16 << 10},
	{sqlite.LimitColumn, MaxWords + 1},
	{sqlite.LimitExprDepth, 256},
	{sqlite.LimitCompoundSelect, 1},
	{sqlite.LimitVDBEOp, 4096},
	{sqlite.LimitFunctionArg, 16},
	{sqlite.LimitAttached, 0},
	{sqlite.LimitLikePatternLength, 16},
	{sqlite.LimitVariableNumber, 0},
	{sqlite.LimitTriggerDepth, 0},
	{sqlite.LimitWorkerThreads, 0},
}

// open returns a connection to a database of its own that can do nothing but what guard allows, and has only the table.
func open(t *table, g *guard) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite, sqlite.OpenMemory)
	if err != nil {
		return nil, fmt.Errorf("opening a sandbox: %w", err)
	}
	if err := confine(conn, t, g); err != nil {
		conn.Close()
		return nil, fmt.Errorf("closing a sandbox in: %w", err)
	}
	return conn, nil
}

// confine leaves out conn.SetDefensive: the binding passes SQLite one argument of two, and SQLite writes where the
// memory behind it happens to point. The guard allows nothing that it would forbid.
func confine(conn *sqlite.Conn, t *table, g *guard) error {
	memory, _, err := conn.PrepareTransient("PRAGMA temp_store = MEMORY") // no sorter goes to a file
	if err != nil {
		return err
	}
	_, err = memory.Step()
	memory.Finalize()
	if err != nil {
		return err
	}
	if err := addFunctions(conn, t); err != nil {
		return err
	}
	if err := conn.SetModule("children", t.module()); err != nil {
		return err
	}
	for _, l := range limits {
		conn.Limit(l.of, l.value)
	}
	return conn.SetAuthorizer(g)
}

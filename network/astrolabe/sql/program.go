package sql

import (
	"strings"

	"zombiezen.com/go/sqlite"
)

// functions are those that a text can call. No function is listed that needs more than linear time in its arguments,
// returns more than these, or depends on anything else.
var functions = words(
	`abs avg bit bitor coalesce count first ifnull iif max min nullif octet_length round sign sum typeof`)

// instructions are those of SQLite's virtual machine that a program can have. None of them opens a real table, runs a
// coroutine or sorts more than once a scan: GROUP BY, joins of subqueries and windows need those.
var instructions = words(`
	Init Goto Halt Transaction Once Noop Gosub Return BeginSubrtn
	VOpen VFilter VColumn VNext
	Null Integer Int64 Real String String8 Blob Copy SCopy Move
	Eq Ne Lt Le Gt Ge ElseEq Compare Jump
	If IfNot IfPos IfNotZero IfNullRow IsNull NotNull IsTrue IsType ZeroOrNull NullRow
	Not And Or BitAnd BitOr BitNot ShiftLeft ShiftRight
	Add Subtract Multiply Divide Remainder Concat AddImm
	CollSeq MustBeInt OffsetLimit DecrJumpZero
	Function PureFunc AggStep AggFinal ResultRow
	MakeRecord IdxInsert Found NotFound Sequence Rewind Column Next Sort Last IdxLE Delete
`)

func words(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// check reads the program of a query and returns how many instructions it has, and how many sorters, for ORDER BY and
// DISTINCT.
func check(conn *sqlite.Conn, query, text string) (length, sorters int, err error) {
	program, _, err := conn.PrepareTransient("EXPLAIN " + query)
	if err != nil {
		return 0, 0, refused(text, "EXPLAIN") // of an EXPLAIN there is none
	}
	defer program.Finalize()
	scans := 0
	for ; ; length++ {
		more, err := program.Step()
		if err != nil {
			return 0, 0, failed(err)
		}
		if !more {
			return length, sorters, nil
		}
		switch code := program.ColumnText(1); code {
		case "Function", "PureFunc", "AggStep":
			name, _, _ := strings.Cut(program.ColumnText(5), "(")
			if !functions[name] {
				return 0, 0, refused(text, name)
			}
		case "VOpen":
			if scans++; scans > 1 {
				return 0, 0, problem(ErrRefused, "a join")
			}
		case "OpenEphemeral":
			sorters++
		case "SorterOpen":
			return 0, 0, problem(ErrRefused, "GROUP BY, or ORDER BY without LIMIT")
		default:
			if !instructions[code] {
				return 0, 0, problem(ErrRefused, "what needs the instruction %s", code)
			}
		}
	}
}

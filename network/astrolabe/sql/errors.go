package sql

import (
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
)

// What can be wrong with a text, or with an evaluation.
var (
	ErrSyntax  = errors.New("not SQL")
	ErrRefused = errors.New("not allowed")
	ErrLimit   = errors.New("beyond a limit")
	ErrResult  = errors.New("not a row")          // what a function returned
	ErrValue   = errors.New("not a value for it") // what an operation or function was given
)

// Error is the error of all that this package returns.
type Error struct {
	Problem error  // one of those above
	What    string // what was refused or exceeded
	Offset  int    // where it is in the text, in bytes; -1: not known, or of the evaluation
}

// Error returns one line.
func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%v: %s", e.Problem, e.What)
	}
	return fmt.Sprintf("%v: %s at byte %d", e.Problem, e.What, e.Offset)
}

// Unwrap returns the problem.
func (e *Error) Unwrap() error { return e.Problem }

// problem returns an Error that is about no place in the text.
func problem(of error, format string, args ...any) *Error {
	return &Error{Problem: of, What: fmt.Sprintf(format, args...), Offset: -1}
}

// refused returns an Error about a word, where it first stands in the text.
func refused(text, word string) *Error {
	return &Error{Problem: ErrRefused, What: word, Offset: strings.Index(strings.ToLower(text), strings.ToLower(word))}
}

// syntax returns what SQLite says of a text that it cannot compile, which stands behind so many other bytes.
func syntax(err error, before int) *Error {
	offset, ok := sqlite.ErrorOffset(err)
	if !ok || offset < before {
		offset = -1
	} else {
		offset -= before
	}
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultNoMem { // how SQLite reports its limit
		return problem(ErrLimit, "too many instructions")
	}
	return &Error{Problem: ErrSyntax, What: reason(err), Offset: offset}
}

// failed returns why an evaluation failed.
func failed(err error) *Error {
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultTooBig {
		return problem(ErrLimit, "%s", reason(err))
	}
	return problem(ErrValue, "%s", reason(err))
}

// reason returns what SQLite says, without what the binding puts before it.
func reason(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return strings.TrimPrefix(err.Error(), "SQL logic error: ")
}

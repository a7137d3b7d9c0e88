package news

import (
	"errors"
	"fmt"
	"strings"
)

// The kinds of errors of Parse, for callers. Each is wrapped by a *SyntaxError.
var (
	// ErrNotNews says that the document is something else: another format, or a kind of NewsML-G2 item that describes
	// concepts, plans or catalogs instead of news.
	ErrNotNews = errors.New("not a news document")
	// ErrMalformed says that the document breaks the rules of XML or JSON, or of a field that must not be guessed.
	ErrMalformed = errors.New("malformed")
	// ErrIncomplete says that something is missing without which there is no item, such as its identifier.
	ErrIncomplete = errors.New("incomplete")
	// ErrLimit says that the document is over a limit of Config.
	ErrLimit = errors.New("over a limit")
)

// SyntaxError says where a document is wrong, and how.
type SyntaxError struct {
	Format Format
	Line   int // from 1, in the decoded text; 0: the document as a whole
	Column int // in bytes, from 1
	// the element, such as "newsItem/itemMeta", or the JSON path, such as "$.headlines[0]"; "": the document
	Path    string
	Problem string // in plain words, a predicate: "has no guid"
	Err     error  // ErrNotNews, ErrMalformed, ErrIncomplete or ErrLimit
}

// Error returns one line, such as "NewsML-G2, line 3, column 1, newsItem: has no guid".
func (e *SyntaxError) Error() string {
	where := []string{"document"}
	if e.Format != Unknown {
		where[0] = e.Format.String()
	}
	if e.Line > 0 {
		where = append(where, fmt.Sprintf("line %d, column %d", e.Line, e.Column))
	}
	if e.Path != "" {
		where = append(where, e.Path)
	}
	return strings.Join(where, ", ") + ": " + e.Problem
}

// Unwrap returns the kind of the error.
func (e *SyntaxError) Unwrap() error { return e.Err }

// at sets the place of an error by its byte offset in text.
func (e *SyntaxError) at(text string, offset int) *SyntaxError {
	before := text[:min(max(offset, 0), len(text))]
	e.Line = 1 + strings.Count(before, "\n")
	e.Column = len(before) - strings.LastIndexByte(before, '\n')
	return e
}

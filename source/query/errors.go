package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Remark is a message about a place in the text of a query, for its author.
type Remark struct {
	Offset  int // bytes before the place
	Line    int // from 1
	Column  int // from 1, in characters
	Message string
	Hint    string // what to do; may be empty

	line string // the line with the place
}

// SyntaxError is the error of a text that is not a condition.
type SyntaxError struct{ Remark }

func (e *SyntaxError) Error() string { return e.String() }

// newRemark returns a remark about the place at an offset of a query's text.
func newRemark(text string, offset int, message, hint string) Remark {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return Remark{
		Offset:  offset,
		Line:    1 + strings.Count(text[:start], "\n"),
		Column:  1 + utf8.RuneCountInString(text[start:offset]),
		Message: message,
		Hint:    hint,
		line:    line,
	}
}

func syntaxError(text string, offset int, message, hint string) *SyntaxError {
	return &SyntaxError{newRemark(text, offset, message, hint)}
}

// String returns the remark as one line.
func (r *Remark) String() string {
	s := fmt.Sprintf("line %d, column %d: %s", r.Line, r.Column, r.Message)
	if r.Hint != "" {
		s += "; " + r.Hint
	}
	return s
}

// maxContext bounds how many characters of a line Context shows.
const maxContext = 76

// Context returns two lines: the line of the query with the place, and a caret under the place. A long line is cut.
func (r *Remark) Context() string {
	line := []rune(r.line)
	for i, c := range line {
		if !unicode.IsPrint(c) {
			line[i] = ' '
		}
	}
	at := r.Column - 1
	start := max(0, min(at-maxContext/2, len(line)-maxContext))
	stop := min(len(line), start+maxContext)
	return string(line[start:stop]) + "\n" + strings.Repeat(" ", at-start) + "^"
}

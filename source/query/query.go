// Package query selects news items by a condition over their metadata, as in
//
//	publisher = 'reuters' AND urgency <= 3 AND subject LIKE 'sport%'
//
// A condition is written as in SQLite's WHERE clause and means the same: AND, OR, NOT and parentheses; = == <> != < <=
// > >= between a column and a value; LIKE with ESCAPE, IN, BETWEEN, IS NULL, each with NOT; TRUE and FALSE. Values are
// texts in single quotes, whole numbers, and times as ISO texts ('2026-11-24', '2026-11-24T21:00:00+01:00'; UTC where
// no zone is given). [Columns] lists the columns. Names and keywords can be written in any case.
//
// # What a comparison means
//
// A field that an item does not have is NULL. As in SQL, comparing NULL gives neither true nor false, so that both
// byline = 'x' and NOT byline = 'x' leave out an item without a byline. Two columns are never NULL: an item that does
// not give its status is usable, and one without an urgency from 1 to 9 has 5.
//
// The columns publisher, subject, place, language and genre ignore the case of ASCII letters, as COLLATE NOCASE does;
// all others are compared byte by byte. LIKE ignores the case of ASCII letters everywhere.
//
// The columns subject and place have many values. A comparison holds if it holds for one of an item's subjects, and for
// a subject if it holds for its name, its code, or scheme:code. Therefore subject <> 'x' means that the item has a
// subject other than x, and NOT (subject = 'x') that it has no subject x. These comparisons are never NULL.
//
// # Filters
//
// [ParseFilter] reads the condition of a filter. It has all that a query has, and columns beside that the network knows
// nothing of ([FilterColumns]). REGEXP finds a regular expression of package regexp (RE2), anywhere in the first
// [MaxSearched] bytes of a text. An [Article] that a filter is compared with is bounded by work, which
// [Query.MatchesFor] counts down.
//
// # Topics
//
// [Query.Topics] gives a multicast network which items a query needs. A query is only ever as wide as its topics:
// every item that it matches carries one of them.
package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a query.
const (
	MaxBytes       = 4096 // of its text, as written and as String prints it
	MaxDepth       = 64   // of parentheses and NOTs inside each other
	MaxComparisons = 256
	MaxListed      = 64 // values in the list of an IN
	MaxTopics      = 64 // a query that needs more has the topic "any" instead
)

// Query is a parsed condition. It is immutable: many goroutines can use it.
type Query struct {
	root     node
	text     string
	topics   []string
	warnings []Remark
}

// Parse reads a condition. The error is a [*SyntaxError].
func Parse(text string) (*Query, error) { return parse(text, false) }

func parse(text string, d dialect) (*Query, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	p := parser{dialect: d, source: text, tokens: scan(text)}
	root, err := p.condition()
	if err != nil {
		return nil, err
	}
	q := &Query{root: root, warnings: p.warnings}
	var b strings.Builder
	root.print(&b)
	if q.text = b.String(); len(q.text) > MaxBytes {
		return nil, syntaxError(text, 0,
			fmt.Sprintf("the condition is too long: written out it has %d bytes, and at most %d are allowed",
				len(q.text), MaxBytes), "")
	}
	q.topics = root.cover(true).list()
	return q, nil
}

func checkText(text string) error {
	if len(text) > MaxBytes {
		return syntaxError("", 0, fmt.Sprintf("the condition is too long: it has %d bytes, and at most %d are allowed",
			len(text), MaxBytes), "")
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) || r == 0 {
			return syntaxError(text, i, "this byte is not text in UTF-8", "")
		}
	}
	return nil
}

// Matches reports whether the condition is true for an item.
func (q *Query) Matches(item *Item) bool {
	return q.root.eval(&evaluation{item: item, ctx: context.Background()}) == yes
}

// MatchesIn is Matches that ends once ctx does, in the middle of an item, and then returns the error of ctx.
func (q *Query) MatchesIn(ctx context.Context, item *Item) (bool, error) {
	e := evaluation{item: item, ctx: ctx}
	matches := q.root.eval(&e) == yes
	return matches && e.err == nil, e.err
}

// evaluation is one item being compared with a query.
type evaluation struct {
	item *Item
	ctx  context.Context
	err  error  // of ctx, once it has been looked at; or that no work is left
	work *int64 // that is left; nil: any
}

// spend counts work down.
func (e *evaluation) spend(cost int64) {
	if e.work == nil || e.err != nil {
		return
	}
	if *e.work -= cost; *e.work < 0 {
		*e.work, e.err = 0, errWork
	}
}

// stop reports whether the evaluation is to end.
func (e *evaluation) stop() bool {
	if e.err == nil {
		e.err = e.ctx.Err()
	}
	return e.err != nil
}

// String returns the condition in its canonical form: keywords in upper case, columns in lower case, no parentheses
// that are not needed. Parsing it gives the same query.
func (q *Query) String() string { return q.text }

// Topics returns at most [MaxTopics] topics, sorted, such that every item that the query matches carries at least one
// of them. They are empty if the query can never match, and just "any" if nothing narrows it down.
func (q *Query) Topics() []string { return slices.Clone(q.topics) }

// Warnings returns what is allowed but probably not meant, such as comparisons that are never true.
func (q *Query) Warnings() []Remark { return slices.Clone(q.warnings) }

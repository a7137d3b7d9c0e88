package query_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"tidings/source/query"
)

// What a person reads about a query, as golden text. To accept changes: go test ./source/query -rewrite
func TestWhatPeopleRead(t *testing.T) {
	played := 0
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		played++
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse":
				return report(d.Input)
			case "topics":
				return topics(t, d.Input)
			}
			t.Fatalf("there is no command %s", d.Cmd)
			return ""
		})
	})
	if played == 0 {
		t.Fatal("there are no scripts")
	}
}

// report parses a condition and returns what there is to say about it.
func report(text string) string {
	q, err := query.Parse(text)
	var wrong *query.SyntaxError
	if errors.As(err, &wrong) {
		return wrong.Context() + "\n" + wrong.Error() + "\n"
	}
	s := q.String() + "\n"
	for _, w := range q.Warnings() {
		s += "warning:\n" + w.Context() + "\n" + w.String() + "\n"
	}
	return s
}

// topics parses a condition on each line and returns what topics it needs.
func topics(t *testing.T, lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		q, err := query.Parse(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n    %s\n", q, strings.Join(q.Topics(), ", "))
	}
	return b.String()
}

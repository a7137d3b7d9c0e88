package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"tidings/lab/cpu"

	"tidings"
)

// learnt are pages made to keep Learn busy. Each is a function of the fetch's number.
func learnt() map[string]func(fetch int) string {
	lines := func(line func(fetch, i int) string) func(int) string {
		return func(fetch int) string {
			var b strings.Builder
			for i := range 100_000 {
				b.WriteString("<p>" + line(fetch, i))
			}
			return b.String()
		}
	}
	every := func(n int, differs string) func(int) string {
		return lines(func(fetch, i int) string {
			if i%n == 0 {
				return fmt.Sprintf(differs, i, fetch)
			}
			return fmt.Sprint("line ", i)
		})
	}
	return map[string]func(int) string{
		"every fifth line":  every(5, "%[1]d has %[2]d seats"),
		"every 500th line":  every(500, "%[1]d has %[2]d seats"),
		"every 1600th line": every(1600, "number %[1]d has %[2]d seats"),
		"60 words":          every(1600, "word %[1]d x%[2]dy"),
		"all lines":         lines(func(fetch, i int) string { return fmt.Sprint(i*7+fetch, " is a number") }),
		"equal lines, and 60": lines(func(fetch, i int) string {
			if i%1600 == 0 {
				return fmt.Sprint("line ", i, " and ", fetch)
			}
			return "line 1 and"
		}),
	}
}

// What is masked is a copy, and a rule that is tried is known to change lines without masking them.
func TestRulesThatChangeLines(t *testing.T) {
	place := path{1}
	lines := []line{{text: "a 1 b", path: place}, {text: "a x b"}, {text: "a … b"},
		{text: "c", path: place, kept: true}}
	was := slices.Clone(lines)
	for i, c := range []struct {
		rule rule
		want bool
	}{
		{rule{Place: &place}, true},
		{rule{Place: &path{2}}, false},
		{rule{Template: &template{Path: place, Parts: []string{"a ", " b"}, Kinds: "#"}}, true},
		{rule{Template: &template{Path: place, Parts: []string{"a ", " b"}, Kinds: "*"}}, true},
		{rule{Template: &template{Parts: []string{"a ", " b"}, Kinds: "#"}}, false},
		{rule{Template: &template{Parts: []string{"a ", " b"}, Kinds: "*"}}, true},
		{rule{Template: &template{Path: place, Parts: []string{"a 1 ", "1 b"}, Kinds: "#"}}, false},
		{rule{Template: &template{Path: place, Parts: []string{"", "c"}, Kinds: "*"}}, false},
	} {
		masked := Noise{[]rule{c.rule}}.mask(lines)
		if got := c.rule.changes(lines); got != c.want || got == sameText(masked, was) {
			t.Errorf("rule %d: changes lines: %v, want %v", i, got, c.want)
		}
		if !slices.Equal(lines, was) {
			t.Fatalf("rule %d changed the lines themselves", i)
		}
	}
}

// BenchmarkWorstLearn measures what learning costs, and reading with what was learned.
func BenchmarkWorstLearn(b *testing.B) {
	for name, page := range learnt() {
		docs := [2]Document{}
		for i := range docs {
			doc, err := Extract([]byte(page(i)), "text/html", "", tidings.PageOptions{}, Noise{}, Default())
			if err != nil {
				b.Fatal(err)
			}
			docs[i] = doc
		}
		measure := func(what string, do func()) {
			b.Run(name+"/"+what, func(b *testing.B) {
				start := cpu.Time()
				for b.Loop() {
					do()
				}
				b.ReportMetric(float64((cpu.Time()-start).Milliseconds())/float64(b.N), "CPU-ms")
			})
		}
		var noise Noise
		measure("learn", func() { noise, _ = Learn(docs[0], docs[1]) })
		measure("mask", func() { noise.mask(docs[0].lines) })
	}
}

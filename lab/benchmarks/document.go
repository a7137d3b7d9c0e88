package benchmarks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Columns of the document: no line has more, and prose is wrapped long before.
const (
	maxColumns   = 200
	proseColumns = 150
)

// topicLine is the line of the text where the rows of a topic are to stand.
var topicLine = regexp.MustCompile(`(?m)^\{\{([a-z0-9-]+)\}\}$`)

// topicsOf returns the topics of the text of the project at root, in their order.
func topicsOf(root string) (topics []string, err error) {
	text, err := os.ReadFile(filepath.Join(root, Text))
	for _, m := range topicLine.FindAllSubmatch(text, -1) {
		topics = append(topics, string(m[1]))
	}
	return topics, err
}

// Make makes the document of the text and the rows of the project at root.
func Make(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, Text))
	if err != nil {
		return nil, err
	}
	rows, err := Load(root)
	if err != nil {
		return nil, err
	}
	topics := make(map[string][]string)
	for _, r := range rows {
		topics[r.topic] = append(topics[r.topic], r.text())
	}
	document := topicLine.ReplaceAllStringFunc(string(text), func(line string) string {
		topic := strings.Trim(line, "{}")
		all := strings.Join(topics[topic], "\n")
		delete(topics, topic)
		return strings.TrimSuffix(all, "\n")
	})
	for topic := range topics {
		return nil, fmt.Errorf("%s has no line {{%s}} for the rows of %s/%s", Text, topic, Results, topic)
	}
	document = "<!-- Made by tidings-lab benchmarks of docs/results: change what is there. -->\n" + document
	for line := range strings.Lines(document) {
		if utf8.RuneCountInString(line) > maxColumns {
			return nil, fmt.Errorf("a line of the document has more than %d columns: %s", maxColumns, line)
		}
	}
	return []byte(document), nil
}

// text returns the row's text in the document: where its figures come from, whether they hold, and the figures.
func (r *Row) text() string {
	prose := fmt.Sprintf("**`%s`**: commit %s; %s", r.Command, r.Commit, r.Machine)
	if r.Result != nil {
		prose = fmt.Sprintf("**`%s`**: commit `%s`, %s; %s; %.0f s of processor time", r.Command, r.Commit, r.Date,
			r.Machine, r.Result.CPUSeconds)
	}
	if r.Trace != "" {
		prose += "; trace `" + r.Trace + "`"
	}
	prose += "."
	if r.Stale != "" {
		prose += " **Stale:** " + r.Stale + "."
	}
	if r.Note != "" {
		prose += " " + r.Note
	}
	table := r.Table
	if r.Result != nil {
		table = r.figures()
	}
	return wrap(prose) + "\n" + strings.Join(table, "\n") + "\n"
}

// figures returns the table of a result. A figure that misses its aim is bold.
func (r *Row) figures() []string {
	table := [][]string{{"figure", "here", "95 %", "aim", "the paper", "limited by"}}
	for i, row := range r.Result.Rows() {
		if !row.OK {
			row.Here = "**" + row.Here + "**"
		}
		f := r.Result.Figures[i]
		table = append(table, []string{f.Label.String(), row.Here, row.Range, row.Expected, row.Paper,
			r.Limits[f.Name]})
	}
	table = withoutEmpty(table)
	lines := []string{line(table[0]), "|---" + strings.Repeat("|---:", len(table[0])-1) + "|"}
	for _, row := range table[1:] {
		lines = append(lines, line(row))
	}
	return lines
}

func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

// withoutEmpty leaves out the columns of a table that have nothing below their heads.
func withoutEmpty(table [][]string) [][]string {
	for column := len(table[0]) - 1; column > 0; column-- {
		if slices.ContainsFunc(table[1:], func(row []string) bool { return row[column] != "" }) {
			continue
		}
		for i := range table {
			table[i] = slices.Delete(table[i], column, column+1)
		}
	}
	return table
}

// wrap breaks prose into lines.
func wrap(prose string) string {
	var b strings.Builder
	at := 0
	for word := range strings.FieldsSeq(prose) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
		case at+1+n > proseColumns:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String() + "\n"
}

// Write makes the document anew.
func Write(root string) error {
	document, err := Make(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, Document), document, 0o644)
}

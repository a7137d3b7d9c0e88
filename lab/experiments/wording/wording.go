// Package wording has a page of each experiment: what is done, who claims it, the parameters by scale, the questions that its figures answer, what people
// call these, and the sentences that its report begins with. Package lab says what it makes of them; the struct of the parameters says what they mean.
package wording

import (
	"embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tidings/lab"
)

//go:embed *.md
var pages embed.FS

// Of returns an experiment with what the page of its name says. It panics if that cannot be read: pages are part of the program.
func Of[P any](name string, e lab.Experiment[P]) lab.Experiment[P] {
	text, err := pages.ReadFile(name + ".md")
	must(name, err)
	sections := strings.Split(string(text), "\n## ")
	title, about, _ := strings.Cut(strings.TrimPrefix(sections[0], "# "), "\n")
	e.Name, e.Title, e.About = name, title, prose(about)
	for _, section := range sections[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		switch heading {
		case "Source":
			e.Source = prose(body)
		case "Parameters":
			for i, p := range []*P{&e.Tiny, &e.Quick, &e.Paper} {
				must(name, parameters(body, i+1, p))
			}
		case "Cases":
			e.Words.Cases = make(map[string]string)
			for _, i := range items(body) {
				e.Words.Cases[i.name] = i.says
			}
		case "Findings":
			for _, i := range items(body) {
				e.Words.Findings = append(e.Words.Findings, i.finding())
			}
		default:
			q := lab.Question{Asks: heading}
			for _, i := range items(body) {
				q.Measures = append(q.Measures, lab.Measure{Name: i.name, Label: i.says})
			}
			e.Words.Questions = append(e.Words.Questions, q)
		}
	}
	return e
}

func must(name string, err error) {
	if err != nil {
		panic(fmt.Sprintf("the page of the experiment %s: %v", name, err))
	}
}

func prose(text string) string { return strings.Join(strings.Fields(text), " ") }

// item is a line "- `name` (note): says".
type item struct{ name, note, says string }

func items(body string) (all []item) {
	for line := range strings.Lines(body) {
		if line, is := strings.CutPrefix(strings.TrimSpace(line), "- `"); is {
			name, rest, _ := strings.Cut(line, "`")
			note, says, _ := strings.Cut(rest, ":")
			all = append(all, item{name, strings.Trim(note, " ()"), strings.TrimSpace(says)})
		}
	}
	return all
}

// finding reads a note "sooner than `name`", "fewer than `name`", or "by whom", which says who has the figure's Paper.
func (i item) finding() lab.Finding {
	f := lab.Finding{Figure: i.name, Says: i.says}
	f.By, _ = strings.CutPrefix(i.note, "by ")
	for _, c := range []lab.Comparison{lab.Sooner, lab.Fewer} {
		if against, is := strings.CutPrefix(i.note, c.Less+" than "); is {
			f.Against, f.Words, f.By = strings.Trim(against, "`"), c, ""
		}
	}
	return f
}

// parameters reads a column of a table whose rows are fields of p, by their names in JSON. Lists stand in brackets.
func parameters(table string, column int, p any) error {
	fields := make(map[string]any)
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 2+column {
			continue
		}
		name, cell := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[1+column])
		if name == "" || strings.HasPrefix(name, "-") {
			continue
		}
		list, is := strings.CutPrefix(cell, "[")
		if !is {
			fields[name] = value(cell)
			continue
		}
		values := []any{}
		for _, word := range strings.Fields(strings.TrimSuffix(list, "]")) {
			values = append(values, value(word))
		}
		fields[name] = values
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	return d.Decode(p)
}

// value reads a number, a time, or else a name.
func value(word string) any {
	if n, err := strconv.Atoi(strings.ReplaceAll(word, ",", "")); err == nil {
		return n
	}
	if d, err := time.ParseDuration(word); err == nil {
		return d
	}
	return word
}

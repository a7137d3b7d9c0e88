// Package wording has a page of each experiment: what is done, the source of its claim, the parameters by scale, the
// questions that its figures answer, what people call these, the sentences that its report begins with, and what its
// plots say. Package lab says what it makes of them. The struct of the parameters says what they mean.
package wording

import (
	"embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tidings/lab"
	"tidings/lab/plot"
)

//go:embed *.md
var pages embed.FS

// Of returns an experiment with what the page of its name says. It panics if that cannot be read: pages are part of the
// program.
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
		case "Plots": // see Plots
		default:
			if !strings.HasSuffix(heading, "?") {
				must(name, fmt.Errorf("it has a part %q, which is no question", heading))
			}
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

// prose returns paragraphs as one line.
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

// finding reads a note "sooner than `name`", "fewer than `name`", or "by whom", which says which system has the
// figure's Paper.
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

// parameters reads a column of a table whose rows are fields of p; see lab.ReadParameters.
func parameters(table string, column int, p any) error {
	texts := make(map[string]string)
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 2+column {
			continue
		}
		name, cell := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[1+column])
		if name != "" && !strings.HasPrefix(name, "-") {
			texts[name] = cell
		}
	}
	return lab.ReadParameters(p, texts)
}

// Plots returns the beginnings of an experiment's plots with some parameters: by a plot's name, all that the page says
// of it. In a title or caption, {nodes} stands for the parameter of that name, and {} for the next of what it leaves
// open. It panics if the page has no such plot.
func Plots[P any](experiment string, parameters P) func(name string, open ...any) plot.Plot {
	text, err := pages.ReadFile(experiment + ".md")
	must(experiment, err)
	filled := strings.NewReplacer(fields(experiment, parameters)...)
	return func(name string, open ...any) plot.Plot {
		_, part, found := strings.Cut(string(text), "\n### "+name+": ")
		if !found {
			panic(fmt.Sprintf("the page of the experiment %s has no plot %q", experiment, name))
		}
		part, _, _ = strings.Cut(part, "\n##")
		for _, o := range open {
			part = strings.Replace(part, "{}", fmt.Sprint(o), 1)
		}
		title, body, _ := strings.Cut(filled.Replace(part), "\n")
		caption, list, _ := strings.Cut(body, "\n- ")
		p := plot.Plot{Name: name, Title: title, Caption: prose(caption)}
		for line := range strings.SplitSeq(list, "\n") {
			add(&p, strings.TrimPrefix(line, "- "))
		}
		return p
	}
}

// add adds what a line says: an axis, a line that a source says, or that the plot is of the machine.
func add(p *plot.Plot, line string) {
	head, says, _ := strings.Cut(line, ":")
	says = strings.TrimSpace(says)
	at, number, _ := strings.Cut(strings.TrimSpace(head), " ")
	x, _ := strconv.ParseFloat(number, 64)
	switch at {
	case "x":
		p.X = axis(says)
	case "y":
		p.Y = axis(says)
	case "level":
		p.Said = append(p.Said, plot.Level(says, x))
	case "upright":
		p.Said = append(p.Said, plot.Upright(says, x))
	case "of":
		p.OfMachine = true
	}
}

// axis reads "time [s], log".
func axis(text string) (a plot.Axis) {
	text, a.Log = strings.CutSuffix(text, ", log")
	text, a.Share = strings.CutSuffix(text, ", share")
	a.Label, a.Unit, _ = strings.Cut(strings.TrimSuffix(text, "]"), " [")
	return a
}

// fields returns pairs of what stands for a parameter, and how it is written.
func fields(experiment string, parameters any) (pairs []string) {
	data, err := json.Marshal(parameters)
	must(experiment, err)
	var values map[string]any
	must(experiment, json.Unmarshal(data, &values))
	for name, value := range values {
		if n, is := value.(float64); is {
			text := lab.Count(int(n))
			if strings.HasSuffix(name, "_ns") {
				text = time.Duration(n).String()
			}
			pairs = append(pairs, "{"+name+"}", text)
		}
	}
	return pairs
}

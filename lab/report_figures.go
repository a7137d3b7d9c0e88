package lab

import (
	"fmt"
	"slices"
	"strings"
)

// verdict says how a figure is to its bounds. It is the name of a style on the page, too.
type verdict string

const (
	good  verdict = "good"  // within
	bad   verdict = "bad"   // outside
	aside verdict = "aside" // there are none
)

func (f *Figure) verdict() verdict {
	switch {
	case f.Aside:
		return aside
	case f.OK:
		return good
	}
	return bad
}

// Mark and Word are what stands for the verdict.
func (v verdict) Mark() string {
	return map[verdict]string{good: "✓", bad: "✗", aside: "·"}[v]
}

// Word says the verdict.
func (v verdict) Word() string {
	return map[verdict]string{good: "as expected", bad: "not as expected", aside: "not judged"}[v]
}

// sentence is a finding with its verdict.
type sentence struct {
	Found
	Verdict verdict
}

// maxFailedSaid is how many figures that are not as expected have a sentence of their own.
const maxFailedSaid = 8

// sentences returns the beginning of the result's report: its findings, and after them the figures that are not as
// expected and that no finding is about.
func (r *Result) sentences() (all []sentence) {
	said := make(map[string]bool)
	for _, found := range r.Findings {
		i := slices.IndexFunc(r.Figures, func(f Figure) bool { return f.Name == found.Figure })
		if i < 0 {
			continue
		}
		said[found.Figure] = true
		all = append(all, sentence{found, r.Figures[i].verdict()})
	}
	more := 0
	for _, f := range r.Failed() {
		if said[f.Name] {
			continue
		}
		if more++; more > maxFailedSaid {
			continue
		}
		write := func(x float64) string { return Quantity(x, f.Unit) }
		text := fmt.Sprintf("%s: %s.", f.called(), write(f.Here))
		all = append(all, sentence{Found{Text: text, Figure: f.Name, Detail: f.wanted(write)}, bad})
	}
	if more > maxFailedSaid {
		text := fmt.Sprintf("%d more figures are not as expected; they are marked in the tables below.",
			more-maxFailedSaid)
		all = append(all, sentence{Found{Text: text}, bad})
	}
	return all
}

// called is what people call the figure, as the begin of a sentence.
func (f *Figure) called() string { return capital(f.words().String()) }

// words returns the figure's label; that of an old result is made of the name.
func (f *Figure) words() Label {
	if f.Measure != "" {
		return f.Label
	}
	return Words{}.label(f.Name)
}

// figureGroup are the figures that answer one question.
type figureGroup struct {
	Question string
	Measures []figureMeasure
	Count    int // figures
	Judged   int // of them
	Failed   int // of these

	HasPaper     bool
	HasTolerance bool // around a value of the paper
	HasRange     bool
}

// figureMeasure are the figures of one measure, in all its cases.
type figureMeasure struct {
	Label string
	Rows  []figureRow
}

type figureRow struct {
	Row
	Name    string // for programs
	Label   string // empty: the measure says it
	Verdict verdict
}

// otherFigures is the question of figures that nobody has grouped.
const otherFigures = "Other figures"

// groups returns the tables of the figures, in the order in which questions and measures come up.
func (r *Result) groups() (groups []figureGroup) {
	for i, row := range r.Rows() {
		f := &r.Figures[i]
		words := f.words()
		question := words.Question
		if question == "" {
			question = otherFigures
		}
		g := slices.IndexFunc(groups, func(g figureGroup) bool { return g.Question == question })
		if g < 0 {
			g = len(groups)
			groups = append(groups, figureGroup{Question: question})
		}
		groups[g].add(words, figureRow{row, f.Name, words.Case, f.verdict()})
	}
	if len(groups) == 1 && groups[0].Question == otherFigures {
		groups[0].Question = "All figures"
	}
	last := func(g figureGroup) int {
		if g.Question == otherFigures {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(groups, func(a, b figureGroup) int { return last(a) - last(b) })
	return groups
}

func (g *figureGroup) add(words Label, row figureRow) {
	g.Count++
	g.HasPaper = g.HasPaper || row.Paper != ""
	g.HasTolerance = g.HasTolerance || row.Tolerance != ""
	g.HasRange = g.HasRange || row.Range != ""
	switch row.Verdict {
	case bad:
		g.Failed++
		g.Judged++
	case good:
		g.Judged++
	}
	i := slices.IndexFunc(g.Measures, func(m figureMeasure) bool { return m.Label == words.Measure })
	if i < 0 {
		i = len(g.Measures)
		g.Measures = append(g.Measures, figureMeasure{Label: words.Measure})
	}
	g.Measures[i].Rows = append(g.Measures[i].Rows, row)
}

// Open reports whether the page shows the table before anybody asks for it.
func (g figureGroup) Open() bool { return g.Failed > 0 }

// Columns returns how many columns the table has.
func (g figureGroup) Columns() int {
	n := 3 // the figure, here, and what is expected
	for _, has := range []bool{g.HasPaper, g.HasTolerance, g.HasRange} {
		if has {
			n++
		}
	}
	return n
}

// One returns the only row of a measure that has one case; nil: it has several.
func (m figureMeasure) One() *figureRow {
	if len(m.Rows) == 1 {
		return &m.Rows[0]
	}
	return nil
}

// Title is the measure's label as a heading.
func (m figureMeasure) Title() string { return capital(m.Label) }

// capital returns text with a capital letter at its begin.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

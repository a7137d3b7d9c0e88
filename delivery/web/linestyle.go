package web

import (
	"regexp"
	"strings"

	"tidings/delivery/diffview"
)

// A page's lines begin with signs for what they were: "## " a heading, "- " an item of
// a list. Compared they are text; shown, a heading is bold and an item has a bullet.

// headingSigns are the signs of headings within lines that were joined, as a search
// result's are. Those of lists stay: within a sentence they may be dashes.
var headingSigns = regexp.MustCompile(`(^|\s)#{1,6} `)

// drawn is a line as it is shown: without its sign, which Class stands for.
type drawn struct {
	Class string // "", "heading", "bullet"
	Spans []diffview.Span
}

// Text returns the whole line.
func (d drawn) Text() string { return (&diffview.Line{Spans: d.Spans}).Text() }

// lineSign returns the sign that a line begins with, and its class.
func lineSign(line string) (sign, class string) {
	if strings.HasPrefix(line, "- ") {
		return "- ", "bullet"
	}
	level := len(line) - len(strings.TrimLeft(line, "#"))
	if level >= 1 && level <= 6 && strings.HasPrefix(line[level:], " ") {
		return line[:level+1], "heading"
	}
	return "", ""
}

// draw removes the sign from a line.
func draw(spans []diffview.Span) drawn {
	if len(spans) == 0 || spans[0].Marked {
		return drawn{Spans: spans}
	}
	sign, class := lineSign(spans[0].Text)
	rest := append([]diffview.Span{{Text: spans[0].Text[len(sign):]}}, spans[1:]...)
	return drawn{class, rest}
}

// drawLine is draw for a line that is shown by itself.
func drawLine(line string) drawn { return draw([]diffview.Span{{Text: line}}) }

// drawnRow is a row of a difference as it is shown.
type drawnRow struct{ Old, New *drawn }

// Draw returns a row as it is shown. Signs that differ stay: they are the change.
func (d *difference) Draw(r diffview.Row) (shown drawnRow) {
	signs := d.Signs
	if r.Old != nil && r.New != nil {
		was, _ := lineSign(r.Old.Text())
		is, _ := lineSign(r.New.Text())
		signs = signs && was == is
	}
	one := func(l *diffview.Line) *drawn {
		if l == nil {
			return nil
		}
		shown := drawn{Spans: l.Spans}
		if signs {
			shown = draw(l.Spans)
		}
		return &shown
	}
	return drawnRow{one(r.Old), one(r.New)}
}

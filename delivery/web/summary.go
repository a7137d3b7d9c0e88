package web

import (
	"strings"

	"tidings"
	"tidings/delivery/diffview"
	"tidings/delivery/web/wording"
	"tidings/markup"
)

// linesOf returns text's lines without blank ones and blanks at their ends.
func linesOf(text string) []string {
	var lines []string
	for l := range strings.Lines(text) {
		if l = wording.Plain(l, 4000); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// summaryOf returns the line that stands below an entry's title in the river: what an
// item begins with, or what of a page changed first.
func summaryOf(w wording.Words, e tidings.Entry) string {
	switch {
	case e.Kind == tidings.KindPage && e.Version == 1:
		return w.Text("%s to begin with", w.Count(int64(tallyOf(e.Delta).Added), "line", "lines"))
	case e.Kind == tidings.KindPage:
		return firstChange(w, e.Delta, wording.MaxSummary)
	}
	text := wording.Fallback(e.Content.Summary, e.Content.Content)
	return wording.Plain(markup.Text(text, 4*wording.MaxSummary), wording.MaxSummary)
}

// tally counts what a page's delta adds and removes, in lines.
type tally struct{ Added, Removed int }

func tallyText(w wording.Words, t tally) string {
	var parts []string
	if t.Added > 0 {
		parts = append(parts, w.Count(int64(t.Added), "line added", "lines added"))
	}
	if t.Removed > 0 {
		parts = append(parts, w.Count(int64(t.Removed), "line removed", "lines removed"))
	}
	return strings.Join(parts, ", ")
}

// shortTally returns a tally in signs; "" if nothing changed.
func shortTally(w wording.Words, t tally) string {
	var parts []string
	if t.Added > 0 {
		parts = append(parts, "+"+w.Number(int64(t.Added)))
	}
	if t.Removed > 0 {
		parts = append(parts, "−"+w.Number(int64(t.Removed)))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + " " + w.Form(int64(t.Added+t.Removed), "line", "lines")
}

func tallyOf(delta string) tally {
	var t tally
	for l := range strings.Lines(delta) {
		switch {
		case strings.HasPrefix(l, "> "):
			t.Added++
		case strings.HasPrefix(l, "< "):
			t.Removed++
		}
	}
	return t
}

// maxFirstDelta bounds how much of a delta is compared word by word for its first change.
const maxFirstDelta = 16 << 10

// firstChange returns what a delta first adds, else what it first removes: the line,
// or where that is long, the part of it that differs.
func firstChange(w wording.Words, delta string, max int) string {
	if len(delta) > maxFirstDelta {
		delta = delta[:strings.LastIndexByte(delta[:maxFirstDelta], '\n')+1]
	}
	var removed string
	for _, h := range diffview.View(delta) {
		for _, r := range h.Rows {
			if r.New != nil {
				if text := wording.Plain(excerpt(r.New, max), max); text != "" {
					return text
				}
			}
			if r.Old != nil && removed == "" {
				removed = wording.Plain(excerpt(r.Old, max), max)
			}
		}
	}
	if removed != "" {
		return w.Text("Removed: %s", removed)
	}
	return ""
}

// excerpt returns a line without the sign of a heading or list. If the difference would be cut off, it begins shortly
// before it.
func excerpt(l *diffview.Line, max int) string {
	sign, _ := lineSign(l.Text())
	text := l.Text()[len(sign):]
	before := 0
	for _, s := range l.Spans {
		if s.Marked {
			break
		}
		before += len(s.Text)
	}
	lead := max / 3
	if len(text) <= max || before <= lead || before >= len(l.Text()) {
		return text
	}
	rest := l.Text()[before-lead:]
	if _, whole, ok := strings.Cut(rest, " "); ok {
		rest = whole
	}
	return "… " + strings.ToValidUTF8(rest, "")
}

// maxDiffRows bounds how many changed lines one page shows.
const maxDiffRows = 600

// difference is a change as it is shown.
type difference struct {
	Hunks []diffview.Hunk
	Left  int  // rows that are not shown
	Signs bool // lines begin with the signs of a page's lines
	tally
}

func differenceOf(hunks []diffview.Hunk, rows int) *difference {
	var d difference
	for _, h := range hunks {
		for _, r := range h.Rows {
			if r.New != nil {
				d.Added++
			}
			if r.Old != nil {
				d.Removed++
			}
		}
	}
	d.Hunks, d.Left = diffview.Cut(hunks, rows)
	return &d
}

// pageDifference shows how a page changed.
func pageDifference(delta string, rows int) *difference {
	d := differenceOf(diffview.View(delta), rows)
	d.Signs = true
	return d
}

// itemDifference shows how the text that a reader sees of an item was revised.
func itemDifference(before, after tidings.Item) *difference {
	return differenceOf(diffview.Texts(readerText(before), readerText(after)), maxDiffRows)
}

func readerText(i tidings.Item) string {
	body := wording.Fallback(i.Content, i.Summary)
	lines := append([]string{wording.Plain(i.Title, 4*wording.MaxTitle)}, linesOf(markup.Text(body, maxContent))...)
	return strings.Join(lines, "\n") + "\n"
}

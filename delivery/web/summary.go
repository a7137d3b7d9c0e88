package web

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tidings"
	"tidings/delivery/diffview"
)

// textOf reads markup as text of at most max bytes, a line for each block that holds any.
// It reads tokens, not a tree, so that a summary costs what is read of it.
func textOf(markup string, max int) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(markup))
	z.SetMaxBuf(1 << 20)
	hidden := atom.Atom(0) // the dropped element that we are in
	newLine := func() {
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
	}
	for b.Len() < max {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if hidden == 0 {
				text := z.Text()
				b.WriteString(strings.ToValidUTF8(string(text[:min(len(text), max-b.Len())]), ""))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch a := atom.Lookup(name); {
			case hidden == 0 && isOpaque(a):
				hidden = a
			case blocks[a]:
				newLine()
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			switch a := atom.Lookup(name); {
			case hidden != 0 && a == hidden:
				hidden = 0
			case blocks[a]:
				newLine()
			}
		}
	}
	return b.String()
}

// isOpaque reports whether an element's inside is no text for people. Elements that
// have no end tag are left out: they have no inside.
func isOpaque(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Template, atom.Svg, atom.Math, atom.Title:
		return true
	}
	return false
}

// linesOf returns text's lines without blank ones and blanks at their ends.
func linesOf(text string) []string {
	var lines []string
	for l := range strings.Lines(text) {
		if l = plain(l, 4000); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// summaryOf returns the line that stands below an entry's title in the river: what an
// item begins with, or what of a page changed first.
func summaryOf(e tidings.Entry) string {
	switch {
	case e.Kind == tidings.KindPage && e.Version == 1:
		return count(tallyOf(e.Delta).Added, "line", "lines") + " to begin with"
	case e.Kind == tidings.KindPage:
		return firstChange(e.Delta, maxSummary)
	}
	text := fallback(e.Content.Summary, e.Content.Content)
	return plain(textOf(text, 4*maxSummary), maxSummary)
}

// tally counts what a page's delta adds and removes, in lines.
type tally struct{ Added, Removed int }

func (t tally) String() string {
	var parts []string
	if t.Added > 0 {
		parts = append(parts, count(t.Added, "line added", "lines added"))
	}
	if t.Removed > 0 {
		parts = append(parts, count(t.Removed, "line removed", "lines removed"))
	}
	return strings.Join(parts, ", ")
}

// Short returns the tally in signs; "" if nothing changed.
func (t tally) Short() string {
	var parts []string
	if t.Added > 0 {
		parts = append(parts, "+"+thousands(int64(t.Added)))
	}
	if t.Removed > 0 {
		parts = append(parts, "−"+thousands(int64(t.Removed)))
	}
	if t.Added+t.Removed == 1 {
		return parts[0] + " line"
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + " lines"
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
func firstChange(delta string, max int) string {
	if len(delta) > maxFirstDelta {
		delta = delta[:strings.LastIndexByte(delta[:maxFirstDelta], '\n')+1]
	}
	var removed string
	for _, h := range diffview.View(delta) {
		for _, r := range h.Rows {
			if r.New != nil {
				if text := plain(excerpt(r.New, max), max); text != "" {
					return text
				}
			}
			if r.Old != nil && removed == "" {
				removed = plain(excerpt(r.Old, max), max)
			}
		}
	}
	if removed != "" {
		return "Removed: " + removed
	}
	return ""
}

// excerpt returns a line without the sign of a heading or list, or from shortly before
// what differs in it if the difference would else be cut off.
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

// pageDifference tells how a page changed.
func pageDifference(delta string, rows int) *difference {
	d := differenceOf(diffview.View(delta), rows)
	d.Signs = true
	return d
}

// itemDifference tells how an item was revised, in what a reader sees of it.
func itemDifference(before, after tidings.Item) *difference {
	return differenceOf(diffview.Texts(readerText(before), readerText(after)), maxDiffRows)
}

func readerText(i tidings.Item) string {
	body := fallback(i.Content, i.Summary)
	lines := append([]string{plain(i.Title, 4*maxTitle)}, linesOf(textOf(body, maxContent))...)
	return strings.Join(lines, "\n") + "\n"
}

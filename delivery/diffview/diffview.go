// Package diffview makes changes readable: it turns a delta, or two states of a text, into hunks of removed and added
// lines. Lines that correspond are paired, and the words that differ are marked.
//
// It knows nothing of HTML or of terminals; an interface draws what it gets. Texts are as they came in and have to be
// escaped where they are shown.
//
// The work is bounded: see MaxWords, MaxCompared and Cut. Beyond the bounds lines are neither paired nor marked; none
// is lost.
package diffview

import (
	"strconv"
	"strings"
)

// Hunk is one place where two states differ.
type Hunk struct {
	OldLine int // number of the first line that changed, in the old state, counting from 1
	NewLine int // the same in the new state; where nothing was added, of the line that now stands there
	Rows    []Row
}

// Row is a line that changed: removed (New is nil), added (Old is nil), or rewritten.
type Row struct {
	Old, New *Line
}

// Line is one line of one state.
type Line struct {
	Number int // in its state, counting from 1
	Spans  []Span
}

// Span is a part of a line.
type Span struct {
	Text   string
	Marked bool // it is what differs from the other line of the row
}

// Text returns the whole line.
func (l *Line) Text() string {
	var b strings.Builder
	for _, s := range l.Spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// View reads a delta in the normal output format of diff. It is for showing, not for
// applying: what it cannot read it passes over, and it never fails.
func View(text string) []Hunk {
	var hunks []Hunk
	budget := MaxCompared
	for len(text) > 0 {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		oldLine, newLine, ok := command(line)
		if !ok {
			continue
		}
		var removed, added []string
		removed, text = marked(text, '<')
		if rest, ok := strings.CutPrefix(text, "---\n"); ok {
			text = rest
		}
		added, text = marked(text, '>')
		hunks = append(hunks, hunk(oldLine, newLine, removed, added, &budget))
	}
	return hunks
}

// Cut returns the first hunks with at most rows rows together, the last of them cut short if needed. It also returns
// how many rows it left out.
func Cut(hunks []Hunk, rows int) (shown []Hunk, left int) {
	for _, h := range hunks {
		switch {
		case rows == 0:
			left += len(h.Rows)
			continue
		case len(h.Rows) > rows:
			left += len(h.Rows) - rows
			h.Rows = h.Rows[:rows]
		}
		rows -= len(h.Rows)
		shown = append(shown, h)
	}
	return shown, left
}

// command reads the line that opens a hunk, such as "5,7c8,10". The line that an
// addition or deletion goes behind is turned into the line it stands at.
func command(line string) (oldLine, newLine int, ok bool) {
	at := strings.IndexAny(line, "acd")
	if at < 0 {
		return 0, 0, false
	}
	oldLine, okOld := firstNumber(line[:at])
	newLine, okNew := firstNumber(line[at+1:])
	switch line[at] {
	case 'a':
		oldLine++
	case 'd':
		newLine++
	}
	return oldLine, newLine, okOld && okNew
}

func firstNumber(lineRange string) (int, bool) {
	first, _, _ := strings.Cut(lineRange, ",")
	n, err := strconv.Atoi(first)
	return n, err == nil && n >= 0
}

// marked removes the lines that begin with mark from the head of text.
func marked(text string, mark byte) (lines []string, rest string) {
	for len(text) > 0 && text[0] == mark {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		lines = append(lines, strings.TrimPrefix(line[1:], " "))
	}
	return lines, text
}

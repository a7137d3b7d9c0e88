// Package delta describes how one list of lines became another, in the normal output format of POSIX diff.
//
// This is what is sent and stored when a page changes. Any diff tool can check it: a file is each line followed by a
// newline, GNU "patch --normal" makes the new file of the old one byte for byte, and so does Apply. The output of GNU
// diff can be read here.
//
// A line holds neither "\n" nor "\r"; the makers of lines (source/page) ensure that. Since every line ends with a
// newline, the marker "\ No newline at end of file" is never written. A text that has it is refused: no list of lines
// is such a file.
//
// Nothing is applied before it is proved to fit. A Delta keeps the lines it removes as well as those it adds, Apply
// compares them, and ApplyTo also checks the hash of the base and of the result. The cost of every function is bounded:
// see Limits for reading, and Compute for making.
//
// Source: POSIX.1-2024, diff, "Diff Default Output Format".
package delta

import (
	"strconv"
	"strings"
)

// Delta is the changes from one list of lines to another, in rising order and
// without overlap. The zero value changes nothing.
type Delta []Hunk

// Hunk replaces the lines Old, of which the first is line At of the old list, by New.
// At least one of the two is not empty.
type Hunk struct {
	At  int // counts from 0; where Old is empty, New goes before this line
	Old []string
	New []string
}

// String returns d as the normal output of diff. It is empty if d changes nothing.
func (d Delta) String() string {
	var b strings.Builder
	b.Grow(d.textSize())
	shift := 0 // how much further down a line stands in the new list
	for _, h := range d {
		b.WriteString(h.command(shift))
		writeLines(&b, "< ", h.Old)
		if len(h.Old) > 0 && len(h.New) > 0 {
			b.WriteString("---\n")
		}
		writeLines(&b, "> ", h.New)
		shift += len(h.New) - len(h.Old)
	}
	return b.String()
}

// command returns the line that opens a hunk, such as "5,7c8,10\n".
func (h Hunk) command(shift int) string {
	verb := "c"
	switch {
	case len(h.Old) == 0:
		verb = "a"
	case len(h.New) == 0:
		verb = "d"
	}
	return lineRange(h.At, len(h.Old)) + verb + lineRange(h.At+shift, len(h.New)) + "\n"
}

// lineRange names n lines from the line at (counted from 0). No lines at all are
// named by the line before them.
func lineRange(at, n int) string {
	switch n {
	case 0:
		return strconv.Itoa(at)
	case 1:
		return strconv.Itoa(at + 1)
	}
	return strconv.Itoa(at+1) + "," + strconv.Itoa(at+n)
}

func writeLines(b *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		b.WriteString(mark)
		b.WriteString(line)
		b.WriteString("\n")
	}
}

// textSize estimates the length of String from above, near enough to allocate once.
func (d Delta) textSize() int {
	const command, mark = 40, 3
	size := 0
	for _, h := range d {
		size += command
		for _, side := range [][]string{h.Old, h.New} {
			for _, line := range side {
				size += len(line) + mark
			}
		}
	}
	return size
}

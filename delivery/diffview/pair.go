package diffview

import (
	"github.com/aymanbagabas/go-udiff/lcs"
)

// MaxCompared bounds the bytes of lines that one View or Texts compares by words. The comparison finds the lines that
// correspond, and marks what differs in them. That needs about 0.1 s.
const MaxCompared = 4 << 20

// kin is the least share of common words for two lines to count as two states of one line. Below it, marks on a small
// number of shared words only confuse.
const kin = 0.4

// lookahead is how many added lines are tried for a removed one.
const lookahead = 8

// hunk pairs the lines of one change. Pairs stay in order: a line once passed over is
// not come back to.
func hunk(oldLine, newLine int, removed, added []string, budget *int) Hunk {
	h := Hunk{OldLine: oldLine, NewLine: newLine, Rows: make([]Row, 0, max(len(removed), len(added)))}
	add := func(until, from int) {
		for j := from; j < until; j++ {
			h.Rows = append(h.Rows, Row{New: whole(newLine+j, added[j])})
		}
	}
	j := 0
	for i, text := range removed {
		k, old, new := partner(text, added[j:], len(added)-j == len(removed)-i, budget)
		if k < 0 {
			h.Rows = append(h.Rows, Row{Old: whole(oldLine+i, text)})
			continue
		}
		add(j+k, j)
		j += k
		h.Rows = append(h.Rows, Row{Old: &Line{oldLine + i, old}, New: &Line{newLine + j, new}})
		j++
	}
	add(len(added), j)
	return h
}

// partner finds the added line that corresponds to a removed one and marks both: the most alike of the next lookahead.
// It returns -1 if none is alike. even says that as many lines are left on both sides, so that the first is tried alone
// if it is alike.
func partner(text string, added []string, even bool, budget *int) (at int, old, new []Span) {
	at, best := -1, kin
	for k := 0; k < len(added) && k < lookahead && *budget > 0; k++ {
		*budget -= len(text) + len(added[k])
		a, b, share := compareWords(text, added[k])
		if share >= best {
			at, old, new, best = k, a, b, share
		}
		if k == 0 && even && at == 0 {
			break
		}
	}
	return at, old, new
}

// whole is a line that has no partner. Nothing in it is marked: all of it is new or gone.
func whole(number int, text string) *Line {
	return &Line{Number: number, Spans: []Span{{Text: text}}}
}

// Texts shows how one text became another, by lines, and by sentences within them: for the revisions of an item. The
// line numbers count these pieces.
func Texts(before, after string) []Hunk {
	a, b := pieces(before), pieces(after)
	var hunks []Hunk
	budget := MaxCompared
	for _, d := range lcs.DiffLines(a, b) {
		hunks = append(hunks, hunk(d.Start+1, d.ReplStart+1, a[d.Start:d.End], b[d.ReplStart:d.ReplEnd], &budget))
	}
	return hunks
}

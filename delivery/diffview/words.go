package diffview

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// MaxWords bounds the words of a line that is compared by words.
const MaxWords = 2000

// compareWords marks the differences, and returns the share of text that is the same: from 0 to 1.
func compareWords(old, new string) (a, b []Span, share float64) {
	from, to := words(old), words(new)
	if len(from) > MaxWords || len(to) > MaxWords {
		return nil, nil, 0
	}
	x, y := numbered(from, to)
	var oldMarks, newMarks marks
	same := 0
	for _, d := range lcs.DiffRunes(x, y) {
		same += oldMarks.keep(from[oldMarks.done:d.Start])
		newMarks.keep(to[newMarks.done:d.ReplStart])
		oldMarks.mark(from[d.Start:d.End])
		newMarks.mark(to[d.ReplStart:d.ReplEnd])
	}
	same += oldMarks.keep(from[oldMarks.done:])
	newMarks.keep(to[newMarks.done:])
	longer := max(len(old), len(new))
	if longer == 0 {
		return nil, nil, 1
	}
	return oldMarks.spans, newMarks.spans, float64(same) / float64(longer)
}

// marks gathers the spans of one line.
type marks struct {
	spans []Span
	done  int // words
}

func (m *marks) keep(words []string) (bytes int) { return m.add(words, false) }
func (m *marks) mark(words []string)             { m.add(words, true) }

func (m *marks) add(words []string, marked bool) (bytes int) {
	m.done += len(words)
	text := strings.Join(words, "")
	switch n := len(m.spans); {
	case text == "":
	case n > 0 && m.spans[n-1].Marked == marked:
		m.spans[n-1].Text += text
	default:
		m.spans = append(m.spans, Span{Text: text, Marked: marked})
	}
	return len(text)
}

// numbered gives each different word a number.
func numbered(a, b []string) (x, y []rune) {
	numbers := map[string]rune{}
	list := func(words []string) []rune {
		l := make([]rune, len(words))
		for i, w := range words {
			if _, ok := numbers[w]; !ok {
				numbers[w] = rune(len(numbers))
			}
			l[i] = numbers[w]
		}
		return l
	}
	return list(a), list(b)
}

// words splits a line so that the parts joined give it again: runs of letters and
// digits (12.50 and 1,000 whole), runs of blanks, and every other character for itself.
// Characters of scripts that put no blanks between words stand for themselves.
func words(line string) []string {
	var list []string
	for len(line) > 0 && len(list) <= MaxWords {
		r, n := utf8.DecodeRuneInString(line)
		if kind := wordKind(r); kind != alone {
			for n < len(line) {
				r, size := utf8.DecodeRuneInString(line[n:])
				if wordKind(r) != kind && !inNumber(line, n) {
					break
				}
				n += size
			}
		}
		list = append(list, line[:n])
		line = line[n:]
	}
	return list
}

// inNumber reports whether line[i] is a point or comma between two digits.
func inNumber(line string, i int) bool {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	return (line[i] == '.' || line[i] == ',') && i > 0 && digit(line[i-1]) && i+1 < len(line) && digit(line[i+1])
}

const (
	alone = iota
	blank
	letter
)

func wordKind(r rune) int {
	switch {
	case unicode.IsSpace(r):
		return blank
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer):
		return alone
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
		return letter
	}
	return alone
}

// pieces splits a text into lines, and lines into sentences. Blank pieces are dropped.
func pieces(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		for line != "" {
			n := sentence(line)
			if piece := strings.TrimSpace(line[:n]); piece != "" {
				list = append(list, piece)
			}
			line = line[n:]
		}
	}
	return list
}

// sentence returns the length of the first sentence: up to a full stop, exclamation
// or question mark that a blank and a letter which is not small follow.
func sentence(line string) int {
	for i, r := range line {
		switch r {
		case '。', '！', '？':
			return i + utf8.RuneLen(r)
		case '.', '!', '?':
			rest := strings.TrimLeft(line[i+1:], `"')”’`)
			next := strings.TrimLeft(rest, " ")
			first, _ := utf8.DecodeRuneInString(next)
			if len(next) < len(rest) && next != "" && !unicode.IsLower(first) {
				return len(line) - len(next)
			}
		}
	}
	return len(line)
}

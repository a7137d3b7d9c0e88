package words

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tidings"
)

const (
	snippetWords = 32  // about how many words a snippet has
	snippetLead  = 8   // how many of them stand before the first match
	snippetMax   = 600 // bytes of text, should words be very long

	matchStart = '\u0002'
	matchEnd   = '\u0003'
)

// span is a word in a text.
type span struct {
	start, end int
	folded     string
}

// Snippet returns the part of an entry's text around its first match, matches marked.
// Where the match is in the title alone, it is the beginning of the text.
func (q *Query) Snippet(e *tidings.Entry) string {
	var text string
	if e.Kind == tidings.KindPage {
		text = Added(e.Delta)
	} else {
		text = Text(&e.Content)
		if e.FullText != nil && e.FullText.Content != "" && !slices.Contains(q.hits(spans(text)), true) {
			text = Both(&e.Content, e.FullText.Content)
		}
	}
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r == matchStart || r == matchEnd {
			return ' '
		}
		return r
	}, text)), " ")
	words := spans(text)
	if len(words) == 0 {
		return ""
	}
	hits := q.hits(words)
	from := max(0, slices.Index(hits, true)-snippetLead)
	to := min(from+snippetWords, len(words))

	var b strings.Builder
	at := words[from].start
	if from == 0 {
		at = 0
	} else {
		b.WriteString("… ")
	}
	for i := from; i < to && b.Len() < snippetMax; i++ {
		b.WriteString(cut(text[at:words[i].start], snippetMax))
		word := cut(text[words[i].start:words[i].end], snippetMax)
		if hits[i] {
			b.WriteRune(matchStart)
			b.WriteString(word)
			b.WriteRune(matchEnd)
		} else {
			b.WriteString(word)
		}
		at = words[i].end
	}
	if at < len(text) {
		if to < len(words) || b.Len() >= snippetMax {
			b.WriteString(" …")
		} else {
			b.WriteString(cut(text[at:], snippetMax))
		}
	}
	return b.String()
}

// hits reports which words belong to a match.
func (q *Query) hits(words []span) []bool {
	hits := make([]bool, len(words))
	for _, t := range q.terms {
		for i := 0; i+len(t.words) <= len(words); i++ {
			if t.matches(words[i:]) {
				for j := range t.words {
					hits[i+j] = true
				}
			}
		}
	}
	return hits
}

func (t *term) matches(words []span) bool {
	last := len(t.words) - 1
	for i, word := range t.words {
		if words[i].folded != word && (i < last || !t.prefix || !strings.HasPrefix(words[i].folded, word)) {
			return false
		}
	}
	return true
}

func spans(text string) (words []span) {
	start := -1
	for i := 0; i <= len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		inside := size > 0 && isWord(r)
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			words = append(words, span{start, i, fold(text[start:i])})
			start = -1
		}
		i += max(size, 1)
	}
	return words
}

package words

import (
	"strings"
	"unicode"
)

const (
	maxTerms      = 32       // of one search; more are left out
	maxTermBytes  = 256      // of one term; longer ones are cut
	maxIndexed    = 64 << 10 // bytes of a text that search looks at
	maxSearchText = 4 << 10  // bytes of a search; the rest is left out
)

// Query is what a person typed: words, all of which must occur, "quoted phrases", word* for words that begin so, and
// tag:name or label:"a name". Everything else is text: no input is an error. Letters of words match without regard to
// case and accents, names exactly as written.
type Query struct {
	terms        []term
	Tags, Labels []string // all of which the channel has, and the item
}

// term is a word or phrase as its words, folded as the index folds them.
type term struct {
	text   string
	words  []string // never empty
	prefix bool     // the last word is the beginning of one
}

// Parse reads what a person typed.
func Parse(text string) *Query {
	q := &Query{}
	text = strings.ToValidUTF8(text[:min(len(text), maxSearchText)], " ")
	for text != "" && len(q.terms)+len(q.Tags)+len(q.Labels) < maxTerms {
		var word string
		if rest, ok := q.named(text); ok {
			text = rest
			continue
		}
		if rest, ok := strings.CutPrefix(text, `"`); ok {
			word, text, _ = strings.Cut(rest, `"`)
			prefix := strings.HasPrefix(text, "*")
			q.add(word, prefix)
			text = strings.TrimPrefix(text, "*")
			continue
		}
		end := strings.IndexFunc(text, func(r rune) bool { return r == '"' || unicode.IsSpace(r) })
		switch end {
		case 0:
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
			continue
		case -1:
			end = len(text)
		}
		word, text = text[:end], text[end:]
		q.add(strings.TrimRight(word, "*"), strings.HasSuffix(word, "*"))
	}
	return q
}

// named adds the tag or label that a text begins with, and returns what is behind that.
func (q *Query) named(text string) (rest string, ok bool) {
	for _, kind := range []struct {
		mark string
		to   *[]string
	}{{"tag:", &q.Tags}, {"label:", &q.Labels}} {
		if len(text) <= len(kind.mark) || !strings.EqualFold(text[:len(kind.mark)], kind.mark) {
			continue
		}
		name, rest := text[len(kind.mark):], ""
		if inner, quoted := strings.CutPrefix(name, `"`); quoted {
			name, rest, _ = strings.Cut(inner, `"`)
		} else if end := strings.IndexFunc(name, func(r rune) bool {
			return r == '"' || unicode.IsSpace(r)
		}); end >= 0 {
			name, rest = name[:end], name[end:]
		}
		if name = strings.TrimSpace(name); name == "" {
			return "", false // the mark alone is a word
		}
		*kind.to = append(*kind.to, name)
		return rest, true
	}
	return "", false
}

// Names reports whether a tag or a label is named.
func (q *Query) Names() bool { return len(q.Tags)+len(q.Labels) > 0 }

func (q *Query) add(text string, prefix bool) {
	text = strings.ToValidUTF8(text[:min(len(text), maxTermBytes)], "")
	if words := foldedWords(text); len(words) > 0 {
		q.terms = append(q.terms, term{text, words, prefix})
	}
}

// Empty reports whether there is no word to search for.
func (q *Query) Empty() bool { return len(q.terms) == 0 }

// Match returns the query in FTS5's language: every term as a string, in which only
// the quotation mark means something.
func (q *Query) Match() string {
	var b strings.Builder
	for i, t := range q.terms {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('"')
		b.WriteString(strings.NewReplacer(`"`, `""`, "\x00", " ").Replace(t.text))
		b.WriteByte('"')
		if t.prefix {
			b.WriteByte('*')
		}
	}
	return b.String()
}

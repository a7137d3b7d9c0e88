package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"tidings"
)

// isWord reports whether r is part of a word, as FTS5's tokenizer unicode61 sees it.
func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.M, r)
}

// fold makes words equal that differ in case or accents only.
func fold(word string) string {
	ascii := true
	for i := 0; i < len(word) && ascii; i++ {
		ascii = word[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(word)
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(word)))
}

// foldedWords returns the words of text.
func foldedWords(text string) (words []string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWord(r) }) {
		if word = fold(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// Of returns the words of an item's text as a reader sees it, folded.
func Of(i *tidings.Item) []string { return foldedWords(Text(i)) }

// Text returns the text by which an item is found, besides its title.
func Text(i *tidings.Item) string {
	text := i.Content
	if text == "" {
		text = i.Summary
	}
	var b strings.Builder
	plainText(&b, text)
	for _, s := range append([]string{i.Author}, i.Categories...) {
		if s != "" && b.Len()+len(s) < maxIndexed {
			b.WriteByte(' ')
			b.WriteString(s)
		}
	}
	return b.String()
}

// Both returns what an item and its full text are found by: the full text, and what only the item has.
func Both(i *tidings.Item, full string) string {
	if full == "" {
		return Text(i)
	}
	var b strings.Builder
	plainText(&b, full)
	if own := Text(i); b.Len()+len(own) < maxIndexed {
		b.WriteByte('\n')
		b.WriteString(own)
	}
	return b.String()
}

// plainText appends the text of an HTML fragment, up to maxIndexed bytes.
func plainText(b *strings.Builder, fragment string) {
	if !strings.ContainsAny(fragment, "<&") {
		b.WriteString(cut(fragment, maxIndexed))
		return
	}
	z := html.NewTokenizer(strings.NewReader(fragment))
	for b.Len() < maxIndexed {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.TextToken:
			b.WriteString(cut(string(z.Text()), maxIndexed-b.Len()))
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); !inline[string(name)] {
				b.WriteByte(' ')
			}
		}
	}
}

// inline holds the elements that do not part words.
var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "em": true, "i": true,
	"kbd": true, "mark": true, "q": true, "s": true, "samp": true, "small": true, "span": true, "strong": true,
	"sub": true, "sup": true, "u": true, "var": true, "wbr": true,
}

// Added returns the lines that a delta adds, up to maxIndexed bytes.
func Added(delta string) string {
	var b strings.Builder
	for line := range strings.Lines(delta) {
		if added, ok := strings.CutPrefix(line, "> "); ok {
			b.WriteString(cut(added, maxIndexed-b.Len()))
			if b.Len() >= maxIndexed {
				break
			}
		}
	}
	return b.String()
}

// cut returns the beginning of text, at most n bytes, with whole characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

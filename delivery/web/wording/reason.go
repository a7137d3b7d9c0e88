package wording

import (
	"html"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"tidings"
	"tidings/delivery/locale"
)

// maxReason bounds in bytes what of a reason is translated, before it is cut to what a page shows.
const maxReason = 2000

// Reason returns an English reason of a lower layer in this language, as markup of at most max characters. What is not
// translated is marked as English.
func (w Words) Reason(english string, max int) template.HTML {
	return markedUp(w.Locale.Reason(Plain(english, maxReason)), max)
}

// Sentence is Reason with a large first letter, and without full stops at the end.
func (w Words) Sentence(english string, max int) template.HTML {
	parts := w.Locale.Reason(strings.TrimRight(Plain(english, maxReason), ". "))
	first, size := utf8.DecodeRuneInString(parts[0].Text)
	if size > 0 {
		parts[0].Text = string(unicode.ToUpper(first)) + parts[0].Text[size:]
	}
	return markedUp(parts, max)
}

// Advice is Sentence with the mark at its end that it has, or a full stop.
func (w Words) Advice(english string, max int) template.HTML {
	text := w.Sentence(english, max)
	if text == "" || strings.HasSuffix(strings.TrimSpace(english), "?") {
		return text
	}
	return text + "."
}

func markedUp(parts []locale.Part, max int) template.HTML {
	var b strings.Builder
	for _, p := range parts {
		text := []rune(p.Text)
		if max <= 0 {
			break
		}
		if len(text) > max {
			text = append(text[:max-1], '…')
		}
		max -= len(text)
		escaped := html.EscapeString(string(text))
		if p.English {
			escaped = `<span lang="en">` + escaped + `</span>`
		}
		b.WriteString(escaped)
	}
	return template.HTML(b.String())
}

// Reasoned is [tidings.Reason] in this language.
func (w Words) Reasoned(err error) string { return w.Said(tidings.Reason(err)) }

// Explained is [tidings.Explain] in this language.
func (w Words) Explained(err error) string {
	if hint := tidings.HintOf(err); hint != "" {
		return w.Reasoned(err) + " (" + w.Said(hint) + ")"
	}
	return w.Reasoned(err)
}

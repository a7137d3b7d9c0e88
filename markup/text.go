package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// blocks end a line where markup is read as text.
var blocks = map[atom.Atom]bool{
	atom.P: true, atom.Br: true, atom.Hr: true, atom.Ul: true, atom.Ol: true, atom.Li: true, atom.Dl: true,
	atom.Dt: true, atom.Dd: true, atom.Blockquote: true, atom.Pre: true, atom.Table: true, atom.Tr: true,
	atom.Caption: true, atom.Figure: true, atom.Figcaption: true, atom.Div: true, atom.Section: true,
	atom.Article: true,
	atom.Header:  true, atom.Footer: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true,
	atom.H6: true,
}

// Text reads markup as text of at most max bytes, a line for each block that holds any.
// It reads tokens, not a tree, so that a summary costs what is read of it.
func Text(markup string, max int) string {
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

// Line returns s as one line of at most max characters that cannot disturb what
// stands around it: blanks of all kinds become spaces, control characters and those
// that turn the direction of writing go. Joiners stay: emoji and scripts need them.
func Line(s string, max int) string {
	var b strings.Builder
	blank, n := true, 0 // blanks at the start go too
	for _, c := range s {
		switch {
		case unicode.IsSpace(c) || c == utf8.RuneError || c == '\u2028' || c == '\u2029':
			if !blank {
				b.WriteByte(' ')
				n++
			}
			blank = true
			continue
		case unicode.IsControl(c) || IsDirection(c) || c == '\ufeff' || c == '\u200b':
			continue
		}
		if n >= max {
			return strings.TrimRight(b.String(), " ") + "…"
		}
		b.WriteRune(c)
		blank = false
		n++
	}
	return strings.TrimRight(b.String(), " ")
}

// IsDirection reports whether c embeds, overrides, isolates or marks a direction of writing.
func IsDirection(c rune) bool {
	return c >= '\u202a' && c <= '\u202e' || c >= '\u2066' && c <= '\u2069' || c == '\u200e' || c == '\u200f' ||
		c == '\u061c'
}

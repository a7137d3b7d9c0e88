package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a query's text.
type token struct {
	kind tokenKind
	text string // as written; of a quoted text, what it says
	at   int    // the offset
	end  int    // the offset behind it
	err  *SyntaxError
}

type tokenKind uint8

const (
	endOfText tokenKind = iota
	word                // a column or keyword
	quoted              // a text in single quotes
	number
	symbol // an operator, parenthesis or comma
	bad    // no token: err says why
)

// shown returns a token as messages show it.
func (t token) shown() string {
	switch t.kind {
	case endOfText:
		return "the end"
	case quoted:
		return "the text " + quote(clip(t.text))
	}
	return clip(t.text)
}

// maxShown bounds in bytes how much of a token messages show.
const maxShown = 60

func clip(s string) string {
	if len(s) > maxShown {
		return strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return s
}

// scan splits a text into tokens. The last is endOfText or bad.
func scan(text string) (tokens []token) {
	for at := 0; ; {
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n\f"))
		t, length := scanToken(text, at)
		t.end = at + length
		tokens = append(tokens, t)
		if t.kind == endOfText || t.kind == bad {
			return tokens
		}
		at = t.end
	}
}

// symbols are tried in this order.
var symbols = []string{"<=", ">=", "<>", "!=", "==", "<", ">", "=", "(", ")", ","}

func scanToken(text string, at int) (t token, length int) {
	rest := text[at:]
	if rest == "" {
		return token{kind: endOfText, at: at}, 0
	}
	if rest[0] == '\'' {
		return scanQuoted(text, at)
	}
	digits := rest
	if rest[0] == '-' || rest[0] == '+' {
		digits = rest[1:]
	}
	if digits != "" && isDigit(digits[0]) {
		length = len(rest) - len(strings.TrimLeftFunc(digits, func(r rune) bool { return isWordRune(r) || r == '.' }))
		return token{kind: number, text: rest[:length], at: at}, length
	}
	for _, s := range symbols {
		if strings.HasPrefix(rest, s) {
			return token{kind: symbol, text: s, at: at}, len(s)
		}
	}
	if length = len(rest) - len(strings.TrimLeftFunc(rest, isWordRune)); length > 0 {
		return token{kind: word, text: rest[:length], at: at}, length
	}
	message, hint := unexpected(rest)
	return token{kind: bad, at: at, err: syntaxError(text, at, message, hint)}, 0
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

const quoteTwice = "a quote inside a text is written twice, as in 'it''s'"

// scanQuoted reads a text in single quotes, in which two of them stand for one.
func scanQuoted(text string, at int) (t token, length int) {
	var said strings.Builder
	for i := at + 1; i < len(text); i++ {
		if text[i] == '\'' {
			if !strings.HasPrefix(text[i+1:], "'") {
				return token{kind: quoted, text: said.String(), at: at}, i + 1 - at
			}
			i++
		}
		said.WriteByte(text[i])
	}
	return token{kind: bad, at: at, err: syntaxError(text, at, "the text that begins here has no closing quote",
		"end it with '; "+quoteTwice)}, 0
}

// unexpected says what is wrong with a character that begins no token.
func unexpected(rest string) (message, hint string) {
	switch r, size := utf8.DecodeRuneInString(rest); {
	case r == '"' || r == '`' || r == '[':
		return string(r) + " does not quote anything here",
			"write texts in single quotes, as in 'reuters', and names of columns without quotes"
	case strings.ContainsRune("‘’‚‛“”„«»´", r):
		return string(r) + " is a typographic quote", "write texts in straight single quotes, as in 'reuters'"
	case strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*"):
		return "a condition cannot have comments", ""
	case strings.HasPrefix(rest, "||"):
		return "|| has no meaning here", "write OR"
	case strings.HasPrefix(rest, "&&"):
		return "&& has no meaning here", "write AND"
	case r == ';':
		return "; has no meaning here", "write a single condition, without a ; at the end"
	case unicode.IsPrint(r):
		return rest[:size] + " has no meaning here", ""
	}
	return "there is a character here that cannot be shown", "delete it"
}

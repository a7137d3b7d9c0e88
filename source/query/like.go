package query

import (
	"strings"
	"unicode/utf8"
)

// pattern is the pattern of a LIKE: the parts between its %. The first must begin the text and the last must end it; if
// there is only one, it is the whole text. Each part in between is searched once, from where the part before it ended,
// which takes the first place where it fits. A later place would leave less to the rest, so there is no need to go back,
// and the time is at most the text's length times the pattern's.
type pattern []part

// part is a piece of a pattern without %: lower-case bytes, and anyRune for each _.
type part struct {
	steps []rune
	runes int // how many characters it matches
}

const anyRune = -1

// compile reads a pattern. The escape is a character, or "" for none. It fails if the pattern ends with its escape.
func compile(text, escape string) (pattern, bool) {
	p := pattern{{}}
	for i := 0; i < len(text); i++ {
		last := &p[len(p)-1]
		if escape != "" && strings.HasPrefix(text[i:], escape) {
			if i += len(escape); i == len(text) {
				return nil, false
			}
		} else if text[i] == '%' {
			p = append(p, part{})
			continue
		} else if text[i] == '_' {
			last.steps = append(last.steps, anyRune)
			last.runes++
			continue
		}
		last.steps = append(last.steps, rune(lower(text[i])))
		if utf8.RuneStart(text[i]) {
			last.runes++
		}
	}
	return p, true
}

func (p pattern) matches(text string) bool {
	at := p[0].match(text, 0)
	if len(p) == 1 {
		return at == len(text)
	}
	for _, middle := range p[1 : len(p)-1] {
		if at == none {
			return false
		}
		at = middle.find(text, at)
	}
	return at != none && p[len(p)-1].ends(text, at)
}

// none is the place that match and find return if there is none.
const none = -1

// match returns where a part ends that begins at a place of a text.
func (p *part) match(text string, at int) int {
	for _, step := range p.steps {
		switch {
		case at == len(text):
			return none
		case step == anyRune:
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		case lower(text[at]) == byte(step):
			at++
		default:
			return none
		}
	}
	return at
}

// find returns where the first occurrence of a part ends that begins at a place or behind it.
func (p *part) find(text string, from int) int {
	if len(p.steps) == 0 {
		return from
	}
	first := p.steps[0]
	for at := from; at < len(text); at++ {
		if first == anyRune && utf8.RuneStart(text[at]) || lower(text[at]) == byte(first) {
			if end := p.match(text, at); end != none {
				return end
			}
		}
	}
	return none
}

// ends reports whether a part ends a text and begins at a place or behind it.
func (p *part) ends(text string, from int) bool {
	at := len(text)
	for range p.runes {
		if at == 0 {
			return false
		}
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at >= from && p.match(text, at) == len(text)
}

// prefix returns what every text that matches begins with, in lower case, and whether nothing follows.
func (p pattern) prefix() (text string, whole bool) {
	var b []byte
	for _, step := range p[0].steps {
		if step == anyRune {
			return string(b), false
		}
		b = append(b, byte(step))
	}
	return string(b), len(p) == 1
}

package query

import (
	"strings"
	"unicode/utf8"
)

// pattern is the pattern of a LIKE: the parts between its %. The first must begin the text and the last must end it; if
// there is only one, it is the whole text. Each part in between is searched once, from where the part before it ended,
// which finds the first place where it fits. A later place would leave less to the rest, so there is no need to go
// back.
//
// Parts without _ within them are found in a time linear in the text, whatever their length (Knuth, Morris and Pratt).
// With _ within them, each character of the text costs the work on one 64-bit word for each 32 characters of the part
// (shift-and, Baeza-Yates and Gonnet). Nothing is faster in sum than one look at each byte of the text.
type pattern []part

// part is a piece of a pattern without %: lower-case bytes, and anyRune for each _.
type part struct {
	steps []rune
	runes int // how many characters it matches

	// For parts that are searched: what begins and ends with _ is skipped in the text before and after the core is
	// found.
	before, after int    // how many _
	core          string // between them, if it has no _
	// of the core: how much of its beginning ends with each of its bytes, at most but not all of that
	borders []int
	gapped  *gapped
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
	for i := 1; i < len(p)-1; i++ {
		p[i].prepare()
	}
	return p, true
}

// prepare makes a part ready to be searched.
func (p *part) prepare() {
	steps := p.steps
	for len(steps) > 0 && steps[0] == anyRune {
		steps = steps[1:]
		p.before++
	}
	for len(steps) > 0 && steps[len(steps)-1] == anyRune {
		steps = steps[:len(steps)-1]
		p.after++
	}
	core := make([]byte, 0, len(steps))
	for _, step := range steps {
		if step == anyRune {
			p.gapped = newGapped(steps)
			return
		}
		core = append(core, byte(step))
	}
	p.core, p.borders = string(core), bordersOf(core)
}

// bordersOf returns the table of Knuth, Morris and Pratt.
func bordersOf(core []byte) []int {
	borders := make([]int, len(core))
	for i, k := 1, 0; i < len(core); i++ {
		for k > 0 && core[i] != core[k] {
			k = borders[k-1]
		}
		if core[i] == core[k] {
			k++
		}
		borders[i] = k
	}
	return borders
}

// matches reports whether the pattern matches a text in which ASCII letters are lower case. It gives up, and returns
// false, once stop returns true.
func (p pattern) matches(text string, stop func() bool) bool {
	at := p[0].match(text, 0)
	if len(p) == 1 {
		return at == len(text)
	}
	for i := 1; i < len(p)-1; i++ {
		if at == none {
			return false
		}
		at = p[i].find(text, at, stop)
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
		case text[at] == byte(step):
			at++
		default:
			return none
		}
	}
	return at
}

// find returns where the first occurrence of a part ends that begins at a place or behind it.
func (p *part) find(text string, from int, stop func() bool) int {
	at := skip(text, from, p.before)
	switch {
	case at == none:
		return none
	case p.gapped != nil:
		at = p.gapped.find(text, at, stop)
	case p.core != "":
		at = p.findCore(text, at)
	}
	if at == none {
		return none
	}
	return skip(text, at, p.after)
}

// findCore returns where the first occurrence of the core ends from a place on.
func (p *part) findCore(text string, from int) int {
	for i, k := from, 0; i < len(text); i++ {
		if k == 0 {
			next := strings.IndexByte(text[i:], p.core[0])
			if next < 0 {
				return none
			}
			i += next
		}
		for k > 0 && text[i] != p.core[k] {
			k = p.borders[k-1]
		}
		if text[i] == p.core[k] {
			k++
		}
		if k == len(p.core) {
			return i + 1
		}
	}
	return none
}

// skip returns the place a number of characters behind another one.
func skip(text string, at, runes int) int {
	for range runes {
		if at == len(text) {
			return none
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
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

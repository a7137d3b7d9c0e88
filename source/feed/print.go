package feed

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"
)

// print64 is FNV-1a, 64 bits, written out: fingerprints are kept on disk, so the
// function must never change, and most of the work of a poll goes through it.
type print64 uint64

const (
	printStart print64 = 14695981039346656037
	printPrime print64 = 1099511628211
	printUndo  print64 = 0xce965057aff6957b // times printPrime it is 1
)

func (p *print64) add(s string) {
	h := *p
	for i := 0; i < len(s); i++ {
		h = (h ^ print64(s[i])) * printPrime
	}
	*p = h
}

// undo reverts the latest add, which was of s: the hash is that of what came before.
func (p *print64) undo(s string) {
	h := *p
	for i := len(s) - 1; i >= 0; i-- {
		h = h*printUndo ^ print64(s[i])
	}
	*p = h
}

// value returns the hash; 0 is kept for "none".
func (p print64) value() uint64 {
	if p == 0 {
		return 1
	}
	return uint64(p)
}

// hashOf returns the hash of a text, 0 for none.
func hashOf(s string) uint64 {
	if s == "" {
		return 0
	}
	p := printStart
	p.add(s)
	return p.value()
}

func titleHash(title string) uint64 {
	return hashOf(strings.ToLower(strings.ReplaceAll(title, lost, "")))
}

// lost stands where a character could not be read, and is none: that a byte is damaged or healed is no edit.
const lost = "\ufffd"

// fingerprint is the hash of what a reader sees of an item: its title, the text of its content (else of its summary),
// its files, and its news fields. It does not depend on markup, white space, dates and links, relative times ("3 hours
// ago") and counters ("12 comments").
func fingerprint(it *Item) uint64 {
	w := wordPrint{hash: printStart}
	w.field(it.Title, true)
	w.flush()
	w.hash.add("\n")
	if text := it.best(); text.plain {
		w.field(text.text, true)
	} else {
		eachText(text.text, w.field)
	}
	w.flush()
	for _, e := range it.Enclosures {
		w.hash.add("\n")
		w.hash.add(fileKey(e.URL))
	}
	if it.News != nil {
		w.hash.add("\nnews\n")
		w.hash.add(string(EncodeNews(it.News)))
	}
	return w.hash.value()
}

// fileKey is a file's address without what changes from fetch to fetch.
func fileKey(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	return u.Host + u.Path
}

// wordPrint hashes words one after the other, leaving out what ticks.
type wordPrint struct {
	hash     print64
	pending  []byte // a word whose pieces may not all have come
	number   []byte // a number, held back until it is known what it counts
	unit     bool   // the number was followed by a unit of time, held back in unitWord
	unitWord []byte
	label    bool // the last word was a label of a counter, as in "Points: 5"
}

// field is eachField of add. It hashes ordinary words of ASCII without looking at them more than once: nearly all words
// are, and most of the work of a poll of a changed feed was here.
func (w *wordPrint) field(s string, spaced bool) bool {
	for i := 0; i < len(s); {
		if s[i] <= ' ' {
			spaced = true
			i++
			continue
		}
		if spaced && w.holdsNothing() {
			if end := w.ordinary(s, i); end > 0 {
				i = end
				continue
			}
		}
		end := i
		for end < len(s) && s[end] > ' ' {
			end++
		}
		spaced = eachField(s[i:end], spaced, w.add)
		i = end
	}
	return spaced
}

// holdsNothing writes the pending word, and reports whether the next one is judged by itself.
func (w *wordPrint) holdsNothing() bool {
	w.flushWord()
	return len(w.number) == 0 && !w.unit
}

// ordinary hashes the word at i if no other can change what it counts for: it ends within s, and is neither a number
// nor a label. It returns where the word ends, or 0.
func (w *wordPrint) ordinary(s string, i int) (end int) {
	if !isLetter(s[i]) {
		return 0
	}
	h := w.hash
	for end = i; end < len(s) && s[end] > ' '; end++ {
		if s[end] >= utf8.RuneSelf {
			return 0
		}
		h = (h ^ print64(s[end])) * printPrime
	}
	if end == len(s) || s[end-1] == ':' || isNumberWord(s[i:end]) {
		return 0
	}
	w.hash, w.label = h, false
	return end
}

// add hashes a word or a piece of one, see eachWord.
func (w *wordPrint) add(word string, spaced bool) {
	if spaced {
		w.flushWord()
	}
	w.pending = append(w.pending, word...)
}

// flush ends the text.
func (w *wordPrint) flush() {
	w.flushWord()
	w.release()
	w.label = false
}

func (w *wordPrint) flushWord() {
	if len(w.pending) == 0 {
		return
	}
	word := w.pending
	if bytes.IndexByte(word, lost[0]) >= 0 {
		word = bytes.ReplaceAll(word, []byte(lost), nil)
	}
	if len(word) > 0 {
		w.word(word)
	}
	w.pending = w.pending[:0]
}

// word decides on a whole word.
func (w *wordPrint) word(word []byte) {
	if w.unit {
		if isAgo(word) {
			w.number, w.unitWord, w.unit = w.number[:0], w.unitWord[:0], false
			return
		}
		w.release()
	}
	if len(w.number) > 0 {
		switch kind := tickers[string(trimWord(word))]; {
		case kind == tickUnit:
			w.unit = true
			w.unitWord = append(w.unitWord[:0], word...)
			return
		case kind == tickCount && !w.label:
			w.number = w.number[:0] // the noun stays: "comments" is text as well
			w.write(singular(trimWord(word)))
			return
		}
		w.release()
	}
	if isNumber(word) {
		if w.label {
			w.label = false
			return
		}
		w.number = append(w.number[:0], word...)
		return
	}
	w.label = isLabel(word)
	w.write(word)
}

// release writes what was held back and turned out to be text.
func (w *wordPrint) release() {
	if len(w.number) > 0 {
		w.write(w.number)
		w.number = w.number[:0]
	}
	if w.unit {
		w.write(w.unitWord)
		w.unitWord, w.unit = w.unitWord[:0], false
	}
}

func (w *wordPrint) write(word []byte) {
	h := w.hash
	for _, c := range word {
		h = (h ^ print64(c)) * printPrime
	}
	w.hash = h // no blank: white space comes and goes with the markup
}

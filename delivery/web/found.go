package web

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The store marks matches in an entry's text. Where a search found a title, its words
// are marked here, by the same rules: whole words, or beginnings with a star, without
// regard to case and accents.

// sought is a word that a search asks for.
type sought struct {
	word  string // folded
	begin bool   // it is the beginning of one
}

// maxSought bounds the words of a search that are marked in titles.
const maxSought = 32

// namesSought are the tags and labels of a search, which are in no text.
var namesSought = regexp.MustCompile(`(?i)(?:^|\s)(?:tag|label):(?:"[^"]*"|[^"\s]+)`)

func soughtIn(search string) []sought {
	var all []sought
	search = namesSought.ReplaceAllString(search, " ")
	for at := range wordsIn(search) {
		if len(all) == maxSought {
			break
		}
		all = append(all, sought{foldedWord(search[at.from:at.to]), strings.HasPrefix(search[at.to:], "*")})
	}
	return all
}

// markIn puts U+0002 and U+0003 around the words of a text that are sought.
func markIn(text string, words []sought) string {
	var b strings.Builder
	rest := 0
	for at := range wordsIn(text) {
		word := foldedWord(text[at.from:at.to])
		for _, w := range words {
			if word == w.word || w.begin && strings.HasPrefix(word, w.word) {
				b.WriteString(text[rest:at.from] + "\x02" + text[at.from:at.to] + "\x03")
				rest = at.to
				break
			}
		}
	}
	return b.String() + text[rest:]
}

// place is a part of a text.
type place struct{ from, to int }

// wordsIn yields the places of the words of a text.
func wordsIn(text string) func(yield func(place) bool) {
	return func(yield func(place) bool) {
		from := -1
		for i, c := range text {
			inside := unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.Mn, c)
			switch {
			case inside && from < 0:
				from = i
			case !inside && from >= 0:
				if !yield(place{from, i}) {
					return
				}
				from = -1
			}
		}
		if from >= 0 {
			yield(place{from, len(text)})
		}
	}
}

func foldedWord(word string) string {
	return strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return unicode.ToLower(c)
	}, norm.NFD.String(word))
}

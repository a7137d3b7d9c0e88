package feed

import "bytes"

// tick is the part that a word has in a text that changes by itself.
type tick uint8

const (
	tickUnit  tick = iota + 1 // "3 hours ago"
	tickCount                 // "12 comments", "Comments: 12"
)

// tickers are the words that make the number before them tick.
var tickers = map[string]tick{
	"second": tickUnit, "seconds": tickUnit, "sec": tickUnit, "secs": tickUnit,
	"minute": tickUnit, "minutes": tickUnit, "min": tickUnit, "mins": tickUnit,
	"hour": tickUnit, "hours": tickUnit, "hr": tickUnit, "hrs": tickUnit,
	"day": tickUnit, "days": tickUnit, "week": tickUnit, "weeks": tickUnit,
	"month": tickUnit, "months": tickUnit, "year": tickUnit, "years": tickUnit,

	"comment": tickCount, "comments": tickCount, "reply": tickCount, "replies": tickCount,
	"response": tickCount, "responses": tickCount,
	"view": tickCount, "views": tickCount, "like": tickCount, "likes": tickCount,
	"point": tickCount, "points": tickCount, "vote": tickCount, "votes": tickCount,
	"upvote": tickCount, "upvotes": tickCount, "share": tickCount, "shares": tickCount,
	"reads": tickCount, "claps": tickCount, "boosts": tickCount, "reactions": tickCount,
}

// labels are the words after which a number ticks: "Points: 5".
var labels = map[string]bool{
	"comments": true, "points": true, "score": true, "votes": true, "views": true,
	"likes": true, "replies": true, "shares": true, "upvotes": true,
}

func isAgo(word []byte) bool { return string(trimWord(word)) == "ago" }

// isLabel reports whether a word announces a counter.
func isLabel(word []byte) bool {
	if len(word) < 2 || word[len(word)-1] != ':' {
		return false
	}
	return labels[string(trimWord(word))]
}

// isNumber reports whether a word is a number as counters show it, or stands for
// one before a unit of time.
func isNumber(word []byte) bool {
	if isNumberWord(string(word)) {
		return true
	}
	if c := word[0]; c > '9' && c != '[' && c != '~' || len(word) > 14 {
		return false
	}
	word = bytes.Trim(word, "()[]~+")
	if len(word) == 0 || word[0] < '0' || word[0] > '9' || len(word) > 12 {
		return false
	}
	for i, c := range word {
		switch {
		case '0' <= c && c <= '9', c == ',', c == '.':
		case (c == 'k' || c == 'K' || c == 'M' || c == 'm') && i == len(word)-1:
		default:
			return false
		}
	}
	return true
}

// isNumberWord reports whether a word of letters stands for a number.
func isNumberWord(word string) bool {
	switch word {
	case "a", "an", "A", "An", "one", "no", "No":
		return true
	}
	return false
}

// trimWord returns a word in lower case without punctuation around it. Words longer
// than any that tick come back as they are.
func trimWord(word []byte) []byte {
	if isPunctuated(word) {
		word = bytes.Trim(word, ".,:;!?()[]|·•\"'")
	}
	if len(word) > 12 {
		return word
	}
	for _, c := range word {
		if 'A' <= c && c <= 'Z' {
			return bytes.ToLower(word)
		}
	}
	return word
}

// isPunctuated reports, for most words quickly, whether a word begins or ends with anything but a letter.
func isPunctuated(word []byte) bool {
	n := len(word)
	return n > 0 && !(isLetter(word[0]) && isLetter(word[n-1]))
}

// singular makes "1 comment" the same as "2 comments".
func singular(word []byte) []byte {
	switch string(word) {
	case "reply", "replies":
		return []byte("reply")
	}
	return bytes.TrimSuffix(word, []byte("s"))
}

package fetch

import "strings"

// How long a part must be to look like a secret: 20 characters of mixed kinds carry
// about a hundred bits, 24 hexadecimal digits 96.
const (
	secretLength = 20
	secretHex    = 24
)

// random reports whether a part of an address looks as if a machine had drawn it.
func random(part string) bool {
	if len(part) < secretLength {
		return false
	}
	if hasUUID(part) {
		return true
	}
	odd := 0
	for run := range strings.FieldsFuncSeq(part, func(r rune) bool { return !isAlnum(r) }) {
		switch {
		case len(run) >= secretHex && isHex(run), len(run) >= secretLength && isDigits(run):
			return true
		case oddRun(run):
			odd += len(run)
		}
	}
	return odd >= secretLength
}

func isAlnum(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

func isHex(s string) bool    { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }
func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// hasUUID reports whether s contains 8-4-4-4-12 hexadecimal digits.
func hasUUID(s string) bool {
	const size = 36
	for i := 0; i+size <= len(s); i++ {
		if isUUID(s[i : i+size]) {
			return true
		}
	}
	return false
}

func isUUID(s string) bool {
	for i, r := range s {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (r == '-') || !dash && !isHex(string(r)) {
			return false
		}
	}
	return true
}

// oddRun reports whether a run of ASCII letters and digits reads unlike words, numbers,
// dates and the short codes that slugs end with.
func oddRun(run string) bool {
	if len(run) < 6 {
		return false
	}
	var digits, pairs, usual, turns int
	for i := 0; i < len(run); i++ {
		c := run[i]
		if c <= '9' {
			digits++
		}
		if i == 0 {
			continue
		}
		before := run[i-1]
		if kindOf(before) != kindOf(c) {
			turns++
		}
		if before > '9' && c > '9' {
			pairs++
			if usualPair(before|0x20, c|0x20) {
				usual++
			}
		}
	}
	letters := len(run) - digits
	switch {
	case letters == 0:
		return false
	case pairs >= 4 && usual*100 >= pairs*60: // reads like words
		return false
	case digits > 0:
		return turns >= 3 || len(run) >= secretLength
	default: // letters alone: odd are mixed cases, or many pairs that no word has
		return turns >= 3 || len(run) >= secretLength && usual*100 < pairs*45
	}
}

// kindOf distinguishes digits, capital and small letters.
func kindOf(c byte) int {
	switch {
	case c <= '9':
		return 0
	case c <= 'Z':
		return 1
	default:
		return 2
	}
}

// usualPair reports whether two small letters often stand together in words of European
// languages or in romanised ones. About a quarter of all pairs do; of the pairs in words,
// four in five.
func usualPair(a, b byte) bool { return pairTable[a-'a']&(1<<(b-'a')) != 0 }

var pairTable = func() (table [26]uint32) {
	for _, row := range strings.Fields(usualPairs) {
		for i := 1; i < len(row); i++ {
			table[row[0]-'a'] |= 1 << (row[i] - 'a')
		}
	}
	return table
}()

// usualPairs lists, after each letter, the letters that often follow it.
const usualPairs = `
abcdgilmnprstuvy balorsieu caeihkortu daeioruys eacdelmnrstvwxi faeioru gaehioru
haeiortu iacdefglmnorstvz jaeou kaieons laeiostudly maeiopbu nacdegikostu
oacdfgklmnoprstuvwi paehiloprstu quh raeiodkmnstuy sacehiopstuk taeihorstuwy
uacdeglmnrstbpi vaeio waeiohnr xpiat yaeosmpn zaeio`

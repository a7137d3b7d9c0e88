package wording

import (
	"fmt"
	"hash/fnv"
	"path"
	"strings"
	"unicode"
)

// Badge stands for a channel. It is the channel's icon, or else the first letter of its name on one of the stylesheet's
// twelve colours. The same address always has the same colour.
type Badge struct {
	Letter string
	Class  string
	Icon   string // path of this node; empty: the letter is shown
	Size   string // class of its size; empty: the usual one
}

// Sized returns the badge in a size.
func (b Badge) Sized(size string) Badge {
	b.Size = size
	return b
}

const badgeColours = 12

func BadgeOf(label, url string) Badge {
	h := fnv.New32a()
	h.Write([]byte(url))
	return Badge{Letter: firstLetter(label), Class: fmt.Sprintf("c%d", h.Sum32()%badgeColours)}
}

func firstLetter(label string) string {
	if u := addressOf(label); u != nil {
		label = HostOf(u)
		if isAddress(label) { // its digits are alike for everything there
			label = strings.TrimLeft(path.Base(u.Path), "0123456789")
		}
	}
	if lower := strings.ToLower(label); strings.HasPrefix(lower, "the ") {
		label = label[4:]
	}
	for _, c := range label {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return string(unicode.ToUpper(c))
		}
	}
	return "·"
}

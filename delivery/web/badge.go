package web

import (
	"fmt"
	"hash/fnv"
	"path"
	"strings"
	"unicode"
)

// badge stands for a channel where others show its site's icon, which would have to be
// fetched and would tell the site who reads it: the first letter of its name on one of
// the stylesheet's twelve colours, always the same for the same address.
type badge struct {
	Letter string
	Class  string
}

const badgeColours = 12

func badgeOf(label, url string) badge {
	h := fnv.New32a()
	h.Write([]byte(url))
	return badge{firstLetter(label), fmt.Sprintf("c%d", h.Sum32()%badgeColours)}
}

func firstLetter(label string) string {
	if u := addressOf(label); u != nil {
		label = hostText(u)
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

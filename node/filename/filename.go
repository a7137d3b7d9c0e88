// Package filename makes names of files out of texts that strangers chose.
package filename

import "strings"

const maxLength = 200 // bytes

// Safe returns a text as the name of a file in any folder of any system. The name has letters, digits, dots, hyphens
// and underscores, at most 200 of them, with hyphens in place of all others. It may be empty, or begin with a dot.
func Safe(text string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '-'
	}, text)
	return name[:min(len(name), maxLength)]
}

package node

import (
	"strings"

	"tidings"
)

// optionsKey writes options so that equal ones give equal texts.
func optionsKey(o tidings.PageOptions) string {
	var b strings.Builder
	for _, list := range [][]string{o.Select, o.Ignore, o.Keep} {
		for _, option := range list {
			b.WriteString(option)
			b.WriteByte(0)
		}
		b.WriteByte(1)
	}
	return b.String()
}

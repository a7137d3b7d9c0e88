// Package accept reads which encodings of an answer a client accepts (RFC 9110, section 12.5.3).
package accept

import (
	"strconv"
	"strings"
)

// Gzip reports whether a header Accept-Encoding allows gzip: by name, or by an asterisk if it does not name it.
func Gzip(header string) bool {
	rest := false
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		q, weighted := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		accepted := !weighted || err == nil && weight > 0
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, "gzip"):
			return accepted
		case name == "*":
			rest = accepted
		}
	}
	return rest
}

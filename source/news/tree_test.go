package news

import (
	"strings"
	"testing"
)

// A tag with too many attributes is found before a decoder reads it, wherever it stands; what only looks like one is
// not.
func TestCrowdedTags(t *testing.T) {
	many := "<a" + strings.Repeat(" b='c'", 4) + ">"
	for text, want := range map[string]int{
		"":                          -1,
		"<a b='c' d='e' f=\"g\"/>":  -1,
		many:                        0,
		"<a>\n  " + many:            6,
		"<a b='>'" + many[2:]:       0,
		"<a b='" + many + "'/>":     -1,
		many[:len(many)-1]:          0,
		"<!-- " + many + " -->":     -1,
		"<![CDATA[" + many + "]]>":  -1,
		"<?x " + many + " ?>":       -1,
		"<!-- " + many:              -1,
		"<!-- --><b/>" + many:       12,
		"<!DOCTYPE a [" + many:      0,
		"a = = = = = = <b/>":        -1,
		"<a b='":                    -1,
		"<":                         -1,
		"<a b=''/><c d=''/>" + many: 18,
	} {
		if got := crowded(text, 3); got != want {
			t.Errorf("%q: a tag at %d, want %d", text, got, want)
		}
	}
}

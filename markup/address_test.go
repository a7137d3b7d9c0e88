package markup

import (
	"strings"
	"testing"
)

// What counts readers goes from an address, and nothing else.
func TestUncounted(t *testing.T) {
	for query, want := range map[string]string{
		"":                                  "",
		"utm_source=x":                      "",
		"a=1&utm_medium=feed&b=2&FBCLID=zz": "a=1&b=2",
		"id=7&sid=9&session=1":              "id=7&sid=9&session=1",
		"a&&b=%20":                          "a&&b=%20",
		"a&&b=%20&utm_x":                    "a&b=%20",
		"pk_campaign=a&page=utm_source":     "page=utm_source",
	} {
		if got := Uncounted(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	if many := strings.Repeat("utm_a=1&", maxParams) + "x"; Uncounted(many) != many {
		t.Error("an address with very many parameters is looked through")
	}
}

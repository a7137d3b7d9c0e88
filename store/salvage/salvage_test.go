package salvage

import (
	"strings"
	"testing"
)

// A row that stands in none of the damaged pages with all of its text stands elsewhere. This is unknown for a row
// without text, for one whose text is none, and for one so long that it may continue in another page.
func TestRowsThatStandElsewhere(t *testing.T) {
	table := Table{Text: []int{1, 3}}
	page := []byte("....http://news/1one title....other text....")
	for what, c := range map[string]struct {
		row  Row
		want bool
	}{
		"in the page":                     {Row{int64(1), "http://news/1", nil, "one title"}, false},
		"another title":                   {Row{int64(1), "http://news/1", nil, "other"}, true},
		"another address, the same title": {Row{int64(1), "http://news/2", nil, "one title"}, true},
		"parts that stand apart":          {Row{int64(1), "other text", nil, "one title"}, true},
		"no text":                         {Row{int64(1), "", nil, ""}, false},
		"one text":                        {Row{int64(1), "", nil, "elsewhere"}, true},
		"long":                            {Row{int64(1), strings.Repeat("x", minLocal-1), nil, "y"}, false},
		"almost long":                     {Row{int64(1), strings.Repeat("x", minLocal-2), nil, "y"}, true},
		"no text at all":                  {Row{int64(1), "elsewhere", nil, int64(5)}, false},
	} {
		if got := table.elsewhere(c.row, [][]byte{[]byte("another page"), page}); got != c.want {
			t.Errorf("%s: it stands elsewhere: %v", what, got)
		}
	}
	if !table.elsewhere(Row{int64(1), "http://news/1", nil, "one title"}, nil) {
		t.Error("it stands in a page though there is none")
	}
}

package words

import (
	"slices"
	"testing"
)

func TestNamesInASearch(t *testing.T) {
	for text, want := range map[string]struct {
		match        string
		tags, labels []string
	}{
		"tag:daily coffee":                  {`"coffee"`, []string{"daily"}, nil},
		"coffee LABEL:later":                {`"coffee"`, nil, []string{"later"}},
		`label:"to read" "two words" tag:a`: {`"two words"`, []string{"a"}, []string{"to read"}},
		"tag:a tag:b":                       {"", []string{"a", "b"}, nil},
		"tag: daily":                        {`"tag:" "daily"`, nil, nil},
		`label:"" x`:                        {`"label:" "x"`, nil, nil},
		`"tag:daily"`:                       {`"tag:daily"`, nil, nil},
		"xtag:daily":                        {`"xtag:daily"`, nil, nil},
		`label:"unended name`:               {"", nil, []string{"unended name"}},
		"tag:ä'%_":                          {"", []string{"ä'%_"}, nil},
		"tags:a":                            {`"tags:a"`, nil, nil},
		`tag:a"b"`:                          {`"b"`, []string{"a"}, nil},
	} {
		q := Parse(text)
		if q.Match() != want.match || !slices.Equal(q.Tags, want.tags) || !slices.Equal(q.Labels, want.labels) {
			t.Errorf("%q: got %q, tags %q, labels %q", text, q.Match(), q.Tags, q.Labels)
		}
	}
}

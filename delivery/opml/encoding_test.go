package opml

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"tidings/charset"
)

// hostile 82: a stray byte costs the character that it stands in, and a declaration that lies costs nothing.
func TestHostile82Encodings(t *testing.T) {
	document := func(declared, titles string) string {
		return `<?xml version="1.0" encoding="` + declared +
			`"?><opml version="2.0"><head><title>Bücher</title></head><body>` + titles + `</body></opml>`
	}
	const outlines = `<outline text="Übergröße" xmlUrl="http://a.example/"/><outline text="naïve café" xmlUrl="http://b.example/"/>`
	titles := []string{"Übergröße", "naïve café"}
	encoded := func(text string, in *charmap.Charmap) string {
		s, err := in.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name, doc string
		want      []string
		note      string
	}{
		{"UTF-8", document("UTF-8", outlines), titles, ""},
		{"a stray byte", document("UTF-8", outlines+"<outline text=\"stray \xe9 byte\" xmlUrl=\"http://c.example/\"/>"),
			append(slices.Clone(titles), "stray é byte"), ""},
		{"a stray byte, nothing declared",
			strings.Replace(document("UTF-8", outlines+"<outline text=\"\xff\" xmlUrl=\"http://c.example/\"/>"),
				` encoding="UTF-8"`, "", 1), titles, ""},
		{"UTF-8 that is said to be something else", document("ISO-8859-1", outlines), titles, charset.NoteLie},
		{"windows-1252 that is said to be UTF-8", encoded(document("UTF-8", outlines), charmap.Windows1252), titles,
			charset.NoteLie},
		{"windows-1251",
			encoded(strings.Replace(document("windows-1251",
				`<outline text="Новости дня" xmlUrl="http://a.example/"/>`), "ü", "u", 1), charmap.Windows1251),
			[]string{"Новости дня"}, ""},
		{"an unknown one", document("x-none", outlines), titles, charset.NoteUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := Parse(strings.NewReader(c.doc), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range list.Entries {
				got = append(got, e.Title)
			}
			if len(got) < len(c.want) || !slices.Equal(got[:len(c.want)], c.want) {
				t.Errorf("titles %q, want %q", got, c.want)
			}
			if !slices.ContainsFunc(list.Problems, func(p Problem) bool { return strings.Contains(p.Text, c.note) }) &&
				c.note != "" {
				t.Errorf("it is not said that it %s: %v", c.note, list.Problems)
			}
		})
	}
}

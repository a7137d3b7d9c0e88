package opml

import (
	"reflect"
	"strings"
	"testing"
	"tidings/lab/cpu"
)

// BenchmarkWorst measures what documents of 8 MiB cost that were made to keep their reader busy.
func BenchmarkWorst(b *testing.B) {
	fill := func(s string) string { return strings.Repeat(s, (8<<20-1000)/len(s)) }
	for name, doc := range map[string]string{
		"outlines":            fill("<outline xmlUrl='http://a.b/'/>"),
		"nested outlines":     fill("<outline>"),
		"nested folders":      fill("<outline text='a/b/c/d/e/f'>"),
		"what cannot be read": fill("<outline a<"),
		"attributes":          "<outline" + fill(" a=''") + ">",
		"attributes, half": "<outline" + strings.Repeat(" a=''", 1<<19) + " text='b'/>" +
			strings.Repeat("<outline xmlUrl='http://a.b/'/>", 80_000),
		"attributes of its":    "<opml xmlns:t='https://example.org/'><outline" + fill(" t:a='b'") + ">",
		"equal attributes":     "<outline" + fill(" text=' '") + ">",
		"references":           "<outline text='" + fill("&#0;") + "'/>",
		"characters":           "<outline text='" + fill("&#65;") + "'/>",
		"entities":             "<outline text='" + fill("&amp;") + "'/>",
		"control characters":   "<outline>" + fill("\x01"),
		"unclosed declaration": fill("<?xml "),
		"comments":             "<outline>" + fill("<!---->"),
		"title":                "<opml><title>" + fill("x<b>"),
		"long addresses":       fill("<outline xmlUrl='" + strings.Repeat("a ", 1000) + "'/>"),
		"long labels":          fill("<outline text='" + strings.Repeat("a/ ", 1000) + "'>"),
		"latin":                "<outline text='" + fill("\xe9") + "'/>",
	} {
		b.Run(name, func(b *testing.B) {
			start := cpu.Time()
			for b.Loop() {
				_, _ = Parse(strings.NewReader(doc), Limits{}) // a part of them is refused
			}
			b.ReportMetric(float64((cpu.Time()-start).Milliseconds())/float64(b.N), "CPU-ms")
		})
	}
}

func TestForbiddenReferencesAreDropped(t *testing.T) {
	for text, want := range map[string]string{
		"a&#65;b": "a&#65;b", "a&#0;b": "ab", "&#x1;&#X41;&#x": "&#X41;&#x", "&#;&#x;&#xg;&#1": "&#;&#x;&#xg;&#1",
		"&#&#1;&#99999999999;": "&#", "&&#1;#2;": "&#2;", "": "",
	} {
		if got := string(dropReferences([]byte(text))); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// hostile 24: of very many attributes of an outline the first are read, and what follows the outline.
func TestHostile24ManyAttributes(t *testing.T) {
	many := strings.Repeat(" x='y'", 2*maxAttributes)
	l, err := Parse(strings.NewReader("<opml><outline text='one' xmlUrl='http://a.example/'"+many+
		" htmlUrl='http://lost.example/'/>\n"+
		"<outline text='two' xmlUrl='http://b.example/?a=1&amp;b=2'>"+
		"<outline text='in two' xmlUrl='http://c.example/'"+many+"></outline></outline></opml>"), Limits{})
	want := []Entry{{URL: "http://a.example/", Title: "one"}, {URL: "http://b.example/?a=1&b=2", Title: "two"},
		{URL: "http://c.example/", Title: "in two", Folder: ""}}
	if err != nil || len(l.Problems) > 0 || !reflect.DeepEqual(l.Entries, asNamed(want)) {
		t.Errorf("%v, problems %v, entries %+v", err, l.Problems, l.Entries)
	}
}

// hostile 24: of very many elements, whatever they are called, the first are read, and a problem says so.
func TestHostile24ManyElements(t *testing.T) {
	l, err := Parse(strings.NewReader("<opml><outline xmlUrl='http://a.example/'/>"+
		strings.Repeat("<b/>", maxElements-2)+"\n<b/><outline xmlUrl='http://b.example/'/></opml>"), Limits{})
	if err != nil || len(l.Entries) != 1 || len(l.Problems) != 1 || l.Problems[0].Line != 2 {
		t.Errorf("%v, problems %v, entries %+v", err, l.Problems, l.Entries)
	}
}

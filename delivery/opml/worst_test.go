package opml

import (
	"strings"
	"testing"

	"tidings/lab/cost"
)

// BenchmarkWorst measures what documents of 5 MiB cost that were made to keep their reader busy.
func BenchmarkWorst(b *testing.B) {
	fill := func(s string) string { return strings.Repeat(s, (5<<20)/len(s)) }
	for name, doc := range map[string]string{
		"outlines":             fill("<outline xmlUrl='http://a.b/'/>"),
		"nested outlines":      fill("<outline>"),
		"nested folders":       fill("<outline text='a/b/c/d/e/f'>"),
		"what cannot be read":  fill("<outline a<"),
		"attributes":           "<outline" + fill(" a=''") + ">",
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
			start := cost.CPU()
			for b.Loop() {
				_, _ = Parse(strings.NewReader(doc), Limits{}) // some are refused
			}
			b.ReportMetric(float64((cost.CPU()-start).Milliseconds())/float64(b.N), "CPU-ms")
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

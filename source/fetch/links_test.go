package fetch

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func TestLinks(t *testing.T) {
	const feed, rss = "alternate", "application/rss+xml"
	for name, test := range map[string]struct {
		header []string
		want   []Link
	}{
		"none": {nil, nil},
		"one":  {[]string{`<feed.xml>; rel=alternate; type=application/rss+xml`}, []Link{{"feed.xml", feed, rss, ""}}},
		"several in a line, commas in quotes and in addresses": {
			[]string{`<a,b.css>; rel="preload"; title="one, \"two\"; three", </feed?x=1,2>;rel="alternate";type="application/rss+xml" , <c>`},
			[]Link{{"a,b.css", "preload", "", `one, "two"; three`}, {"/feed?x=1,2", feed, rss, ""}, {"c", "", "", ""}},
		},
		"several lines": {[]string{`<a>; rel=x`, `<b>; rel=y`}, []Link{{"a", "x", "", ""}, {"b", "y", "", ""}}},
		"odd spelling": {[]string{" , <a> ;\tREL = alternate ;Type= application/rss+xml;crossorigin;;"},
			[]Link{{"a", feed, rss, ""}}},
		"the first counts": {[]string{`<a>; rel=x; rel=y`}, []Link{{"a", "x", "", ""}}},
		"a title in UTF-8": {[]string{`<a>; title="cafe"; title*=UTF-8'fr'caf%C3%A9; title=no`},
			[]Link{{"a", "", "", "café"}}},
		"a title in another": {[]string{`<a>; title="cafe"; title*=iso-8859-1''caf%E9`}, []Link{{"a", "", "", "cafe"}}},
		"of a part, of another, of itself": {
			[]string{`<a>; anchor="#part"; rel=x, <b>; anchor="https://other.example/", <c>; anchor="/page", <d>; anchor=""`},
			[]Link{{"c", "", "", ""}, {"d", "", "", ""}},
		},
		"what is none is passed over": {[]string{`nonsense, <a>; rel=x, <b`, `; rel=y`, `<c>nonsense; rel=z, <d>`,
			`<e>; title="open`}, []Link{
			{"a", "x", "", ""}, {"c", "", "", ""}, {"d", "", "", ""}, {"e", "", "", "open"},
		}},
	} {
		res := &Response{URL: "https://origin.example/page", Header: http.Header{"Link": test.header}}
		if got := res.Links(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
	many := &Response{Header: http.Header{"Link": {strings.Repeat("<a>,", 1000)}}}
	if n := len(many.Links()); n != maxLinks {
		t.Errorf("%d links of 1,000", n)
	}
}

func FuzzLinks(f *testing.F) {
	for _, seed := range []string{`<a>; rel=alternate; type="application/rss+xml", <b>; title*=UTF-8''%C3%A9`,
		`<a>;x="\"`, `<,<,>;`, `<a>;;=;,"`} {
		f.Add(seed, "https://origin.example/")
	}
	f.Fuzz(func(t *testing.T, header, at string) {
		res := &Response{URL: at, Header: http.Header{"Link": {header}}}
		for _, l := range res.Links() {
			if len(l.Href)+len(l.Rel)+len(l.Type)+len(l.Title) > len(header) {
				t.Errorf("%+v is longer than %q", l, header)
			}
		}
	})
}

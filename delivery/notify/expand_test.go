package notify

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
	"tidings/delivery/outbox"
)

func sameValue(value string) map[string]string {
	values := make(map[string]string)
	for _, name := range names {
		values[name] = value
	}
	return values
}

var expansionSeeds = []struct{ template, value string }{
	{`{"title": "{title}", "n": [1, {"x": "a {link} b"}]}`, `"}, "admin": true`},
	{`"{title}{text}"`, `\`},
	{`["\\{title}"]`, "\x00\xff\u2028</script>"},
	{`{"{title}": "{nothing} {"}`, "{title}"},
	{`[{title}]`, "1,2"},
	{`{"a":"\u{title}1234"}`, "abcd"},
}

// FuzzJSON: a template that is accepted makes valid JSON of every value, with the value in it as it was.
func FuzzJSON(f *testing.F) {
	if len(expansionSeeds) == 0 {
		f.Fatal("no seeds")
	}
	for _, s := range expansionSeeds {
		f.Add(s.template, s.value)
	}
	f.Fuzz(func(t *testing.T, template, value string) {
		if checkJSON(template) != nil || len(template) > tidings.MaxTemplate {
			t.Skip()
		}
		body, err := expand(template, sameValue(value), jsonSyntax.escape)
		switch {
		case errors.Is(err, errTooLarge):
		case err != nil:
			t.Fatal(err)
		case !json.Valid([]byte(body)):
			t.Fatalf("%q with %q is %q", template, value, body)
		}
	})
}

// TestExpansionIsOnePass: names in values stand for themselves, and unknown names stay.
func TestExpansionIsOnePass(t *testing.T) {
	values := map[string]string{"title": "{text}", "text": "{title}{title}", "link": "", "channel": "c"}
	got, err := expand("{title}-{text}-{link}-{channel}{{channel}}{other}{", values, asIs)
	if want := "{text}-{title}{title}--c{c}{other}{"; got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestTemplatesCannotExplode: what grows beyond the bound is refused for good.
func TestTemplatesCannotExplode(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	i := testItems()[0]
	for _, form := range []tidings.Form{
		{Body: strings.Repeat("{text}", 1300)},
		{Headers: map[string]string{"X": strings.Repeat("{text}", 1300)}},
	} {
		target := testTarget(tidings.Generic, server.URL)
		target.Form, target.Text.Body = &form, strings.Repeat("text ", 800)
		err := testNotifier().Send(t.Context(), target, itemMessage(i))
		if r, is := errors.AsType[*outbox.Refusal](err); !is || !r.Final || err.Error() != errTooLarge.Error() {
			t.Error(err)
		}
	}
}

// TestEscaping checks, for each place of a value, that a reader of that syntax reads the value as it was.
func TestEscaping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := strings.ToValidUTF8(strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostileTexts),
			rapid.String()), 0, 5).Draw(t, "value"), ""), "")
		values := sameValue(value)
		text, err := expand("a={title}&b=1", values, formSyntax.escape)
		if form, err2 := url.ParseQuery(text); err != nil || err2 != nil || form.Get("a") != value ||
			form.Get("b") != "1" || len(form) != 2 {
			t.Fatalf("form: %q from %q", text, value)
		}
		text, err = expand("https://x.example/p/{title}/q?a={title}&b=1", values, inURL)
		u, err2 := url.Parse(text)
		if err != nil || err2 != nil || u.Host != "x.example" || u.Query().Get("a") != value ||
			u.Query().Get("b") != "1" || len(u.Query()) != 2 ||
			strings.Count(u.EscapedPath(), "/") != 3 || !strings.HasPrefix(u.Path, "/p/") ||
			!strings.HasSuffix(u.Path, "/q") {
			t.Fatalf("URL: %q from %q", text, value)
		}
		for _, part := range strings.FieldsFunc(u.Path, func(c rune) bool { return c == '/' || c == '\\' }) {
			if part == "." || part == ".." {
				t.Fatalf("URL: %q leads elsewhere, from %q", u.Path, value)
			}
		}
		text, err = expand("<a b=\"{title}\">{title}</a>", values, xmlSyntax.escape)
		var element struct {
			B    string `xml:"b,attr"`
			Text string `xml:",chardata"`
		}
		if err2 := xml.Unmarshal([]byte(text), &element); err != nil || err2 != nil ||
			withoutReturns(element.Text) != withoutReturns(inXML(value)) {
			t.Fatalf("XML: %q from %q: %v", text, value, err2)
		}
		text, err = expand("x {title}", values, inHeader)
		if err != nil || strings.ContainsAny(text, "\r\n\x00") {
			t.Fatalf("header: %q from %q", text, value)
		}
	})
}

// withoutReturns leaves out what XML reads as line feeds.
func withoutReturns(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }

func TestSyntaxes(t *testing.T) {
	for text, want := range map[string]syntax{
		"application/json": jsonSyntax, "Application/JSON; charset=utf-8": jsonSyntax,
		"application/ld+json": jsonSyntax, "text/json": jsonSyntax,
		"application/x-www-form-urlencoded": formSyntax, "text/xml": xmlSyntax,
		"application/atom+xml": xmlSyntax, "text/html;charset=x": xmlSyntax,
		"text/plain": plainSyntax, "": plainSyntax, "application/jsonx": plainSyntax,
		"multipart/form-data": plainSyntax, "application/json; =": jsonSyntax,
	} {
		if got := syntaxOf(text); got != want {
			t.Errorf("%q: %d, not %d", text, got, want)
		}
	}
}

// TestContentTypeByBody: a form that names no Content-Type gets that of its body.
func TestContentTypeByBody(t *testing.T) {
	var got string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Content-Type") +
			" " + bodyOf(t, r)
	})
	for body, want := range map[string]string{
		`{"a":"{title}"}`: `application/json {"a":"One & more"}`,
		"{title}":         "text/plain; charset=utf-8 One & more", "": " ",
		" [\"{title}\"]": `application/json  ["One & more"]`,
	} {
		target := testTarget(tidings.Generic, server.URL)
		target.Form = &tidings.Form{Body: body}
		if err := testNotifier().Send(t.Context(), target, testMessages()[0]); err != nil || got != want {
			t.Errorf("%q: %q, not %q; %v", body, got, want, err)
		}
	}
}

// TestHeadersStayOne: no value ends its header.
func TestHeadersStayOne(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Injected") != "" || r.Header.Get("X-Title") != "a X-Injected: 1 b" {
			t.Errorf("%q", r.Header)
		}
		_, _ = io.Copy(io.Discard, r.Body)
	})
	i := testItems()[0]
	i.Title = "a\r\nX-Injected: 1\r\n\r\nb\x7f"
	if err := testNotifier().Send(t.Context(), testTarget(tidings.Generic, server.URL), itemMessage(i)); err != nil {
		t.Error(err)
	}
}

package feed

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
)

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"https://example.org":               "https://example.org/",
		"HTTP://Example.ORG:80/A/b?Q=1#top": "http://example.org/A/b?Q=1",
		"https://example.org:443":           "https://example.org/",
		"https://example.org:8443/":         "https://example.org:8443/",
		"example.org/feed":                  "https://example.org/feed",
		"localhost:8080/feed":               "https://localhost:8080/feed",
		"//example.org/feed":                "https://example.org/feed",
		"feed://example.org/rss":            "http://example.org/rss",
		"feed:https://example.org/rss":      "https://example.org/rss",
		"itpc://example.org/cast":           "http://example.org/cast",
		" https://example.org/a b ":         "https://example.org/a%20b",
		"https://example.org/ä?ö=ü":         "https://example.org/%C3%A4?%C3%B6=%C3%BC",
		"https://bücher.example/":           "https://xn--bcher-kva.example/",
		"https://аррӏе.example/":            "https://xn--80ak6aa92e.example/", // Cyrillic letters that look Latin
		"https://example.org/a/./b/../c":    "https://example.org/a/c",
		"https://example.org/../x/..":       "https://example.org/",
		"https://example.org/a%2fb%7e":      "https://example.org/a%2Fb~",
		"https://example.org/%7Euser/":      "https://example.org/~user/",
		"https://example.org/~user/":        "https://example.org/~user/",
		"https://example.org/%66%65ed":      "https://example.org/feed",
		"https://example.org/ä%2f%20":       "https://example.org/%C3%A4%2F%20",
		"https://example.org/a/%2e/b":       "https://example.org/a/b",
		"https://example.org/a/%2E%2e/b":    "https://example.org/b",
		"https://example.org/a%2f/.%2e/b":   "https://example.org/b",
		"https://example.org/%252e/":        "https://example.org/%252e/",
		"https://example.org/?q=%c3%7e%26":  "https://example.org/?q=%C3~%26",
		"http://example.org:080/":           "http://example.org/",
		"https://example.org:0443/":         "https://example.org/",
		"http://example.org:0443/":          "http://example.org:443/",
		"https://example.org:08443/":        "https://example.org:8443/",
		"https://example.org//a//":          "https://example.org//a//",
		"https://example.org/?":             "https://example.org/",
		"https://example.org./x":            "https://example.org/x",
		"https://[2001:DB8::1]:443/":        "https://[2001:db8::1]/",
		"https://example.org/100%":          "https://example.org/100%25",
		"https://under_score.example.org/":  "https://under_score.example.org/",
		"https://example.org/?a=%zz&b=<x>":  "https://example.org/?a=%25zz&b=%3Cx%3E",
	} {
		got, err := Canonical(in)
		if err != nil || got != want {
			t.Errorf("%q gives %q, %v, want %q", in, got, err, want)
		}
		if again, err := Canonical(got); err != nil || again != got {
			t.Errorf("%q is not canonical for ever: %q, %v", got, again, err)
		}
	}
}

// hostile 23: what is no plain address of http or https is refused.
func TestHostile23Canonical(t *testing.T) {
	for _, in := range []string{"", "javascript:alert(1)", "file:///etc/passwd", "gopher://example.org/",
		"ftp://example.org/",
		"data:text/html,x", "https://user:secret@example.org/", "https://user@example.org/", "https://", "http:///path",
		"mailto:a@b.example",
		"https://exa mple.org/", "https://example..org/", "https://example.org../", "https://example.org。。/",
		"https://1.2.3.4../", "https://../", "https://example.org:99999/",
		"https://[::1%25eth0]/", "https://example.org:99x/", "https://example.org/" + strings.Repeat("a", 100<<10)} {
		got, err := Canonical(in)
		if !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%.60q gives %q, %v", in, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

// hostile 23: links of items.
func TestHostile23ItemLinks(t *testing.T) {
	for in, want := range map[string]string{
		"javascript:alert(1)":            "",
		"JaVaScRiPt:alert(1)":            "",
		"java\nscript:alert(1)":          "",
		"data:text/html,<script>":        "",
		"http://user:pass@example.org/x": "http://example.org/x",
		"https://аррӏе.example/":         "https://xn--80ak6aa92e.example/",
		"relative path":                  "https://origin.example/dir/relative%20path",
		"#fragment":                      "https://origin.example/dir/feed.xml#fragment",
		"/a#b":                           "https://origin.example/a#b",
		"https://example.org/\n a":       "https://example.org/%20a",
		"//cdn.example/x":                "https://cdn.example/x",
		"":                               "",
		strings.Repeat("a", 100<<10):     "",
		"http://":                        "",
	} {
		d := mustParse(t, rssDoc("<item><title>x</title><link>"+escape(in)+"</link></item>"))
		if got := d.Items[0].URL; got != want {
			t.Errorf("%.60q gives %q, want %q", in, got, want)
		}
	}
}

func TestLinkKey(t *testing.T) {
	same := []string{"https://example.org/a?id=1", "http://www.example.org/a?utm_source=x&id=1",
		"https://example.org/a/?id=1&fbclid=z",
		"https://example.org/a?id=1&PHPSESSID=0123", "https://example.org/a?id=1#utm_campaign=rss",
		"https://example.org/a;jsessionid=12?id=1"}
	for _, link := range same {
		if got := linkKey(link); got != "example.org/a?id=1" {
			t.Errorf("%s gives %s", link, got)
		}
	}
	for _, link := range []string{"https://example.org/a?id=2", "https://example.org/b?id=1",
		"https://example.org/a?id=1#section"} {
		if linkKey(link) == linkKey(same[0]) {
			t.Errorf("%s is taken for %s", link, same[0])
		}
	}
}

// Spellings of one address are one channel: that is what ChannelID is made of.
func TestSpellingsOfAnAddressAreOneChannel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`(/[a-z0-9._~-]{0,4}){1,4}`).Draw(t, "path")
		query := rapid.StringMatching(`q=[a-zA-Z0-9._~&=/-]{0,9}`).Draw(t, "query")
		spell := func(s string) string { // some of the characters escaped, in either case
			var b strings.Builder
			for i := 0; i < len(s); i++ {
				switch form := rapid.SampledFrom([]string{"", "", "%%%02X", "%%%02x"}).Draw(t, "form"); {
				case form == "" || !isUnreserved(s[i]):
					b.WriteByte(s[i])
				default:
					fmt.Fprintf(&b, form, s[i])
				}
			}
			return b.String()
		}
		host := rapid.SampledFrom([]string{"example.org", "EXAMPLE.org", "example.org.", "example.org:",
			"example.org:443", "example.org:0443"}).Draw(t, "host")
		want, err := Canonical("https://example.org" + path + "?" + query)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Canonical("https://" + host + spell(path) + "?" + spell(query)); err != nil || got != want {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	})
}

func TestCanonicalIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.StringMatching(`(https?://)?[a-zA-Z0-9.äß-]{1,20}(:[0-9]{1,5})?(/(/|%2[eEfF5]|%7[eE]|%[cC]3|[a-zA-Z0-9.%~ä -]){0,30})?(\?(%2[eEfF5]|%7[eE]|%[cC]3|[a-z=&%<> ]){0,20})?(#x)?`).Draw(t, "url")
		checkCanonical(t, raw)
	})
}

func checkCanonical(t interface{ Fatalf(string, ...any) }, raw string) {
	once, err := Canonical(raw)
	if err != nil {
		if !errors.Is(err, tidings.ErrInvalid) {
			t.Fatalf("%q: %v", raw, err)
		}
		return
	}
	twice, err := Canonical(once)
	if err != nil || twice != once {
		t.Fatalf("%q gives %q, then %q, %v", raw, once, twice, err)
	}
	u, err := url.Parse(once)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" ||
		len(once) > MaxURL {
		t.Fatalf("%q gives %q", raw, once)
	}
	for i := 0; i < len(once); i++ {
		if once[i] <= ' ' || once[i] >= 0x7f {
			t.Fatalf("%q gives %q", raw, once)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{"https://example.org", "feed:example.org", "//x", "a:b@c",
		"http://[::1]:80/%2e%2E/%zz?#", "https://ä.example/\\x", "http://1.2.3.4.:443/..", "-...", "0/\"/%2E",
		"http://a..:080/%7e%2f%c3?%7E%c3%", "http://a。./%2e%2e//"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) { checkCanonical(t, raw) })
}

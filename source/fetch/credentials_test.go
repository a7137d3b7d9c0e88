package fetch

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"tidings"
)

func TestSplitCredentials(t *testing.T) {
	for raw, want := range map[string][3]string{
		"https://example.org/feed?a=b#c":               {"https://example.org/feed?a=b#c", "", ""},
		"https://user:pass@example.org/feed":           {"https://example.org/feed", "user", "pass"},
		"https://user@example.org/":                    {"https://example.org/", "user", ""},
		"https://:pass@example.org/":                   {"https://example.org/", "", "pass"},
		"https://us%40er:p%3Aa%2Fss@example.org:8443/": {"https://example.org:8443/", "us@er", "p:a/ss"},
	} {
		clean, user, password, err := SplitCredentials(raw)
		if err != nil || [3]string{clean, user, password} != want {
			t.Errorf("%s: got %q, %q, %q, %v", raw, clean, user, password, err)
		}
	}
	if _, _, _, err := SplitCredentials("http://user:SECRET@%zz/"); !errors.Is(err, tidings.ErrInvalid) ||
		strings.Contains(err.Error(), "SECRET") {
		t.Errorf("got %v", err)
	}
}

func TestRedact(t *testing.T) {
	for raw, want := range map[string]string{
		"https://example.org/feed?page=2":                                              "https://example.org/feed?page=2",
		"https://user:SECRET@example.org/feed":                                         "https://example.org/feed",
		"https://example.org/feed?a=b&token=SECRET&c=d":                                "https://example.org/feed?a=b&token=…&c=d",
		"https://example.org/u/6f1ed002ab5595859014ebf0951522d9/rss":                   "https://example.org/u/…/rss",
		"https://example.org/f?6f1ed002ab5595859014ebf0951522d9":                       "https://example.org/f?…=…",
		"https://www.youtube.com/feeds/videos.xml?channel_id=UCXuqSBlHAE6Xw-yeJA0Tunw": "https://www.youtube.com/feeds/videos.xml?channel_id=UCXuqSBlHAE6Xw-yeJA0Tunw",
		"http://user:SECRET@%zz/":                                                      "http:…",
		"user:SECRET@example.org":                                                      "user:…",
		"SECRET@example.org:80":                                                        "…",
		"":                                                                             "",
	} {
		if got := Redact(raw); got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	hidden := 0
	for _, s := range []string{"https://u:p@example.org/a?b=c&token=d", "http://%zz", "a:b@c", "//u:p@h/",
		"http://[::1]:80/?;=&&"} {
		if Redact(s) != s {
			hidden++
		}
		f.Add(s)
	}
	if hidden == 0 {
		f.Fatal("no seed has anything to hide")
	}
	f.Fuzz(func(t *testing.T, raw string) {
		safe := Redact(raw)
		u, err := url.Parse(raw)
		if err != nil || u.User == nil {
			return
		}
		if password, _ := u.User.Password(); len(password) > 6 && !strings.Contains(u.Host+u.EscapedPath()+u.RawQuery,
			password) && strings.Contains(safe, password) {
			t.Fatalf("%q is shown as %q", raw, safe)
		}
	})
}

func FuzzClassify(f *testing.F) {
	classes := map[tidings.Privacy]bool{}
	for _, s := range []string{"https://u:p@example.org/", "https://example.org/a?key=b", "http://0x7f.1/",
		"http://日本.example/", "%", "http://a/" + strings.Repeat("aA1", 9)} {
		classes[Classify(s, false)] = true
		f.Add(s)
	}
	if len(classes) < 3 {
		f.Fatalf("the seeds are of the classes %v only", classes)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.Parse(raw)
		class := Classify(raw, false)
		switch {
		case err == nil && u.User != nil && class != tidings.Credentialed:
			t.Fatalf("%q with credentials is %s", raw, class)
		case class == tidings.Public && Classify(raw, true) != tidings.Public:
			t.Fatalf("%q is public, but not in a lab", raw)
		}
	})
}

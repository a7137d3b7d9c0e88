package budget

import "testing"

// The holder of a domain has one host, however many names, ports and queries it invents (hostile 44).
func TestHostOf(t *testing.T) {
	for url, want := range map[string]string{
		"https://example.org/feed":              "example.org",
		"https://www.example.org/feed?x=1":      "example.org",
		"https://a.b.c.example.org:8443/":       "example.org",
		"https://news.bbc.co.uk/":               "bbc.co.uk",
		"https://someone.github.io/atom.xml":    "someone.github.io",
		"https://github.io":                     "github.io",
		"http://192.0.2.7:8080/feed":            "192.0.2.7",
		"http://[2001:db8::1]/feed":             "2001:db8::1",
		"http://[2001:db8::1]:8080/feed":        "2001:db8::1",
		"http://localhost:8080/feed":            "localhost",
		"http://127.0.0.1:8080/feed":            "127.0.0.1:8080",
		"http://127.9.0.1:8081/":                "127.9.0.1:8081",
		"http://127.0.0.1/feed":                 "127.0.0.1",
		"http://[::1]:8080/feed":                "[::1]:8080",
		"http://[::ffff:127.0.0.1]:80/feed":     "[::ffff:127.0.0.1]:80",
		"http://10.0.0.1:8080/feed":             "10.0.0.1",
		"http://127.0.0.1.example.org:81/":      "example.org",
		"https://user:word@Example.Org./x":      "example.org",
		"https://xn--bcher-kva.example/a#b":     "xn--bcher-kva.example",
		"https://example.org?x=http://other/ab": "example.org",
		"":                                      "",
	} {
		if got := HostOf(url); got != want {
			t.Errorf("the host of %q is %q, want %q", url, got, want)
		}
	}
	if HostKey("https://a.example.org/1") != HostKey("http://b.example.org:81/2") {
		t.Error("one host has two keys")
	}
}

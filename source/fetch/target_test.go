package fetch

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"

	"tidings/egress"
)

func TestTargetsAreAskedInOneForm(t *testing.T) {
	g := guard{egress.Guard{Ports: egress.HighPorts}}
	for raw, want := range map[string]struct{ text, host string }{
		"http://Example.ORG.:80/a?b#c":           {"http://example.org/a?b", "example.org"},
		"https://example.org:443":                {"https://example.org", "example.org"},
		"https://example.org:8443/":              {"https://example.org:8443/", "example.org:8443"},
		"http://example.org:443/":                {"http://example.org:443/", "example.org:443"},
		"https://user:pass@example.org/":         {"https://example.org/", "example.org"},
		"http://Bücher.example/ü":                {"http://xn--bcher-kva.example/%C3%BC", "xn--bcher-kva.example"},
		"http://0x08080808/":                     {"http://8.8.8.8/", "8.8.8.8"},
		"http://134744072/":                      {"http://8.8.8.8/", "8.8.8.8"},
		"http://010.8.8.8/":                      {"http://8.8.8.8/", "8.8.8.8"},
		"http://8.8.2056/":                       {"http://8.8.8.8/", "8.8.8.8"},
		"http://[2606:4700:0::1]:80/":            {"http://[2606:4700::1]/", "[2606:4700::1]"},
		"http://[::ffff:8.8.8.8]/":               {"http://8.8.8.8/", "8.8.8.8"},
		"http://example.org/?q=a b&r=ü&s=%20%C3": {"http://example.org/?q=a%20b&r=%C3%BC&s=%20%C3", "example.org"},
		"http://1.2.3.4.5/":                      {"http://1.2.3.4.5/", "1.2.3.4.5"},
		"http://1.2.3.999/":                      {"http://1.2.3.999/", "1.2.3.999"},
		"http://deadbeef.example/":               {"http://deadbeef.example/", "deadbeef.example"},
	} {
		got, err := g.target(raw)
		if err != nil || got.text != want.text || got.host != want.host {
			t.Errorf("%s: got %q at %q, %v", raw, got.text, got.host, err)
		}
	}
}

func TestLiterals(t *testing.T) {
	for host, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "2130706433": "127.0.0.1", "0x7f.1": "127.0.0.1", "0177.1": "127.0.0.1",
		"0": "0.0.0.0", "0x": "0.0.0.0",
		"127.65535": "127.0.255.255", "1.256.1": "", "4294967296": "", "256.1": "", "1.2.3.4.5": "", "example.org": "",
		"abc0x7f": "", "1..2": "", "08": "",
	} {
		got := literal(host)
		if want == "" && got.IsValid() || want != "" && got != netip.MustParseAddr(want) {
			t.Errorf("%s: got %v, want %q", host, got, want)
		}
	}
}

func TestOddQueriesArriveWhole(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Query().Get("q")) })
	if res := mustGet(t, newClient(t), Request{URL: url + "/?q=a b<ü>"}); string(res.Body) != "a b<ü>" {
		t.Errorf("got %q", res.Body)
	}
}

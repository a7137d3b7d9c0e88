package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tidings"
)

func TestAlter(t *testing.T) {
	set := tidings.AccessChange{
		Headers: []string{"x-key:  one ", "Authorization: Bearer T", "User-Agent: Mozilla"},
		Cookies: []string{"sid=abc", " b = c=d"},
		Proxy:   new("socks5://u:p@proxy.example"),
	}
	a, err := Alter(tidings.Access{}, set)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"Authorization: Bearer T", "User-Agent: Mozilla", "X-Key: one"}; !slices.Equal(a.Headers,
		want) {
		t.Errorf("headers %q, want %q", a.Headers, want)
	}
	if want := []string{"b=c=d", "sid=abc"}; !slices.Equal(a.Cookies, want) || a.Proxy != *set.Proxy {
		t.Errorf("cookies %q, want %q; proxy %q", a.Cookies, want, a.Proxy)
	}
	b, err := Alter(a, tidings.AccessChange{Headers: []string{"X-KEY: two", "authorization:"}, Cookies: []string{"b="},
		Proxy: new("")})
	if err != nil || !slices.Equal(b.Headers, []string{"User-Agent: Mozilla", "X-Key: two"}) ||
		!slices.Equal(b.Cookies, []string{"sid=abc"}) || b.Proxy != "" {
		t.Errorf("after another change %q %q %q, %v", b.Headers, b.Cookies, b.Proxy, err)
	}
	if len(a.Headers) != 3 || len(a.Cookies) != 2 {
		t.Errorf("the access before the change has become %q %q", a.Headers, a.Cookies)
	}
	if shown := fmt.Sprintf("%v %+v", a, struct{ Access tidings.Access }{a}); strings.Contains(shown, "abc") ||
		strings.Contains(shown, "Bearer") {
		t.Errorf("printed as %q", shown)
	}
}

func TestAlterRefuses(t *testing.T) {
	header := func(text ...string) tidings.AccessChange { return tidings.AccessChange{Headers: text} }
	cookie := func(text ...string) tidings.AccessChange { return tidings.AccessChange{Cookies: text} }
	proxy := func(text string) tidings.AccessChange { return tidings.AccessChange{Proxy: &text} }
	var many []string
	for i := range maxAccessFields + 1 {
		many = append(many, fmt.Sprintf("X-%d: v", i))
	}
	if _, err := Alter(tidings.Access{}, header(many[1:]...)); err != nil {
		t.Errorf("%d headers: %v", maxAccessFields, err)
	}
	if _, err := Alter(tidings.Access{}, header("X: "+strings.Repeat("S", maxAccessBytes-3))); err != nil {
		t.Errorf("%d bytes: %v", maxAccessBytes, err)
	}
	for name, change := range map[string]tidings.AccessChange{
		"no colon": header("SECRET"), "no name": header(": SECRET"), "a name with a blank": header("X Y: SECRET"),
		"CRLF": header("X: SECRET\r\nHost: evil.example"), "LF": header("X: SECRET\nY: b"),
		"CR": header("X: SECRET\rY: b"), "NUL": header("X: SECRET\x00"),
		"a trailing line break": header("X: SECRET\r\n"), "a line break in the name": header("X\r\nY: SECRET"),
		"DEL":  header("X: SECRET\x7f"),
		"Host": header("host: SECRET"), "Content-Length": header("Content-Length: 1"),
		"Transfer-Encoding": header("transfer-encoding: chunked"),
		"Connection":        header("Connection: SECRET"), "Range": header("RANGE: bytes=0-1"),
		"If-None-Match": header(`If-None-Match: "SECRET"`),
		"If-Range":      header("if-range: x"), "Cookie": header("Cookie: a=SECRET"),
		"Proxy-Authorization": header("proxy-authorization: SECRET"),
		"Accept-Encoding":     header("Accept-Encoding: br"), "A-IM": header("A-IM: feed"),
		"TE":      header("TE: trailers"),
		"Upgrade": header("Upgrade: h2c"), "Expect": header("Expect: 100-continue"),
		"too many": header(many...), "too large": header("X: " + strings.Repeat("S", maxAccessBytes-2)),
		"a cookie without a value": cookie("SECRET"), "two cookies": cookie("a=b; c=SECRET"),
		"a cookie with a line break": cookie("a=SECRET\r\nX: y"),
		"a cookie with a blank":      cookie("a=SECRET b"), "a cookie beyond ASCII": cookie("a=SECRETä"),
		"a cookie without a name": cookie("=SECRET"),
		"another scheme":          proxy("ftp://SECRET:SECRET@p.example"),
		"names at the proxy":      proxy("socks5h://SECRET@p.example"), "a path": proxy("http://p.example/SECRET"),
		"a query": proxy("http://p.example?SECRET"), "no host": proxy("http://"),
		"no scheme": proxy("SECRET.example:80"), "port 0": proxy("http://p.example:0"),
		"port 99999": proxy("http://p.example:99999"), "not an address": proxy("http://SECRET:SECRET@%zz/"),
		"a long name":               proxy("http://" + strings.Repeat("S", 256) + "@p.example"),
		"a proxy with a line break": proxy("http://p.example\r\nX: SECRET"),
		"a long address":            proxy("http://" + strings.Repeat("a.", maxProxy/2) + "example"),
	} {
		got, err := Alter(tidings.Access{}, change)
		if !errors.Is(err, tidings.ErrInvalid) || !got.IsZero() || strings.Contains(err.Error(), "SECRET") ||
			strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%s: got %q %q %q, %v", name, got.Headers, got.Cookies, got.Proxy, err)
		}
	}
	if _, err := Alter(tidings.Access{User: "u"}, header("Authorization: x")); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("Authorization beside a password: %v", err)
	}
}

// What a channel has of its own reaches its origin alone: not another host, another port or another scheme, and not
// after a redirect there, whatever the origin sets meanwhile.
func TestOwnHeadersAndCookiesStayAtTheirOrigin(t *testing.T) {
	type seen struct{ key, cookie, agent, password string }
	var elsewhere, here []seen
	note := func(r *http.Request) seen {
		return seen{r.Header.Get("X-Key"), r.Header.Get("Cookie"), r.Header.Get("User-Agent"),
			r.Header.Get("Authorization")}
	}
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		elsewhere = append(elsewhere, note(r))
		if back := r.URL.Query().Get("back"); back != "" {
			http.Redirect(w, r, back, http.StatusFound)
			return
		}
		fmt.Fprint(w, "a document")
	})
	var origin string
	origin = serve(t, func(w http.ResponseWriter, r *http.Request) {
		here = append(here, note(r))
		switch r.URL.Path {
		case "/away":
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "new", Path: "/"})
			http.Redirect(w, r, other+"/?back="+origin+"/end", http.StatusMovedPermanently)
		case "/gone":
			http.Redirect(w, r, other+"/", http.StatusMovedPermanently)
		default:
			fmt.Fprint(w, "a document")
		}
	})
	a := tidings.Access{Headers: []string{"User-Agent: mine", "X-Key: s3cret"}, Cookies: []string{"sid=old", "tz=x"}}
	mustGet(t, newClient(t), Request{URL: origin + "/away", Access: a})
	mustGet(t, newClient(t), Request{URL: origin + "/gone", Access: a})
	want := []seen{{"s3cret", "sid=old; tz=x", "mine", ""}, {"s3cret", "sid=new; tz=x", "mine", ""},
		{"s3cret", "sid=old; tz=x", "mine", ""}}
	if !slices.Equal(here, want) {
		t.Errorf("the origin was sent %q, want %q", here, want)
	}
	if len(elsewhere) != 2 {
		t.Fatalf("the other origin saw %d requests", len(elsewhere))
	}
	for _, s := range elsewhere {
		if s.key != "" || strings.Contains(s.cookie, "tz") || strings.Contains(s.cookie, "old") || s.agent == "mine" {
			t.Errorf("another origin was sent %q", s)
		}
	}
}

func TestAccessAt(t *testing.T) {
	a := tidings.Access{User: "u", Headers: []string{"X: y"}, Cookies: []string{"a=b"}, Proxy: "http://p.example"}
	for address, whole := range map[string]bool{
		"https://o.example/feed": true, "https://o.example:443/other?x": true, "https://O.EXAMPLE/": true,
		"http://o.example/feed": false, "https://o.example:8443/feed": false, "https://www.o.example/feed": false,
		"https://o.example.evil.example/": false,
		"https://o.example@evil.example/": false, "": false, "::": false,
	} {
		got := AccessAt(a, "https://o.example/feed", address)
		if got.Identifies() != whole || got.Proxy != a.Proxy {
			t.Errorf("%q: got %q %q %q", address, got.User, got.Headers, got.Proxy)
		}
	}
}

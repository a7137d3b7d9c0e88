package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"tidings/egress"
)

// cookieWall starts an origin that serves its document to a client that sends back its cookie.
func cookieWall(t *testing.T) (url string, requests *atomic.Int64) {
	requests = new(atomic.Int64)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		seen, _ := r.Cookie("seen")
		switch path := r.URL.Path; {
		case path == "/check":
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
			http.Redirect(w, r, r.URL.Query().Get("url"), http.StatusFound)
		case path == "/never":
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
			http.Redirect(w, r, path, http.StatusFound)
		case path == "/counts":
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: fmt.Sprint(requests.Load())})
			http.Redirect(w, r, path, http.StatusFound)
		case path == "/large":
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: strings.Repeat("x", maxCookieBytes)})
			http.Redirect(w, r, path, http.StatusFound)
		case path == "/many":
			for i := range 2 * maxCookies {
				http.SetCookie(w, &http.Cookie{Name: fmt.Sprint("c", i), Value: "1"})
			}
			http.Redirect(w, r, "/", http.StatusFound)
		case path == "/lost":
			http.Redirect(w, r, path, http.StatusFound)
		case seen != nil || len(r.Cookies()) == maxCookies:
			fmt.Fprint(w, "document")
		case path == "/self":
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
			http.Redirect(w, r, path, http.StatusMovedPermanently)
		default:
			http.Redirect(w, r, "/check?url="+path, http.StatusFound)
		}
	}), requests
}

// hostile 3: a redirect that wants a cookie gets it, from this fetch alone; one that wants more is refused in words.
func TestHostile3CookiesLastForOneChainOfRedirects(t *testing.T) {
	url, requests := cookieWall(t)
	client := newClient(t)
	for range 2 { // the second fetch has no cookie of the first
		for path, want := range map[string]int64{"/feed": 3, "/self": 2, "/check?url=/feed": 2, "/many": 2} {
			requests.Store(0)
			res, err := get(t, client, Request{URL: url + path})
			if err != nil || string(res.Body) != "document" || requests.Load() != want {
				t.Errorf("%s: %d requests, want %d: %v", path, requests.Load(), want, err)
			} else if res.Permanent != "" {
				t.Errorf("%s: believed to have moved to %s, which wants a cookie", path, res.Permanent)
			}
		}
	}
	for path, want := range map[string]string{
		"/never":  "it leads to itself, though the cookies that the site wants were sent back",
		"/counts": "more than 10 in a row, though the cookies that the site wants were sent back",
		"/large":  "it leads to itself, and the site wants cookies that are larger or more than this node sends back",
		"/lost":   "it leads to itself",
	} {
		_, err := get(t, client, Request{URL: url + path})
		if e, ok := errors.AsType[*RedirectError](err); !ok || e.Why != want {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// hostile 3: a cookie goes nowhere but to the host and port that set it, below its path, and not from HTTPS to HTTP.
func TestHostile3CookiesStayAtTheirHost(t *testing.T) {
	var got atomic.Value
	note := func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Get("Cookie"))
		fmt.Fprint(w, "document")
	}
	other := serve(t, note)
	setting := func(to *string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/feed/set" {
				note(w, r)
				return
			}
			http.SetCookie(w, &http.Cookie{Name: "here", Value: "1"})
			http.SetCookie(w, &http.Cookie{Name: "all", Value: "1", Path: "/", Domain: "127.0.0.1"})
			http.SetCookie(w, &http.Cookie{Name: "ended", Value: "1", Path: "/"})
			http.SetCookie(w, &http.Cookie{Name: "ended", Value: "1", Path: "/", MaxAge: -1})
			http.SetCookie(w, &http.Cookie{Name: "safe", Value: "1", Path: "/", Secure: true})
			http.Redirect(w, r, *to, http.StatusFound)
		}
	}
	var to string
	plain := serve(t, setting(&to))
	secure := httptest.NewTLSServer(setting(&to))
	defer secure.Close()
	client := newClient(t, func(c *Config) {
		c.Roots = secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	})
	for _, test := range []struct{ from, to, want string }{
		{plain, "/feed/there", "here=1; all=1"},
		{plain, "/feed", "here=1; all=1"},
		{plain, "/feeds", "all=1"},
		{plain, other + "/feed/there", ""},
		{secure.URL, "/feed/there", "here=1; all=1; safe=1"},
		{secure.URL, other, ""},
		{secure.URL, plain, ""},
	} {
		to = test.to
		mustGet(t, client, Request{URL: test.from + "/feed/set"})
		if got.Load() != test.want {
			t.Errorf("from %s to %s: sent %q, want %q", test.from, test.to, got.Load(), test.want)
		}
	}
	// One host and port for both schemes: a cookie that came by HTTPS is not sent by HTTP.
	c, g := cookies{}, guard{egress.Guard{Private: true, Ports: egress.AnyPort}}
	https, _ := g.target("https://origin.example/feed")
	http, _ := g.target("http://origin.example/feed")
	c.keep(https, map[string][]string{"Set-Cookie": {"a=1; Path=/"}})
	if got := c.pairs(https); len(got) != 1 || got[0] != "a=1" || len(c.pairs(http)) != 0 {
		t.Errorf("by HTTPS %q, by HTTP %q", c.pairs(https), c.pairs(http))
	}
}

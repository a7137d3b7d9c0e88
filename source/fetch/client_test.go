package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"tidings"
	"tidings/egress/egresstest"
)

func TestValidatorsAreSentBackByteForByte(t *testing.T) {
	const date = "Mon, 05 Jan 2026 10:00:00 GMT"
	for _, etag := range []string{`"abc"`, `W/"a b"`, `unquoted`, `"ünï"`, `""`} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", etag)
			w.Header().Set("Last-Modified", date)
			if r.Header.Get("If-None-Match") == etag && r.Header.Get("If-Modified-Since") == date {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(w, "feed")
		})
		client := newClient(t)
		first := mustGet(t, client, Request{URL: url})
		if first.Status != 200 || first.ETag != etag || first.LastModified != date || first.Date.IsZero() {
			t.Fatalf("%s: got %+v", etag, first)
		}
		again := mustGet(t, client, Request{URL: url, ETag: first.ETag, LastModified: first.LastModified,
			ValidFor: first.URL})
		if again.Status != 304 || again.Body != nil {
			t.Errorf("%s: got status %d", etag, again.Status)
		}
	}
}

func TestOnlyWhatIsKnownIsSent(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			switch name {
			case "User-Agent", "Accept", "Accept-Encoding":
			default:
				t.Errorf("sent %s: %v", name, r.Header[name])
			}
		}
		if got := r.UserAgent(); got != "Tidings/7 (+https://node.example/about)" {
			t.Errorf("User-Agent %q", got)
		}
		fmt.Fprint(w, "page")
	})
	client := newClient(t, func(c *Config) { c.Version, c.Contact = "7", "https://node.example/about" })
	mustGet(t, client, Request{URL: url})
	// A validator that cannot stand in a header is as good as none.
	mustGet(t, client, Request{URL: url, ETag: "a\r\nX-Evil: 1", LastModified: "\x00"})
}

func TestValidatorsGoOnlyToTheAddressThatGaveThem(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			if r.Header.Get("If-None-Match") != "" {
				t.Error("the redirecting address was sent the document's validator")
			}
			http.Redirect(w, r, "/new", http.StatusFound)
			return
		}
		if r.Header.Get("If-None-Match") != `"n"` {
			t.Error("the document's address was not sent its validator")
		}
		w.WriteHeader(http.StatusNotModified)
	})
	res := mustGet(t, newClient(t), Request{URL: url + "/old", ETag: `"n"`, ValidFor: url + "/new"})
	if res.Status != 304 || res.URL != url+"/new" {
		t.Errorf("got %d from %s", res.Status, res.URL)
	}
}

// hostile 9: a 304 that answers no condition is an error.
func TestHostile9UnaskedNotModified(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotModified) })
	if _, err := get(t, newClient(t), Request{URL: url}); !errors.Is(err, ErrUnasked) {
		t.Errorf("got %v, want %v", err, ErrUnasked)
	}
}

func TestDeltas(t *testing.T) {
	for name, test := range map[string]struct {
		ask    Request
		im     string
		always bool // 226 whatever was asked
		status int
		bad    bool
		asked  int64
	}{
		"offered and taken":     {Request{ETag: `"1"`, Delta: true}, "feed", false, 226, false, 1},
		"several manipulations": {Request{ETag: `"1"`, Delta: true}, "gzip, Feed", false, 226, false, 1},
		"not offered":           {Request{ETag: `"1"`}, "feed", false, 200, false, 1},
		"unasked":               {Request{ETag: `"1"`}, "feed", true, 0, false, 2},
		"without IM":            {Request{ETag: `"1"`, Delta: true}, "", false, 200, true, 2},
		"another manipulation":  {Request{ETag: `"1"`, Delta: true}, "diffe", false, 200, true, 2},
		"without an ETag":       {Request{Delta: true}, "feed", false, 200, false, 1},
		"never anything else":   {Request{ETag: `"1"`, Delta: true}, "", true, 0, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if test.always || r.Header.Get("A-Im") == "feed" {
					if test.im != "" {
						w.Header().Set("IM", test.im)
					}
					w.WriteHeader(http.StatusIMUsed)
				}
				fmt.Fprint(w, "items")
			})
			ask := test.ask
			ask.URL = url
			res, err := get(t, newClient(t), ask)
			if test.status == 0 {
				if e, ok := errors.AsType[*StatusError](err); !ok || e.Status != 226 {
					t.Errorf("got %v", err)
				}
			} else if err != nil || res.Status != test.status || res.BadDelta != test.bad {
				t.Errorf("got %+v, %v", res, err)
			}
			if n := asked.Load(); n != test.asked {
				t.Errorf("asked %d times, want %d", n, test.asked)
			}
		})
	}
}

func TestChallenges(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		header map[string]string
		body   string
		want   bool
	}{
		"Cloudflare by header": {403, map[string]string{"cf-mitigated": "challenge"}, "", true},
		"Cloudflare on 200":    {200, map[string]string{"cf-mitigated": "challenge"}, "<html>", true},
		"Cloudflare by page":   {503, nil, "<html><title>Just a moment...</title>", true},
		"DataDome":             {403, map[string]string{"X-DataDome": "protected"}, "", true},
		"Akamai": {403, nil, `<H1>Access Denied</H1> https:&#47;&#47;errors.edgesuite.net/18.c`,
			true},
		"AWS":    {202, map[string]string{"x-amzn-waf-action": "challenge"}, "", true},
		"Vercel": {429, map[string]string{"x-vercel-mitigated": "challenge"}, "", true},
		"Anubis": {200, map[string]string{"Set-Cookie": "techaro.lol-anubis-auth=x"},
			"<title>Making sure you're not a bot!</title>", true},
		"plain 403":                    {403, nil, "forbidden", false},
		"plain 503":                    {503, nil, "maintenance", false},
		"a story about it":             {200, nil, "<title>Just a moment...</title> said Cloudflare", false},
		"DataDome lets pass":           {200, map[string]string{"X-DataDome": "protected"}, "<rss/>", false},
		"gone, whatever the page says": {410, nil, "<title>Just a moment...</title>", false},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				for k, v := range test.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(test.status)
				fmt.Fprint(w, test.body)
			})
			_, err := get(t, newClient(t), Request{URL: url})
			if e, ok := errors.AsType[*ChallengeError](err); ok != test.want || ok && e.Status != test.status {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestStatusesThatBringNothing(t *testing.T) {
	for _, status := range []int{201, 204, 206, 300, 305, 400, 401, 403, 404, 410, 418, 451, 500, 502, 504, 599} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) })
		_, err := get(t, newClient(t), Request{URL: url})
		if e, ok := errors.AsType[*StatusError](err); !ok || e.Status != status {
			t.Errorf("%d: got %v", status, err)
		}
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusFound) })
	if _, err := get(t, newClient(t), Request{URL: url}); err == nil {
		t.Error("a redirect to nowhere is no error")
	}
}

func TestHTTP2(t *testing.T) {
	origin := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto)
	}))
	origin.EnableHTTP2 = true
	origin.StartTLS()
	defer origin.Close()
	client := newClient(t, func(c *Config) {
		c.Roots = origin.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	})
	if res := mustGet(t, client, Request{URL: origin.URL}); string(res.Body) != "HTTP/2.0" {
		t.Errorf("spoke %s", res.Body)
	}
	strict := newClient(t)
	_, err := get(t, strict, Request{URL: origin.URL})
	if e, ok := errors.AsType[*NetworkError](err); !ok ||
		!strings.HasSuffix(e.Error(), "not signed by a known authority") {
		t.Errorf("certificate of nobody: got %v", err)
	}
}

func TestNetworkFailuresInPlainWords(t *testing.T) {
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page") })
	resolver := new(egresstest.Names).Resolver()
	for url, want := range map[string]string{
		"http://" + egresstest.Refusing(t):                               "the connection was refused",
		"http://nowhere.example/":                                        "no such host",
		strings.Replace(plain, "http", "https", 1):                       "plain http where https was asked for",
		egresstest.ServeHTTP(t, egresstest.Says("")):                     "closed without an answer",
		egresstest.ServeHTTP(t, egresstest.Says("HTTP/1.1 abc\r\n\r\n")): "not HTTP as it should be",
	} {
		client := newClient(t, func(c *Config) { c.Resolver = resolver })
		_, err := get(t, client, Request{URL: url})
		if e, ok := errors.AsType[*NetworkError](err); !ok || !strings.Contains(e.Error(), want) {
			t.Errorf("%s: got %v, want %q", url, err, want)
		}
	}
}

func TestCallerMayEndAFetch(t *testing.T) {
	came := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		close(came)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-came; cancel() }()
	if _, err := newClient(t).Fetch(ctx, Request{URL: url}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	var connections atomic.Int64
	origin := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/missing":
			http.NotFound(w, r)
		default:
			fmt.Fprint(w, "page")
		}
	}))
	origin.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	origin.Start()
	defer origin.Close()
	client := newClient(t)
	for _, path := range []string{"/", "/moved", "/missing", "/", "/missing", "/moved"} {
		_, err := get(t, client, Request{URL: origin.URL + path})
		if _, missing := errors.AsType[*StatusError](err); err != nil && !missing {
			t.Fatal(err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections for six fetches, one after the other", n)
	}
}

func TestClosedClient(t *testing.T) {
	client := newClient(t)
	_ = client.Close()
	if _, err := get(t, client, Request{URL: "http://127.0.0.1/"}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Config){
		"no contact":     func(c *Config) { c.Contact = "" },
		"evil contact":   func(c *Config) { c.Contact = "a\r\nb" },
		"no body":        func(c *Config) { c.MaxBody = 0 },
		"no ratio":       func(c *Config) { c.MaxRatio = 0 },
		"no header":      func(c *Config) { c.MaxHeader = 0 },
		"less redirects": func(c *Config) { c.MaxRedirects = -1 },
		"no time":        func(c *Config) { c.Total = 0 },
		"no progress":    func(c *Config) { c.MinProgress = 0 },
		"no connection":  func(c *Config) { c.HostConnections = 0 },
		"no rate":        func(c *Config) { c.HostRate = 0 },
		"less waiting":   func(c *Config) { c.MaxWait = -1 },
		"no hosts":       func(c *Config) { c.MaxHosts = 0 },
	} {
		c := Default()
		spoil(&c)
		if _, err := New(c); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

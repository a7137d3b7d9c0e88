package auth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

const anyHTML = "text/html,application/xhtml+xml"

func TestWhoIsLetIn(t *testing.T) {
	secret, hash := NewToken()
	for _, c := range []struct {
		name     string
		require  bool
		password string
		change   func(*http.Request)
		path     string
		status   int
		body     string
	}{
		{"loopback, no password: the owner", false, "", nil, "/", 200, "owner"},
		{"loopback with a password: nobody", false, fastHash, nil, "/", 401, ""},
		{"reachable from elsewhere, no password set", true, "", nil, "/", 401, ""},
		{"through a proxy, no password set", false, "", header("X-Forwarded-For", "203.0.113.5"), "/", 401, ""},
		{"a token", true, fastHash, header("Authorization", "Bearer "+secret), "/api/v1/channels", 200, "owner"},
		{"a token, scheme in lower case", true, fastHash, header("Authorization", "bearer "+secret), "/", 200, "owner"},
		{"a token as a reader's password", true, fastHash, func(r *http.Request) { r.SetBasicAuth("any", secret) },
			"/feed", 200, "owner"},
		{"a wrong token", true, fastHash, header("Authorization", "Bearer "+secret[:len(secret)-1]+"~"), "/", 401, ""},
		{"a wrong token where none is needed", false, "", header("Authorization", "Bearer nonsense"), "/", 401, ""},
		{"an invented session", true, fastHash, cookie("1700000000." + strings.Repeat("A", 43)), "/", 401, ""},
		{"a damaged cookie", true, fastHash, cookie("x."), "/", 401, ""},
		{"an open path", true, fastHash, nil, "/assets/style.css", 200, "nobody"},
		{"the login page", true, fastHash, nil, "/login", 200, "nobody"},
		{"below the login page", true, fastHash, nil, "/login/x", 401, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := newMemory()
			store.password = c.password
			store.tokens[hash] = true
			g := newGuard(t, Config{Store: store, RequirePassword: c.require, Open: []string{"/assets/"}})
			w := send(g, "GET", c.path, c.change)
			if w.Code != c.status || c.body != "" && w.Body.String() != c.body {
				t.Errorf("got %d %q, want %d %q", w.Code, w.Body, c.status, c.body)
			}
		})
	}
}

func TestTurnedAway(t *testing.T) {
	g := newGuard(t, Config{Store: newMemory(), RequirePassword: true})
	w := send(g, "GET", "/channels?q=x", header("Accept", anyHTML))
	if w.Code != 303 || w.Header().Get("Location") != "/login?next=%2Fchannels%3Fq%3Dx" {
		t.Errorf("a browser got %d %q", w.Code, w.Header().Get("Location"))
	}
	w = send(g, "GET", "/api/v1/channels", header("Accept", anyHTML))
	if w.Code != 401 || w.Header().Get("Content-Type") != "application/json" ||
		!strings.Contains(w.Body.String(), `"error"`) {
		t.Errorf("an API client got %d %q", w.Code, w.Body)
	}
	if got := strings.Join(w.Header().Values("WWW-Authenticate"), ", "); strings.Contains(got, "Basic") {
		t.Errorf("the API asks for %q", got)
	}
	w = send(g, "GET", "/feed?url=x", header("User-Agent", "newsboat/2.21"))
	if got := strings.Join(w.Header().Values("WWW-Authenticate"), ", "); !strings.Contains(got, "Basic") {
		t.Errorf("a feed reader is asked for %q", got)
	}
	w = send(g, "GET", "/events", header("User-Agent", "Mozilla/5.0"))
	if got := strings.Join(w.Header().Values("WWW-Authenticate"), ", "); strings.Contains(got, "Basic") {
		t.Errorf("a browser would open a dialog: %q", got)
	}
}

// hostile 57: DNS rebinding against the local page.
func TestHosts(t *testing.T) {
	local := func(addr string) func(*http.Request) {
		return func(r *http.Request) {
			*r = *r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey,
				net.Addr(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr)))))
		}
	}
	for _, c := range []struct {
		host    string
		require bool
		local   string
		want    int
	}{
		{"localhost:7600", false, "", 200}, {"LOCALHOST", false, "", 200}, {"localhost.", false, "", 200},
		{"reader.localhost:7600", false, "", 200},
		{"127.0.0.1:7600", false, "", 200}, {"127.9.9.9", false, "", 200}, {"[::1]:7600", false, "", 200},
		{"[::ffff:127.0.0.1]", false, "", 200},
		{"attacker.example", false, "", 421}, {"attacker.example:7600", false, "", 421},
		{"localhost.attacker.example", false, "", 421},
		{"127.0.0.1.attacker.example", false, "", 421}, {"notlocalhost", false, "", 421}, {"", false, "", 421},
		{"2130706433", false, "", 421}, {"0x7f.1", false, "", 421},
		{"192.168.1.5:7600", false, "", 421}, {"192.168.1.5:7600", false, "192.168.1.5:7600", 200},
		{"0.0.0.0:7600", false, "127.0.0.1:7600", 421},
		{"192.168.1.5:7600", true, "", 401}, {"attacker.example", true, "", 421},
		{"News.Example.Org:7600", false, "", 200}, {"sub.news.example.org", false, "", 421},
		{"10.1.2.3", false, "", 200},
	} {
		g := newGuard(t,
			Config{Store: newMemory(), RequirePassword: c.require, Hosts: []string{"news.example.org", "10.1.2.3"}})
		w := send(g, "GET", "/", func(r *http.Request) {
			if c.local != "" {
				local(c.local)(r)
			}
			r.Host = c.host
		})
		if w.Code != c.want {
			t.Errorf("Host %q, password required %v, at %q: %d, want %d", c.host, c.require, c.local, w.Code, c.want)
		}
	}
	for _, bad := range []string{"", "http://news.example.org", "*.example.org", "a b"} {
		if _, err := New(Config{Store: newMemory(), Hosts: []string{bad}}); err == nil {
			t.Errorf("host %q was taken", bad)
		}
	}
	w := send(newGuard(t, Config{Store: newMemory()}), "GET", "/", func(r *http.Request) {
		r.Host = "attacker.example"
		r.Header.Set("Accept", anyHTML)
	})
	if !strings.Contains(w.Body.String(), "<h1>Not under this name</h1>") ||
		w.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("no plain page: %s", w.Body)
	}
}

// hostile 57: requests that another web page makes, and those that say nothing of where they come from.
func TestForeignRequests(t *testing.T) {
	form := header("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range []struct {
		name, method string
		change       []func(*http.Request)
		want         int
	}{
		{"own form", "POST", []func(*http.Request){form, header("Sec-Fetch-Site", "same-origin")}, 200},
		{"own form, plain HTTP elsewhere: no Sec-Fetch-Site", "POST",
			[]func(*http.Request){form, header("Origin", "http://localhost:7600")}, 200},
		{"cross-site form", "POST", []func(*http.Request){form, header("Sec-Fetch-Site", "cross-site")}, 403},
		{"form of another port of this machine", "POST",
			[]func(*http.Request){form, header("Sec-Fetch-Site", "same-site")}, 403},
		{"cross-site form, old browser", "POST",
			[]func(*http.Request){form, header("Origin", "https://attacker.example")}, 403},
		{"sandboxed frame", "POST", []func(*http.Request){form, header("Origin", "null")}, 403},
		{"form without origin", "POST", []func(*http.Request){form}, 403},
		{"form without origin, as text", "POST",
			[]func(*http.Request){header("Content-Type", "text/plain; charset=utf-8")}, 403},
		{"post without any type", "POST", nil, 403},
		{"a program's JSON", "POST", []func(*http.Request){header("Content-Type", "application/json")}, 200},
		{"a program's DELETE", "DELETE", nil, 200},
		{"cross-site DELETE", "DELETE", []func(*http.Request){header("Sec-Fetch-Site", "cross-site")}, 403},
		{"a link on another page", "GET", []func(*http.Request){header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "navigate"), header("Sec-Fetch-Dest", "document")}, 200},
		{"a picture on another page", "GET", []func(*http.Request){header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "no-cors"), header("Sec-Fetch-Dest", "image")}, 403},
		{"a frame on another page", "GET", []func(*http.Request){header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "navigate"), header("Sec-Fetch-Dest", "iframe")}, 403},
		{"typed by hand", "GET", []func(*http.Request){header("Sec-Fetch-Site", "none")}, 200},
		{"a program's GET", "GET", nil, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGuard(t, Config{Store: newMemory()})
			w := send(g, c.method, "/", func(r *http.Request) {
				for _, change := range c.change {
					change(r)
				}
			})
			if w.Code != c.want {
				t.Errorf("%d, want %d", w.Code, c.want)
			}
		})
	}
}

// A store that cannot answer lets nobody in.
func TestStoreFails(t *testing.T) {
	store := newMemory()
	store.fail = errors.New("disk on fire")
	w := send(newGuard(t, Config{Store: store}), "GET", "/", nil)
	if w.Code != 500 || strings.Contains(w.Body.String(), "fire") {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
}

func TestClientBehindProxies(t *testing.T) {
	g := newGuard(t, Config{Store: newMemory(), Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	for _, c := range []struct{ peer, forwarded, want string }{
		{"203.0.113.9:1", "198.51.100.7", "203.0.113.9"},                  // not a proxy of ours: not believed
		{"10.0.0.1:1", "198.51.100.7", "198.51.100.7"},                    // one hop
		{"10.0.0.1:1", "6.6.6.6, 198.51.100.7, 10.2.2.2", "198.51.100.7"}, // what the client invented stands first
		{"10.0.0.1:1", "nonsense", "10.0.0.1"},
		{"10.0.0.1:1", "", "10.0.0.1"},
		{"[::ffff:10.0.0.1]:1", "2001:db8::1", "2001:db8::1"},
	} {
		r, _ := http.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := g.Client(r).String(); got != c.want {
			t.Errorf("%s for %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func cookie(value string) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: CookieName, Value: value}) }
}

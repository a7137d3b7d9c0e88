package auth

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tidings"
)

const proxyAddress, proxyPeer, strangerPeer = "192.0.2.7", "192.0.2.7:40000", "192.0.2.8:40000"

// behindProxy returns a guard and a session of the owner. A proxy names the owner and ann by Remote-User.
func behindProxy(t *testing.T, change func(*memory, *Config)) (g *Guard, session string) {
	t.Helper()
	store := newMemory()
	store.password = fastHash
	store.others = []tidings.Person{{ID: 2, Name: "ann", Role: tidings.Reader}}
	c := Config{Store: store, RequirePassword: true, Open: []string{"/assets/"}, Hosts: []string{"news.example.org"},
		Proxies: []netip.Prefix{netip.MustParsePrefix(proxyAddress + "/32")}, UserHeader: "remote-user"}
	if change != nil {
		change(store, &c)
	}
	g = newGuard(t, c)
	secret := newSecret()
	if err := store.CreateSession(t.Context(), sessionHash(secret), tidings.Owner, time.Now().Add(time.Hour),
		""); err != nil {
		t.Fatal(err)
	}
	return g, "1700000000." + secret
}

// named answers with the name of the person that the guard has found, and with the header that arrives.
var named = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	p, _ := Person(r.Context())
	w.Write([]byte(p.Name + "|" + strings.Join(r.Header.Values("Remote-User"), ",")))
})

func TestProxyNamesPeople(t *testing.T) {
	secret, hash := NewToken()
	g, session := behindProxy(t, func(m *memory, c *Config) { m.tokens[hash], c.RequirePassword = true, true })
	page, token := header("Accept", anyHTML), header("Authorization", "Bearer "+secret)
	user := func(names ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header["Remote-User"] = names }
	}
	for _, c := range []struct {
		name, peer, method, path string
		change                   []func(*http.Request)
		status                   int
		body                     string
	}{
		{"the proxy", proxyPeer, "GET", "/", []func(*http.Request){user("ann")}, 200, "ann|ann"},
		{"the proxy, in another case", proxyPeer, "GET", "/", []func(*http.Request){user("ANN")}, 200, "ann|ANN"},
		{"the proxy, mapped address", "[::ffff:192.0.2.7]:9", "GET", "/", []func(*http.Request){user("ann")}, 200,
			"ann|ann"},
		{"the proxy, for a browser elsewhere", proxyPeer, "GET", "/",
			[]func(*http.Request){user("ann"), header("X-Forwarded-For", "203.0.113.5")}, 200, "ann|ann"},
		{"the proxy names the owner", proxyPeer, "GET", "/", []func(*http.Request){user("owner")}, 200, "owner|owner"},
		{"somebody else", strangerPeer, "GET", "/", []func(*http.Request){user("ann")}, 401, ""},
		{"somebody else, as if forwarded by the proxy", strangerPeer, "GET", "/",
			[]func(*http.Request){user("ann"), header("X-Forwarded-For", proxyAddress)}, 401, ""},
		{"somebody else, page", strangerPeer, "GET", "/", []func(*http.Request){user("ann"), page}, 303, ""},
		{"somebody else, login page", strangerPeer, "GET", "/login", []func(*http.Request){user("ann"), page}, 200,
			"|"},
		{"somebody else with a session", strangerPeer, "GET", "/", []func(*http.Request){user("ann"), cookie(session)},
			200, "owner|"},
		{"unknown person", proxyPeer, "GET", "/", []func(*http.Request){user("bob"), page}, 403, "you are bob"},
		{"unknown person, API", proxyPeer, "GET", "/api/v1/channels", []func(*http.Request){user("bob")}, 403,
			"nobody called bob"},
		{"unknown person with a session", proxyPeer, "GET", "/", []func(*http.Request){user("bob"), cookie(session)},
			403, ""},
		{"unknown person with a token", proxyPeer, "GET", "/", []func(*http.Request){user("bob"), token}, 403, ""},
		{"unknown person, login page", proxyPeer, "GET", "/login", []func(*http.Request){user("bob"), page}, 403,
			"you are bob"},
		{"unknown person, style sheet", proxyPeer, "GET", "/assets/style.css", []func(*http.Request){user("bob")}, 200,
			"|bob"},
		{"no name at all", proxyPeer, "GET", "/", []func(*http.Request){user("<script>"), page}, 403,
			"you are &lt;script&gt;"},
		{"two names in one", proxyPeer, "GET", "/", []func(*http.Request){user("ann,owner")}, 403, ""},
		{"header twice", proxyPeer, "GET", "/", []func(*http.Request){user("ann", "owner")}, 403, "more than one name"},
		{"header twice, same name", proxyPeer, "GET", "/", []func(*http.Request){user("ann", "ann")}, 403,
			"more than one name"},
		{"header twice, once empty", proxyPeer, "GET", "/", []func(*http.Request){user("", "ann")}, 403,
			"more than one name"},
		{"empty", proxyPeer, "GET", "/", []func(*http.Request){user(""), page}, 403, "did not say"},
		{"none", proxyPeer, "GET", "/", []func(*http.Request){page}, 403, "did not say"},
		{"none, login page", proxyPeer, "GET", "/login", []func(*http.Request){page}, 403, "did not say"},
		{"none, login form", proxyPeer, "POST", "/login",
			[]func(*http.Request){header("Sec-Fetch-Site", "same-origin")}, 403, ""},
		{"none, with a session", proxyPeer, "GET", "/", []func(*http.Request){cookie(session), page}, 403, ""},
		{"none, API", proxyPeer, "GET", "/api/v1/channels", nil, 401, ""},
		{"none, API with a token", proxyPeer, "GET", "/api/v1/channels", []func(*http.Request){token}, 200, "owner|"},
		{"empty, API with a token", proxyPeer, "GET", "/api/v1/channels", []func(*http.Request){token, user("")}, 200,
			"owner|"},
		{"a name goes before a token", proxyPeer, "GET", "/api/v1/channels", []func(*http.Request){token, user("ann")},
			200, "ann|ann"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := sendTo(g.Handler(named), c.method, c.path, func(r *http.Request) {
				r.RemoteAddr, r.Host = c.peer, "news.example.org"
				for _, change := range c.change {
					change(r)
				}
			})
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.body) ||
				c.status == 200 && w.Body.String() != c.body {
				t.Errorf("got %d %q, want %d with %q", w.Code, w.Body, c.status, c.body)
			}
			if strings.HasPrefix(c.peer, proxyAddress) && w.Header().Get("Location") != "" {
				t.Errorf("sent on to %s", w.Header().Get("Location"))
			}
		})
	}
}

// On a node without a password, a proxy on the same machine makes nobody the owner unless it names the owner.
func TestProxyOnLoopback(t *testing.T) {
	g, _ := behindProxy(t, func(m *memory, c *Config) {
		m.password, c.RequirePassword, c.Proxies = "", false, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	if w := sendTo(g.Handler(named), "GET", "/", nil); w.Code != 401 {
		t.Errorf("whoever is not named: %d %s", w.Code, w.Body)
	}
	if w := sendTo(g.Handler(named), "GET", "/", header("Remote-User", "ann")); w.Body.String() != "ann|ann" {
		t.Errorf("ann: %d %s", w.Code, w.Body)
	}
}

// A request that another site makes a browser send arrives with the name of the person, as no cookie distinguishes
// them.
func TestForeignRequestsThroughProxy(t *testing.T) {
	g, _ := behindProxy(t, nil)
	form, basic := header("Content-Type", "application/x-www-form-urlencoded"),
		func(r *http.Request) { r.SetBasicAuth("ann", "of the proxy") }
	for _, c := range []struct {
		name, method string
		change       []func(*http.Request)
		want         int
	}{
		{"own form", "POST", []func(*http.Request){form, header("Sec-Fetch-Site", "same-origin")}, 200},
		{"cross-site form", "POST", []func(*http.Request){form, header("Sec-Fetch-Site", "cross-site")}, 403},
		{"form of a sister site", "POST", []func(*http.Request){form, header("Sec-Fetch-Site", "same-site")}, 403},
		{"cross-site form, old browser", "POST",
			[]func(*http.Request){form, header("Origin", "https://attacker.example")}, 403},
		{"form without origin", "POST", []func(*http.Request){form}, 403},
		{"form without origin, with the password that the proxy asks for", "POST", []func(*http.Request){form, basic},
			403},
		{"a program, with that password", "POST", []func(*http.Request){header("Content-Type", "application/json"),
			basic}, 200},
		{"cross-site DELETE", "DELETE", []func(*http.Request){header("Sec-Fetch-Site", "cross-site")}, 403},
		{"a picture on another page", "GET", []func(*http.Request){header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "no-cors"), header("Sec-Fetch-Dest", "image")}, 403},
		{"a frame on another page", "GET", []func(*http.Request){header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "navigate"), header("Sec-Fetch-Dest", "iframe")}, 403},
		{"a link on another page", "GET", []func(*http.Request){header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "navigate"), header("Sec-Fetch-Dest", "document")}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := sendTo(g.Handler(named), c.method, "/", func(r *http.Request) {
				r.RemoteAddr, r.Host = proxyPeer, "news.example.org"
				r.Header.Set("Remote-User", "ann")
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

// Through the proxy no password opens a session, and none is asked for.
func TestNoPasswordThroughProxy(t *testing.T) {
	g, _ := behindProxy(t, nil)
	r := httptest.NewRequest("POST", "/login", nil)
	r.RemoteAddr = proxyPeer
	w := httptest.NewRecorder()
	if err := g.SignIn(w, r, OwnerName, fastPassword); !errors.Is(err, ErrProxySignsIn) ||
		len(w.Result().Cookies()) > 0 {
		t.Errorf("%v, with the cookies %v", err, w.Result().Cookies())
	}
	r.RemoteAddr, w = strangerPeer, httptest.NewRecorder()
	if err := g.SignIn(w, r, OwnerName, fastPassword); err != nil || len(w.Result().Cookies()) == 0 {
		t.Errorf("from elsewhere: %v, with the cookies %v", err, w.Result().Cookies())
	}
}

func TestUserHeaderIsRefused(t *testing.T) {
	one, any4 := netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("0.0.0.0/0")
	for _, c := range []struct {
		name    string
		proxies []netip.Prefix
		why     string
	}{
		{"Remote-User", nil, "no reverse proxy to believe it from"},
		{"Remote-User", []netip.Prefix{one, any4}, "anybody could send"},
		{"Remote-User", []netip.Prefix{netip.MustParsePrefix("::/0")}, "anybody could send"},
		{"Remote User", []netip.Prefix{one}, "cannot name people"},
		{"Remote-User:", []netip.Prefix{one}, "cannot name people"},
		{"host", []netip.Prefix{one}, "cannot name people"},
		{"AUTHORIZATION", []netip.Prefix{one}, "cannot name people"},
		{"x-forwarded-for", []netip.Prefix{one}, "cannot name people"},
		{"Sec-Fetch-Site", []netip.Prefix{one}, "cannot name people"},
		{"Remote-User", []netip.Prefix{one}, ""},
		{"x-forwarded-user", []netip.Prefix{one}, ""},
		{"", nil, ""},
	} {
		_, err := New(Config{Store: newMemory(), UserHeader: c.name, Proxies: c.proxies})
		if (err == nil) != (c.why == "") ||
			err != nil && (!errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%q from %v: %v, want %q", c.name, c.proxies, err, c.why)
		}
	}
}

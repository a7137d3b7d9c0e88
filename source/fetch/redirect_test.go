package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
)

// hostile 3: redirects to what this node does not fetch end there.
func TestHostile3RedirectsToForbiddenPlaces(t *testing.T) {
	for to, want := range map[string]error{
		"http://127.0.0.2/": ErrForbidden,
		"//10.0.0.1/":       ErrForbidden,
		"http://169.254.169.254/latest/meta-data":  ErrForbidden,
		"http://2130706434/":                       ErrForbidden,
		"http://[::1]/":                            ErrForbidden,
		"http://localhost.localdomain.example:25/": ErrPort,
		"file:///etc/passwd":                       nil,
		"gopher://example.org/":                    nil,
		"ftp://example.org/":                       nil,
		"javascript:alert(1)":                      nil,
		"http://":                                  nil,
		"http://%zz/":                              nil,
		"/" + strings.Repeat("x", maxURL):          nil,
	} {
		name := to[:min(len(to), 40)]
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		})
		_, err := get(t, treatAsPublic(newClient(t, open)), Request{URL: url})
		if want != nil {
			if !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", name, err, want)
			}
			continue
		}
		if _, ok := errors.AsType[*RedirectError](err); !ok {
			t.Errorf("%s: got %v, want a redirect error", name, err)
		}
	}
}

// hostile 3: chains are bounded, loops are noticed.
func TestHostile3ChainsAndLoops(t *testing.T) {
	var asked atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var n int
		switch _, err := fmt.Sscanf(r.URL.Path, "/chain/%d", &n); {
		case err == nil && n > 0:
			http.Redirect(w, r, fmt.Sprintf("/chain/%d", n-1), http.StatusFound)
		case r.URL.Path == "/self":
			http.Redirect(w, r, "/self#again", http.StatusFound)
		case r.URL.Path == "/a":
			http.Redirect(w, r, "/b", http.StatusFound)
		case r.URL.Path == "/b":
			http.Redirect(w, r, "/a", http.StatusFound)
		default:
			fmt.Fprint(w, "there")
		}
	})
	for path, want := range map[string]struct {
		requests int64
		ok       bool
	}{
		"/chain/10": {11, true},
		"/chain/11": {11, false},
		"/self":     {1, false},
		"/a":        {2, false},
	} {
		asked.Store(0)
		res, err := get(t, newClient(t), Request{URL: url + path})
		if _, refused := errors.AsType[*RedirectError](err); want.ok != (err == nil) || !want.ok && !refused {
			t.Errorf("%s: got %v", path, err)
		}
		if n := asked.Load(); n != want.requests {
			t.Errorf("%s: %d requests, want %d", path, n, want.requests)
		}
		if want.ok && len(res.Hops) != 10 {
			t.Errorf("%s: %d hops", path, len(res.Hops))
		}
	}
}

// hostile 3: from https to http goes a channel without a password, never one with.
func TestHostile3Downgrade(t *testing.T) {
	var got atomic.Value
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Get("Authorization"))
		fmt.Fprint(w, "page")
	})
	secure := httptest.NewTLSServer(http.RedirectHandler(plain, http.StatusFound))
	defer secure.Close()
	client := newClient(t, func(c *Config) {
		c.Roots = secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	})
	mustGet(t, client, Request{URL: secure.URL})
	got.Store("nothing")
	_, err := get(t, client, Request{URL: secure.URL, Access: tidings.Access{User: "u", Password: "p"}})
	if _, ok := errors.AsType[*RedirectError](err); !ok || got.Load() != "nothing" {
		t.Errorf("got %v; the plain origin was sent %q", err, got.Load())
	}
}

func TestCredentialsStayAtTheirOrigin(t *testing.T) {
	var leaked atomic.Int64
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			leaked.Add(1)
		}
		fmt.Fprint(w, "elsewhere")
	})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); !ok || user != "us:er"[:2] || password != "pä:ss" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/away":
			http.Redirect(w, r, other, http.StatusFound)
		default:
			fmt.Fprint(w, "here")
		}
	})
	client := newClient(t)
	for path, want := range map[string]string{"/": "here", "/here": "here", "/away": "elsewhere"} {
		res := mustGet(t, client, Request{URL: url + path, Access: tidings.Access{User: "us", Password: "pä:ss"}})
		if string(res.Body) != want {
			t.Errorf("%s: got %q", path, res.Body)
		}
	}
	// Credentials in the address itself are not sent: they should have been removed before.
	if _, err := get(t, client, Request{URL: strings.Replace(url, "//", "//us:pä:ss@", 1)}); err == nil {
		t.Error("credentials in the address were sent")
	}
	if leaked.Load() != 0 {
		t.Error("credentials were sent to another host")
	}
}

func TestPermanentOnlyIfEveryRedirectIs(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		part := strings.SplitN(strings.Trim(r.URL.Path, "/"), "/", 2)
		status := map[string]int{"301": 301, "302": 302, "303": 303, "307": 307, "308": 308}[part[0]]
		if status == 0 {
			fmt.Fprint(w, "there")
			return
		}
		rest := "end"
		if len(part) > 1 {
			rest = part[1]
		}
		http.SetCookie(w, &http.Cookie{Name: "of", Value: "everybody"}) // as many sites do, whatever they answer
		w.Header().Set("Location", "/"+rest)
		w.WriteHeader(status)
	})
	for path, permanent := range map[string]bool{
		"/end": false, "/301": true, "/308": true, "/301/308": true,
		"/302": false, "/303": false, "/307": false, "/301/302": false, "/302/301": false,
	} {
		res := mustGet(t, newClient(t), Request{URL: url + path})
		want := ""
		if permanent {
			want = url + "/end"
		}
		if res.Permanent != want {
			t.Errorf("%s: permanent is %q, want %q", path, res.Permanent, want)
		}
		for _, hop := range res.Hops {
			if hop.Status < 301 || !strings.HasPrefix(hop.Location, url) || !strings.HasPrefix(hop.URL, url) {
				t.Errorf("%s: hop %+v", path, hop)
			}
		}
	}
}

func TestNothingIsCarriedAlong(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
			t.Errorf("%s came with %v", r.URL, r.Header)
		}
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "42"})
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusMovedPermanently)
			return
		}
		fmt.Fprint(w, "page")
	})
	client := newClient(t)
	for range 2 {
		mustGet(t, client, Request{URL: url})
	}
}

func TestRedirectsShareOneTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		client := pipeClient(t, func(conn net.Conn) {
			time.Sleep(15 * time.Second)
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /%d\r\n\r\n", n.Add(1))
		})
		began := time.Now()
		_, err := get(t, client, Request{URL: "http://origin.example/"})
		if took := time.Since(began); !errors.Is(err, errSlowTotal) || took != Default().Total {
			t.Errorf("after %v: %v, want %v", took, err, errSlowTotal)
		}
		time.Sleep(time.Minute) // until the origin has answered nobody
	})
}

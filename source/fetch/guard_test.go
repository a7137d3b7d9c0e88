package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"testing"

	"tidings"
	"tidings/egress"
	"tidings/egress/egresstest"
)

// forbidden are special addresses; package egress has tests of all.
var forbidden = []string{
	"127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
	"192.0.2.1",
	"198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1",
	"fc00::1",
	"fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b:1::10.0.0.1", "2002:7f00:1::",
	"2001:0:7f00:1::",
	"2001:db8::1", "100::1",
}

// hostile 1: no spelling of a private address is connected to; the origin sees no
// packet, and the answer is the same for all.
func TestHostile1NoSpellingReachesAPrivateAddress(t *testing.T) {
	var seen atomic.Int64
	l, port := listen(t, "127.0.0.1:0", &seen)
	defer l.Close()
	client := newClient(t, open)
	hosts := []string{
		"2130706433", "0x7f.1", "0x7f000001", "017700000001", "0177.0.0.1", "127.1", "127.0.1", "0", "0x0",
		"127.0.0.1.", "１２７.０.０.１", "localhost", "LOCALHOST", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
		"[64:ff9b::7f00:1]",
	}
	for _, s := range forbidden {
		if netip.MustParseAddr(s).Is6() {
			s = "[" + s + "]"
		}
		hosts = append(hosts, s)
	}
	for _, host := range hosts {
		_, err := get(t, client, Request{URL: "http://" + host + ":" + port + "/"})
		if !errors.Is(err, ErrForbidden) || err.Error() != ErrForbidden.Error() {
			t.Errorf("%s: got %q, want %q", host, err, ErrForbidden)
		}
	}
	if n := seen.Load(); n != 0 {
		t.Errorf("%d connections arrived", n)
	}
}

func listen(t *testing.T, addr string, seen *atomic.Int64) (net.Listener, string) {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Skipf("this machine has no address %s: %v", addr, err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, "a page")
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l, strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// hostile 2: a name is as good as the address that is connected to. Here 127.0.0.1
// plays a public address and 127.0.0.2 a private one.
func TestHostile2Names(t *testing.T) {
	var public, private atomic.Int64
	l, port := listen(t, "127.0.0.1:0", &public)
	defer l.Close()
	p, _ := listen(t, "127.0.0.2:"+port, &private)
	defer p.Close()
	good, bad := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")

	var names egresstest.Names
	client := treatAsPublic(newClient(t, open, func(c *Config) { c.Resolver = names.Resolver(); c.HostRate = 100 }))
	fetch := func(name string) error {
		_, err := get(t, client, Request{URL: "http://" + name + ":" + port + "/"})
		return err
	}

	names.Set("private.example", bad)
	if err := fetch("private.example"); !errors.Is(err, ErrForbidden) {
		t.Errorf("name of a private address: got %v", err)
	}
	names.Set("mapped.example", netip.MustParseAddr("::ffff:127.0.0.2"))
	if err := fetch("mapped.example"); err == nil {
		t.Error("name of a mapped private address was fetched")
	}
	names.Set("both.example", bad, good)
	if err := fetch("both.example"); err != nil {
		t.Errorf("name of a public and a private address: %v", err)
	}
	names.Set("rebind.example", good)
	if err := fetch("rebind.example"); err != nil {
		t.Errorf("before the name changes: %v", err)
	}
	names.Set("rebind.example", bad)
	if err := fetch("rebind.example"); !errors.Is(err, ErrForbidden) {
		t.Errorf("after the name changed: got %v", err)
	}
	if n := private.Load(); n != 0 {
		t.Errorf("the private address saw %d requests", n)
	}
	if n := public.Load(); n != 2 {
		t.Errorf("the public address saw %d requests, want 2", n)
	}
}

func TestPorts(t *testing.T) {
	client := newClient(t, open)
	if _, err := get(t, client, Request{URL: "http://example.org:22/"}); !errors.Is(err, ErrPort) {
		t.Errorf("got %v, want %v", err, ErrPort)
	}
}

func TestIntranetsMayBeOpened(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page") })
	mustGet(t, newClient(t, open, func(c *Config) { c.AllowPrivate = true }), Request{URL: url})
}

func TestEnvironmentProxiesAreNotUsed(t *testing.T) {
	var proxied atomic.Int64
	l, port := listen(t, "127.0.0.1:0", &proxied)
	defer l.Close()
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:"+port)
	t.Setenv("ALL_PROXY", "http://127.0.0.1:"+port)
	client := newClient(t, open, func(c *Config) { c.Resolver = new(egresstest.Names).Resolver() })
	if _, err := get(t, client, Request{URL: "http://nowhere.example/"}); err == nil || proxied.Load() != 0 {
		t.Errorf("the proxy saw %d requests; error %v", proxied.Load(), err)
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	client := newClient(t, open)
	for _, url := range []string{
		"", "example.org", "//example.org/", "http://", "http:///x", "http://./", "http://exa mple.org/", "http://%zz/",
		"ftp://example.org/", "file:///etc/passwd", "gopher://example.org/", "javascript:alert(1)",
		"mailto:a@b.example",
		"http://example.org:99999/", "http://[::1/", "http://example.org../", "http://Example.org../", "http://../",
	} {
		if _, err := get(t, client, Request{URL: url}); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%q: got %v", url, err)
		}
	}
}

func FuzzTarget(f *testing.F) {
	g := guard{}
	taken := 0
	for _, s := range []string{
		"http://127.0.0.1/", "http://0x7f.1:8080/a?b#c", "https://user:pass@Example.ORG.:443/",
		"http://[::ffff:8.8.8.8]:80/",
		"http://bücher.example/ü?ö", "http://0177.0.0.01/", "http://4294967295/", "http://1.2.3.4.5/",
		"http://[fe80::1%25eth0]/",
		"http://example.org../", "http://Example.org。./",
	} {
		if _, err := g.target(s); err == nil {
			taken++
		}
		f.Add(s)
	}
	if taken < 2 {
		f.Fatalf("only %d seeds are addresses that may be asked", taken)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		first, err := g.target(raw)
		if err != nil {
			return
		}
		again, err := g.target(first.text)
		if err != nil || again.text != first.text || again.host != first.host {
			t.Fatalf("%q became %q, and that %q (%v)", raw, first.text, again.text, err)
		}
		if first.url.User != nil || first.ip.IsValid() && !egress.IsPublic(first.ip) {
			t.Fatalf("%q may be asked as %q", raw, first.text)
		}
	})
}

package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	"tidings"
)

var forbidden = []string{
	"127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1",
	"169.254.169.254", "100.64.0.1", "100.127.255.255", "100.100.100.200", "168.63.129.16",
	"0.0.0.0", "0.1.2.3", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255",
	"198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
	"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:a00:1", "::ffff:0:127.0.0.1", "fc00::1", "fd12:3456::1",
	"fd00:ec2::254", "fe80::1", "febf::1", "fec0::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1",
	"64:ff9b:1::10.0.0.1", "64:ff9b:1:0a00:0:100::", "2002:7f00:1::", "2002:a9fe:a9fe::1",
	"2001::1", "2001:0:7f00:1::", "2001:2::1", "2001:10::1", "2001:db8::1", "3fff::1", "100::1", "5f00::1",
}

// hostile 1: special addresses are not public, in whatever they are wrapped.
func TestHostile1SpecialAddresses(t *testing.T) {
	for _, s := range forbidden {
		if reachOf(netip.MustParseAddr(s)) == everywhere {
			t.Errorf("%s counts as public", s)
		}
	}
	for _, s := range []string{
		"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1",
		"198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1", "2a00:1450::1", "::ffff:8.8.8.8",
		"64:ff9b::808:808", "2002:808:808::1",
	} {
		if reachOf(netip.MustParseAddr(s)) != everywhere {
			t.Errorf("%s counts as private", s)
		}
	}
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
		"127.0.0.1.", "１２７.０.０.１", "localhost", "LOCALHOST", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]",
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

// nameServer answers questions for addresses by asking a function, each time anew.
func nameServer(addrs func(name string) []netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go serveNames(far, addrs)
		return near, nil
	}}
}

// serveNames speaks the name servers' protocol over a stream: each message after its length.
func serveNames(conn net.Conn, addrs func(string) []netip.Addr) {
	defer conn.Close()
	for {
		head := make([]byte, 2)
		if _, err := conn.Read(head); err != nil {
			return
		}
		question := make([]byte, int(head[0])<<8|int(head[1]))
		if _, err := conn.Read(question); err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(question) != nil {
			return
		}
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		q := m.Questions[0]
		name := q.Name.String()
		for _, a := range addrs(name[:len(name)-1]) {
			head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
			switch {
			case q.Type == dnsmessage.TypeA && a.Is4():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
			case q.Type == dnsmessage.TypeAAAA && a.Is6():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
			}
		}
		answer, err := m.Pack()
		if err != nil {
			return
		}
		if _, err := conn.Write(append([]byte{byte(len(answer) >> 8), byte(len(answer))}, answer...)); err != nil {
			return
		}
	}
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

	var mu sync.Mutex
	table := map[string][]netip.Addr{}
	set := func(name string, addrs ...netip.Addr) {
		mu.Lock()
		defer mu.Unlock()
		table[name] = addrs
	}
	resolver := nameServer(func(name string) []netip.Addr {
		mu.Lock()
		defer mu.Unlock()
		return table[name]
	})
	client := treatAsPublic(newClient(t, open, func(c *Config) { c.Resolver = resolver; c.HostRate = 100 }))
	fetch := func(name string) error {
		_, err := get(t, client, Request{URL: "http://" + name + ":" + port + "/"})
		return err
	}

	set("private.example", bad)
	if err := fetch("private.example"); !errors.Is(err, ErrForbidden) {
		t.Errorf("name of a private address: got %v", err)
	}
	set("mapped.example", netip.MustParseAddr("::ffff:127.0.0.2"))
	if err := fetch("mapped.example"); err == nil {
		t.Error("name of a mapped private address was fetched")
	}
	set("both.example", bad, good)
	if err := fetch("both.example"); err != nil {
		t.Errorf("name of a public and a private address: %v", err)
	}
	set("rebind.example", good)
	if err := fetch("rebind.example"); err != nil {
		t.Errorf("before the name changes: %v", err)
	}
	set("rebind.example", bad)
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
	for _, test := range []struct {
		port  uint16
		guard guard
		open  bool
	}{
		{80, guard{}, true}, {443, guard{}, true}, {8080, guard{}, true}, {8443, guard{}, true},
		{22, guard{}, false}, {25, guard{}, false}, {0, guard{}, false}, {1024, guard{}, false}, {6379, guard{}, false},
		{6379, guard{highPorts: true}, true}, {1024, guard{highPorts: true}, false}, {25, guard{highPorts: true}, false},
		{81, guard{lab: true}, true}, {0, guard{lab: true}, false},
	} {
		if err := test.guard.port(test.port); (err == nil) != test.open {
			t.Errorf("port %d under %+v: %v", test.port, test.guard, err)
		}
	}
	for address, want := range map[string]error{"8.8.8.8:443": nil, "8.8.8.8:22": ErrPort, "10.0.0.1:443": ErrForbidden, "[fe80::1%eth0]:80": ErrForbidden, "name:80": ErrForbidden} {
		if err := (guard{reach: reachOf}).control(t.Context(), "tcp", address, nil); !errors.Is(err, want) {
			t.Errorf("connecting to %s: got %v, want %v", address, err, want)
		}
	}
	client := newClient(t, open)
	if _, err := get(t, client, Request{URL: "http://example.org:22/"}); !errors.Is(err, ErrPort) {
		t.Errorf("got %v, want %v", err, ErrPort)
	}
}

func TestIntranetsMayBeOpened(t *testing.T) {
	intranets := guard{reach: reachOf, allowPrivate: true}
	for s, open := range map[string]bool{
		"127.0.0.1": true, "10.1.2.3": true, "100.64.0.1": true, "fd00::1": true, "64:ff9b::a00:1": true,
		"169.254.169.254": false, "fe80::1": false, "0.0.0.0": false, "224.0.0.1": false, "fd00:ec2::254": false,
		"64:ff9b::a9fe:a9fe": false, "100.100.100.200": false,
	} {
		if err := intranets.addr(netip.MustParseAddr(s)); (err == nil) != open {
			t.Errorf("%s: %v", s, err)
		}
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page") })
	mustGet(t, newClient(t, open, func(c *Config) { c.AllowPrivate = true }), Request{URL: url})
}

func TestEnvironmentProxiesAreNotUsed(t *testing.T) {
	var proxied atomic.Int64
	l, port := listen(t, "127.0.0.1:0", &proxied)
	defer l.Close()
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:"+port)
	t.Setenv("ALL_PROXY", "http://127.0.0.1:"+port)
	resolver := nameServer(func(string) []netip.Addr { return nil })
	client := newClient(t, open, func(c *Config) { c.Resolver = resolver })
	if _, err := get(t, client, Request{URL: "http://nowhere.example/"}); err == nil || proxied.Load() != 0 {
		t.Errorf("the proxy saw %d requests; error %v", proxied.Load(), err)
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	client := newClient(t, open)
	for _, url := range []string{
		"", "example.org", "//example.org/", "http://", "http:///x", "http://./", "http://exa mple.org/", "http://%zz/",
		"ftp://example.org/", "file:///etc/passwd", "gopher://example.org/", "javascript:alert(1)", "mailto:a@b.example",
		"http://example.org:99999/", "http://[::1/", "http://example.org../", "http://Example.org../", "http://../",
	} {
		if _, err := get(t, client, Request{URL: url}); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%q: got %v", url, err)
		}
	}
}

func FuzzTarget(f *testing.F) {
	g := guard{reach: reachOf}
	taken := 0
	for _, s := range []string{
		"http://127.0.0.1/", "http://0x7f.1:8080/a?b#c", "https://user:pass@Example.ORG.:443/", "http://[::ffff:8.8.8.8]:80/",
		"http://bücher.example/ü?ö", "http://0177.0.0.01/", "http://4294967295/", "http://1.2.3.4.5/", "http://[fe80::1%25eth0]/",
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
		if first.url.User != nil || first.ip.IsValid() && reachOf(first.ip) != everywhere {
			t.Fatalf("%q may be asked as %q", raw, first.text)
		}
	})
}

package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"tidings/egress/egresstest"
)

// loopback is what plays a public address in tests.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

var forbidden = []string{
	"127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1",
	"169.254.169.254", "100.64.0.1", "100.127.255.255", "100.100.100.200", "168.63.129.16",
	"0.0.0.0", "0.1.2.3", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255",
	"198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
	"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:a00:1", "::ffff:0:127.0.0.1", "fc00::1", "fd12:3456::1",
	"fd00:ec2::254", "fd00:ec2::23", "fd00:42::42", "fd20:ce::254", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1",
	"ff02::1",
	"64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::10.0.0.1", "64:ff9b:1:0a00:0:100::",
	"64:ff9b:1:7f:0:1::", "64:ff9b:1::7f:0:100:0", "64:ff9b:1::8.8.8.8", "2002:7f00:1::", "2002:a9fe:a9fe::1",
	"2002:c0a8:101::1",
	"2001::1", "2001:0:7f00:1::", "2001:2::1", "2001:10::1", "2001:db8::1", "3fff::1", "100::1", "5f00::1",
	"2606:4700::5efe:127.0.0.1", "2606:4700::200:5efe:10.0.0.1", "fe80::5efe:8.8.8.8",
}

var public = []string{
	"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1",
	"198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1", "2a00:1450::1", "::ffff:8.8.8.8",
	"64:ff9b::808:808", "2002:808:808::1", "2606:4700::5efe:8.8.8.8", "2606:4700::5eff:127.0.0.1",
}

// hostile 1: special addresses are not public, in whatever they are wrapped.
func TestHostile1SpecialAddresses(t *testing.T) {
	for _, s := range forbidden {
		if a := netip.MustParseAddr(s); IsPublic(a) || !errors.Is(Guard{}.Address(a), ErrAddress) {
			t.Errorf("%s counts as public", s)
		}
	}
	for _, s := range public {
		if a := netip.MustParseAddr(s); !IsPublic(a) || (Guard{}).Address(a) != nil {
			t.Errorf("%s counts as private", s)
		}
	}
	if IsPublic(netip.Addr{}) || (Guard{Private: true}).Address(netip.Addr{}) == nil {
		t.Error("no address at all counts as public")
	}
}

// hostile 1: every IPv4 address is as reachable as it is in the wrappings that gateways open.
func TestWrappedAddressesAreNoMoreReachable(t *testing.T) {
	for _, s := range append(forbidden, public...) {
		a := netip.MustParseAddr(s)
		if !a.Is4() {
			continue
		}
		b := a.As4()
		mapped := netip.AddrFrom16(a.As16())
		wrapped64 := netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b, 12: b[0], 13: b[1], 14: b[2], 15: b[3]})
		wrapped6to4 := netip.AddrFrom16([16]byte{0x20, 0x02, b[0], b[1], b[2], b[3], 15: 1})
		for _, w := range []netip.Addr{mapped, wrapped64, wrapped6to4, wrapped64.WithZone("eth0")} {
			if reachOf(w) != reachOf(a) || Machine(w) != a {
				t.Errorf("%s is reached as %d from %s, which is of machine %s", a, reachOf(w), w, Machine(w))
			}
		}
	}
	if a := netip.MustParseAddr("2606:4700::1"); Machine(a) != a || Machine(a.WithZone("eth0")) != a {
		t.Error("an IPv6 address is not its own machine's")
	}
}

// Blocks end where IANA's registries say: a neighbour on each side is not in a block but by another one.
func TestBlocksEndWhereTheyEnd(t *testing.T) {
	for _, s := range special {
		first := s.prefix.Masked().Addr()
		last := first.As16()
		bits := s.prefix.Bits()
		if first.Is4() {
			bits += 96
		}
		for i := bits; i < 128; i++ {
			last[i/8] |= 1 << (7 - i%8)
		}
		for _, a := range []netip.Addr{first, netip.AddrFrom16(last).Unmap()} {
			if IsPublic(a) {
				t.Errorf("%s of %s is public", a, s.prefix)
			}
		}
	}
	for _, s := range []string{"9.255.255.255", "11.0.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255",
		"169.255.0.0", "192.167.255.255", "192.169.0.0", "2001:200::"} {
		if !IsPublic(netip.MustParseAddr(s)) {
			t.Errorf("%s is private", s)
		}
	}
}

func TestPrivateNetworksMayBePermitted(t *testing.T) {
	g := Guard{Private: true}
	for s, open := range map[string]bool{
		"127.0.0.1": true, "10.1.2.3": true, "100.64.0.1": true, "fd00::1": true, "64:ff9b::a00:1": true,
		"2002:a00:1::1":   true,
		"169.254.169.254": false, "fe80::1": false, "0.0.0.0": false, "224.0.0.1": false, "fd00:ec2::254": false,
		"fd00:ec2::23":       false,
		"64:ff9b::a9fe:a9fe": false, "100.100.100.200": false, "fd00::5efe:169.254.169.254": false,
		"fd00:42::42": false,
	} {
		if err := g.Address(netip.MustParseAddr(s)); (err == nil) != open {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestPorts(t *testing.T) {
	for _, test := range []struct {
		port    uint16
		permits []Ports
	}{
		{0, nil}, {22, []Ports{AnyPort}}, {25, []Ports{AnyPort}}, {79, []Ports{AnyPort}}, {81, []Ports{AnyPort}},
		{1023, []Ports{AnyPort}}, {1024, []Ports{AnyPort}}, {1025, []Ports{HighPorts, AnyPort}},
		{6379, []Ports{HighPorts, AnyPort}}, {65535, []Ports{HighPorts, AnyPort}},
		{80, []Ports{WebPorts, HighPorts, AnyPort}}, {443, []Ports{WebPorts, HighPorts, AnyPort}},
		{8080, []Ports{WebPorts, HighPorts, AnyPort}}, {8443, []Ports{WebPorts, HighPorts, AnyPort}},
	} {
		for _, ports := range []Ports{WebPorts, HighPorts, AnyPort} {
			open := false
			for _, p := range test.permits {
				open = open || p == ports
			}
			if err := (Guard{Ports: ports}).Port(test.port); (err == nil) != open ||
				err != nil && !errors.Is(err, ErrPort) {
				t.Errorf("port %d with %d: %v", test.port, ports, err)
			}
		}
	}
}

// A dialer refuses an address that it cannot read. A refusal of Also comes after that of the guard.
func TestControl(t *testing.T) {
	full := errors.New("full")
	var asked []netip.AddrPort
	g := Guard{Also: func(_ context.Context, to netip.AddrPort) error { asked = append(asked, to); return full }}
	for address, want := range map[string]error{
		"8.8.8.8:443": full, "[::ffff:8.8.8.8]:80": full, "8.8.8.8:22": ErrPort, "10.0.0.1:443": ErrAddress,
		"10.0.0.1:22":       ErrAddress,
		"[fe80::1%eth0]:80": ErrAddress, "name:80": ErrAddress, "": ErrAddress, "/run/socket": ErrAddress,
		"8.8.8.8": ErrAddress,
	} {
		if err := g.Control(t.Context(), "tcp", address, nil); !errors.Is(err, want) {
			t.Errorf("connecting to %q: %v, not %v", address, err, want)
		}
	}
	if len(asked) != 2 {
		t.Errorf("asked about %v", asked)
	}
}

func TestGuardsOfMessages(t *testing.T) {
	for address, private := range map[string][2]bool{
		"8.8.8.8:443": {true, true}, "8.8.8.8:9000": {true, true}, "8.8.8.8:25": {false, true},
		"10.0.0.1:80": {false, true}, "127.0.0.1:25": {false, true},
		"169.254.169.254:80": {false, false},
	} {
		for i, open := range private {
			if err := ForMessages(i == 1).Endpoint(netip.MustParseAddrPort(address)); (err == nil) != open {
				t.Errorf("%s, private %v: %v", address, i == 1, err)
			}
		}
	}
}

// listen counts the connections at an address of this machine.
func listen(t *testing.T, address string, answer http.HandlerFunc) (port string, connections *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("this machine has no address %s: %v", address, err)
	}
	connections = new(atomic.Int64)
	server := httptest.NewUnstartedServer(answer)
	_ = server.Listener.Close()
	server.Listener = l
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port, connections
}

func page(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") }

// ask sends a request with a client of a guard.
func ask(t *testing.T, g Guard, url string) (*http.Response, error) {
	t.Helper()
	return send(t, Client(g.Transport(1<<10)), url)
}

func send(t *testing.T, c *http.Client, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	return resp, err
}

// hostile 2: a name is as good as the address that is connected to, now. Here 127.0.0.1 plays a public address and
// 127.0.0.2 a private one.
func TestHostile2Names(t *testing.T) {
	port, seen := listen(t, "127.0.0.1:0", page)
	_, private := listen(t, "127.0.0.2:"+port, page)
	good, bad := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")
	var names egresstest.Names
	g := Guard{Public: loopback, Ports: AnyPort, Resolver: names.Resolver()}
	for _, c := range []struct {
		name      string
		addresses []netip.Addr
		open      bool
	}{
		{"private.example", []netip.Addr{bad}, false},
		{"mapped.example", []netip.Addr{netip.MustParseAddr("::ffff:127.0.0.2")}, false},
		{"both.example", []netip.Addr{bad, good}, true},
		{"rebind.example", []netip.Addr{good}, true},
		{"rebind.example", []netip.Addr{bad}, false},
		{"many.example", []netip.Addr{bad, netip.MustParseAddr("::1"), netip.MustParseAddr("10.0.0.1")}, false},
	} {
		names.Set(c.name, c.addresses...)
		_, err := ask(t, g, "http://"+c.name+":"+port+"/")
		if (err == nil) != c.open {
			t.Errorf("%s at %v: %v", c.name, c.addresses, err)
		}
	}
	if n := private.Load(); n != 0 {
		t.Errorf("%d connections to the private address", n)
	}
	if n := seen.Load(); n != 2 {
		t.Errorf("%d connections to the public address", n)
	}
}

// hostile 1: no spelling that any resolver understands leads to a private address.
func TestHostile1NoSpellingIsConnectedTo(t *testing.T) {
	port, seen := listen(t, "127.0.0.1:0", page)
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST", "127.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "0",
		"127.0.0.1.",
		"[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "[::]",
	} {
		if _, err := ask(t, Guard{Ports: AnyPort}, "http://"+host+":"+port+"/"); err == nil {
			t.Errorf("%s was connected to", host)
		}
	}
	if n := seen.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

// hostile 3: a redirect is not followed by Client, and one that another client follows is checked as it is dialled.
func TestHostile3Redirects(t *testing.T) {
	private, seen := listen(t, "127.0.0.2:0", page)
	port, _ := listen(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.2:"+private+"/", http.StatusFound)
	})
	g := Guard{Public: loopback, Ports: AnyPort}
	resp, err := ask(t, g, "http://127.0.0.1:"+port+"/")
	if err != nil || resp.StatusCode != http.StatusFound {
		t.Errorf("%v, %v", resp, err)
	}
	follows := &http.Client{Transport: g.Transport(1 << 10)}
	if resp, err := send(t, follows, "http://127.0.0.1:"+port+"/"); !errors.Is(err, ErrAddress) {
		t.Errorf("followed to %v, %v", resp, err)
	}
	if n := seen.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

// A proxy of the environment would connect past the guard.
func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	port, seen := listen(t, "127.0.0.1:0", page)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"} {
		t.Setenv(name, "http://127.0.0.1:"+port)
	}
	if (Guard{}).Transport(1).Proxy != nil {
		t.Error("there is a proxy")
	}
	if _, err := ask(t, Guard{Public: loopback, Ports: AnyPort, Resolver: new(egresstest.Names).Resolver()},
		"http://nowhere.example/"); err == nil || seen.Load() != 0 {
		t.Errorf("%d connections to the proxy, %v", seen.Load(), err)
	}
}

// A flag that permits private addresses permits connections to them, and cookies are not kept.
func TestPrivateServersCanBeReached(t *testing.T) {
	port, seen := listen(t, "127.0.0.1:0", func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
	})
	client := Client(ForMessages(true).Transport(1 << 10))
	for range 2 {
		if _, err := send(t, client, "http://localhost:"+port+"/"); err != nil {
			t.Error(err)
		}
	}
	if n := seen.Load(); n != 2 {
		t.Errorf("%d connections: one is kept", n)
	}
	if Client(nil).Jar != nil {
		t.Error("cookies are kept")
	}
}

// The header of a response has a bound.
func TestHeadersAreBounded(t *testing.T) {
	port, _ := listen(t, "127.0.0.1:0", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 64<<10))
	})
	if _, err := ask(t, ForMessages(true), "http://127.0.0.1:"+port+"/"); err == nil ||
		!strings.Contains(err.Error(), "headers exceeded") {
		t.Error(err)
	}
}

// FuzzControl holds that only what two independent checks call public is connected to, and that nothing panics.
func FuzzControl(f *testing.F) {
	seeds := 0
	for _, s := range append(forbidden, public...) {
		a := netip.AddrPortFrom(netip.MustParseAddr(s), 80).String()
		if (Guard{}).Control(context.Background(), "tcp", a, nil) == nil {
			seeds++
		}
		f.Add(a)
	}
	if seeds != len(public) {
		f.Fatalf("%d seeds are permitted, not %d", seeds, len(public))
	}
	f.Fuzz(func(t *testing.T, address string) {
		if (Guard{}).Control(t.Context(), "tcp", address, nil) != nil {
			return
		}
		to := netip.MustParseAddrPort(address)
		a := to.Addr().Unmap()
		ip := net.IP(a.AsSlice())
		if ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() ||
			!ip.IsGlobalUnicast() {
			t.Fatalf("%s is connected to", address)
		}
		if Machine(a) != a && reachOf(Machine(a)) != everywhere {
			t.Fatalf("%s is connected to, at %s", address, Machine(a))
		}
		if err := (Guard{Private: true, Ports: AnyPort}).Control(t.Context(), "tcp", address, nil); err != nil {
			t.Fatalf("what is permitted to all is refused with more permissions: %v", err)
		}
	})
}

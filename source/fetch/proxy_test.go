package fetch

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/egress/egresstest"
)

// testProxy is a proxy that speaks CONNECT and SOCKS5, and notes where it was asked to connect to.
type testProxy struct {
	mu    sync.Mutex
	asked []string
	login string // user:password; empty: none is asked for
}

func (p *testProxy) note(to string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, to)
}

func (p *testProxy) drain() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	return asked
}

// listen starts the proxy at an address of loopback, and returns its host and port.
func (p *testProxy) listen(t *testing.T, at string) string {
	t.Helper()
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Skipf("this machine has no address %s: %v", at, err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return l.Addr().String()
}

func (p *testProxy) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	first, err := in.Peek(1)
	if err != nil {
		return
	}
	var to string
	if first[0] == 5 {
		to, err = p.socks(in, conn)
	} else {
		to, err = p.connect(in, conn)
	}
	if err != nil {
		return
	}
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	go func() { _, _ = io.Copy(far, in); _ = far.(*net.TCPConn).CloseWrite() }()
	_, _ = io.Copy(conn, far)
}

var errRefuse = errors.New("refused")

func (p *testProxy) connect(in *bufio.Reader, conn net.Conn) (string, error) {
	req, err := http.ReadRequest(in)
	if err != nil {
		return "", err
	}
	p.note(req.Host)
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(p.login))
	switch {
	case req.Method != http.MethodConnect || req.Header.Get("User-Agent") != "" || req.Header.Get("X-Key") != "":
		fmt.Fprint(conn, "HTTP/1.1 405 No\r\n\r\n")
		return "", errRefuse
	case p.login != "" && req.Header.Get("Proxy-Authorization") != want:
		fmt.Fprint(conn, "HTTP/1.1 407 Who\r\n\r\n")
		return "", errRefuse
	}
	_, err = fmt.Fprint(conn, "HTTP/1.1 200 Connected\r\n\r\n")
	return req.Host, err
}

func (p *testProxy) socks(in *bufio.Reader, conn net.Conn) (string, error) {
	read := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(in, b)
		return b
	}
	read(int(read(2)[1])) // the methods that are offered
	if p.login == "" {
		_, _ = conn.Write([]byte{5, 0})
	} else {
		_, _ = conn.Write([]byte{5, 2})
		user := read(int(read(2)[1]))
		password := read(int(read(1)[0]))
		if string(user)+":"+string(password) != p.login {
			_, _ = conn.Write([]byte{1, 1})
			return "", errRefuse
		}
		_, _ = conn.Write([]byte{1, 0})
	}
	var host string
	switch kind := read(4)[3]; kind {
	case 1:
		host = netip.AddrFrom4([4]byte(read(4))).String()
	case 4:
		host = netip.AddrFrom16([16]byte(read(16))).String()
	default:
		host = string(read(int(read(1)[0])))
	}
	to := net.JoinHostPort(host, fmt.Sprint(binary.BigEndian.Uint16(read(2))))
	p.note(to)
	_, err := conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	return to, err
}

// An origin is reached by each kind of proxy, with and without TLS, and so is where it redirects to. The proxy is asked
// for an address, and sees nothing that is for the origin.
func TestProxies(t *testing.T) {
	p := &testProxy{login: "me:s3cret"}
	at := p.listen(t, "127.0.0.1:0")
	var names egresstest.Names
	names.Set("origin.example", netip.MustParseAddr("127.0.0.1"))
	names.Set("other.example", netip.MustParseAddr("127.0.0.1"))
	var keys []string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("X-Key"))
		if strings.HasPrefix(r.Host, "origin.example") && r.URL.Path == "/away" {
			http.Redirect(w, r, strings.Replace("http://"+r.Host+"/", "origin", "other", 1), http.StatusFound)
			return
		}
		fmt.Fprint(w, "a document")
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	client := newClient(t, func(c *Config) { c.Resolver = names.Resolver() })
	client.tls.InsecureSkipVerify = true
	plainAt, secureAt := plain.Listener.Addr().String(), secure.Listener.Addr().String()
	port := func(s string) string { _, port, _ := net.SplitHostPort(s); return port }
	for _, by := range []string{"http://me:s3cret@" + at, "socks5://me:s3cret@" + at} {
		keys = nil
		a := tidings.Access{Headers: []string{"X-Key: k"}, Proxy: by}
		mustGet(t, client, Request{URL: "http://origin.example:" + port(plainAt) + "/away", Access: a})
		if got := p.drain(); len(got) != 2 || got[0] != plainAt || got[1] != plainAt || len(keys) != 2 ||
			keys[0] != "k" || keys[1] != "" {
			t.Errorf("%s: asked to connect to %q, which saw %q", by, got, keys)
		}
		mustGet(t, client, Request{URL: "https://origin.example:" + port(secureAt) + "/", Access: a})
		if got := p.drain(); len(got) != 1 || got[0] != secureAt {
			t.Errorf("%s: asked to connect to %q", by, got)
		}
		mustGet(t, client, Request{URL: "https://origin.example:" + port(secureAt) + "/"})
		if got := p.drain(); len(got) != 0 {
			t.Errorf("%s: without a proxy, its connection was used: %q", by, got)
		}
		_, err := get(t, client, Request{URL: "http://origin.example:" + port(plainAt) + "/",
			Access: tidings.Access{Proxy: strings.Replace(by, "s3cret", "wr0ng", 1)}})
		if failed, ok := errors.AsType[ProxyError](err); !ok || failed != errProxyLogin {
			t.Errorf("%s: by a wrong password: %v", by, err)
		}
		p.drain()
	}
}

func TestProxyWithTLS(t *testing.T) {
	p := &testProxy{}
	front := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.note(r.Host)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		far, err := net.Dial("tcp", r.Host)
		if err != nil {
			t.Error(err)
			return
		}
		defer far.Close()
		fmt.Fprint(conn, "HTTP/1.1 200 Connected\r\n\r\n")
		go func() { _, _ = io.Copy(far, conn) }()
		_, _ = io.Copy(conn, far)
	}))
	defer front.Close()
	origin := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "a document")
	}))
	defer origin.Close()
	client := newClient(t)
	client.tls.InsecureSkipVerify = true
	mustGet(t, client, Request{URL: origin.URL, Access: tidings.Access{Proxy: front.URL}})
	if got := p.drain(); len(got) != 1 || got[0] != origin.Listener.Addr().String() {
		t.Errorf("asked to connect to %q", got)
	}
	client.tls.InsecureSkipVerify = false
	if _, err := get(t, newClient(t), Request{URL: origin.URL, Access: tidings.Access{Proxy: front.URL}}); !errors.Is(
		err, errProxySpeaks) {
		t.Errorf("a proxy whose certificate nobody knows: %v", err)
	}
}

// hostile 1, 2: a proxy reaches no address that the node itself would not: not by an address, a name, or a redirect.
func TestProxiesConnectToNothingForbidden(t *testing.T) {
	p := &testProxy{}
	at := p.listen(t, "127.0.0.1:0")
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+r.URL.Query().Get("to")+"/", http.StatusFound)
	})
	var names egresstest.Names
	names.Set("inner.example", netip.MustParseAddr("10.0.0.1"))
	names.Set("both.example", netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("127.0.0.1"))
	names.Set("origin.example", netip.MustParseAddr("127.0.0.1"))
	client := treatAsPublic(newClient(t, open, func(c *Config) { c.Resolver = names.Resolver(); c.HostRate = 100 }))
	u, _ := url.Parse(origin)
	for _, by := range []string{"http://" + at, "socks5://" + at} {
		for _, host := range []string{"inner.example", "10.0.0.1", "169.254.169.254", "0xa.1", "127.0.0.2", "[::1]"} {
			_, err := get(t, client, Request{URL: "http://" + host + "/", Access: tidings.Access{Proxy: by}})
			if !errors.Is(err, ErrForbidden) {
				t.Errorf("%s by %s: got %v", host, by, err)
			}
			_, err = get(t, client, Request{URL: "http://origin.example:" + u.Port() + "/?to=" + host,
				Access: tidings.Access{Proxy: by}})
			if !errors.Is(err, ErrForbidden) {
				t.Errorf("a redirect to %s by %s: got %v", host, by, err)
			}
		}
		for _, to := range p.drain() {
			if to != "127.0.0.1:"+u.Port() {
				t.Errorf("%s was asked to connect to %s", by, to)
			}
		}
		if _, err := get(t, client, Request{URL: "http://both.example:" + u.Port() + "/?to=10.0.0.1",
			Access: tidings.Access{Proxy: by}}); !errors.Is(err, ErrForbidden) {
			t.Errorf("got %v", err)
		}
		if got := p.drain(); len(got) != 1 || got[0] != "127.0.0.1:"+u.Port() {
			t.Errorf("a name with a public and a private address: asked to connect to %q", got)
		}
	}
}

// A proxy lies at a public address, or at one that the administrator has named; never at a cloud's metadata.
func TestProxiesAtForbiddenAddresses(t *testing.T) {
	p := &testProxy{}
	at := p.listen(t, "127.0.0.2:0") // a private address, while 127.0.0.1 is public
	_, port, _ := net.SplitHostPort(at)
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a document") })
	var names egresstest.Names
	names.Set("metadata.example", netip.MustParseAddr("169.254.169.254"))
	names.Set("tor", netip.MustParseAddr("127.0.0.2"))
	fetch := func(by string, allowed ...string) error {
		client := treatAsPublic(newClient(t, open, func(c *Config) {
			c.Resolver, c.Proxies = names.Resolver(), allowed
		}))
		_, err := get(t, client, Request{URL: origin, Access: tidings.Access{Proxy: by}})
		return err
	}
	for _, scheme := range []string{"http", "https", "socks5"} {
		for _, host := range []string{at, "169.254.169.254", "metadata.example:8080", "tor:" + port, "10.0.0.1:3128",
			"[fd00:ec2::254]:80", "127.0.0.1:22"} {
			err := fetch(scheme + "://me:s3cret@" + host)
			if !errors.Is(err, ErrProxyAddress) || strings.Contains(err.Error(), "s3cret") ||
				strings.Contains(err.Error(), host) {
				t.Errorf("%s://%s: got %v", scheme, host, err)
			}
		}
		for _, host := range []string{"169.254.169.254:80", "metadata.example:80"} {
			if err := fetch(scheme+"://"+host, host); !errors.Is(err, ErrProxyAddress) {
				t.Errorf("%s, though it was named: got %v", host, err)
			}
		}
	}
	if got := p.drain(); len(got) != 0 {
		t.Errorf("the private proxy was asked to connect to %q", got)
	}
	for _, host := range []string{at, "tor:" + port} {
		for _, scheme := range []string{"http", "socks5"} {
			if err := fetch(scheme+"://"+host, "other:1", host); err != nil {
				t.Errorf("%s://%s was named: %v", scheme, host, err)
			}
		}
	}
	if err := fetch("http://127.0.0.2:1", at); !errors.Is(err, ErrProxyAddress) {
		t.Errorf("another port of a proxy that was named: %v", err)
	}
}

// A proxy that accepts the connection and never answers, drips, or floods holds up a fetch for proxyTimeout and no
// longer.
func TestProxiesThatHang(t *testing.T) {
	drip := func(conn net.Conn) {
		for {
			time.Sleep(time.Second)
			if _, err := conn.Write([]byte("H")); err != nil {
				return
			}
		}
	}
	for name, answer := range map[string]func(net.Conn){"silent": func(net.Conn) {}, "dripping": drip} {
		for _, scheme := range []string{"http", "https", "socks5"} {
			t.Run(name+" "+scheme, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					client := newClient(t)
					var ends sync.WaitGroup
					client.dialProxy = func(context.Context, string, string) (net.Conn, error) {
						near, far := net.Pipe()
						ends.Go(func() { _, _ = io.Copy(io.Discard, far) })
						ends.Go(func() { answer(far) })
						return near, nil
					}
					began := time.Now()
					_, err := get(t, client,
						Request{URL: "http://127.0.0.1/", Access: tidings.Access{Proxy: scheme + "://p.example"}})
					if took := time.Since(began); err == nil || took > proxyTimeout+time.Second {
						t.Errorf("after %s: %v", took, err)
					}
					if name == "silent" && !errors.Is(err, errProxySlow) {
						t.Errorf("got %v", err)
					}
					ends.Wait() // the connection is closed
				})
			})
		}
	}
}

// What a proxy answers instead of connecting is an error in plain words, without its address.
func TestProxiesThatAnswerBadly(t *testing.T) {
	for answer, want := range map[string]error{
		"HTTP/1.1 403 No\r\n\r\n":                        errProxyRefused,
		"HTTP/1.1 502 No\r\nContent-Length: 9\r\n\r\n":   errProxyRefused,
		"HTTP/1.1 407 Who\r\n\r\n":                       errProxyLogin,
		"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n": errProxySpeaks,
		"SSH-2.0-OpenSSH\r\n":                            errProxySpeaks,
		"":                                               errProxyRefused,
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20): errProxyRefused,
	} {
		client := newClient(t)
		client.dialProxy = func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				defer far.Close()
				egresstest.AfterRequest(far, func(conn net.Conn) { _, _ = io.WriteString(conn, answer) })
			}()
			return near, nil
		}
		_, err := get(t, client,
			Request{URL: "http://127.0.0.1/", Access: tidings.Access{Proxy: "http://me:s3cret@p.example"}})
		if !errors.Is(err, want) || strings.Contains(err.Error(), "s3cret") ||
			strings.Contains(err.Error(), "p.example") {
			t.Errorf("%.40q: got %v, want %v", answer, err, want)
		}
	}
}

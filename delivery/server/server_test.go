package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/memory"
)

// pipes is a listener. Its connections are pipes, with addresses that a test sets. They need no descriptors.
type pipes struct {
	come   chan net.Conn
	fails  chan error // each is returned by one Accept
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes {
	return &pipes{come: make(chan net.Conn), fails: make(chan error, 8), closed: make(chan struct{})}
}

func (m *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-m.come:
		return c, nil
	case err := <-m.fails:
		return nil, err
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *pipes) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

func (m *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// from is a connection with the address of its other end.
type from struct {
	net.Conn
	addr net.Addr
}

func (f from) RemoteAddr() net.Addr { return f.addr }

// world is a server on pipes within a bubble.
type world struct {
	t      *testing.T
	server *Server
	page   *pipes
	socket *pipes
	log    *bytes.Buffer
	ended  chan error
	stop   context.CancelFunc
}

// signed is the header by which the handlers here know somebody.
const signed = "Cookie: session=mine\r\n"

// known lets h run with the account of requests that are signed.
func known(h http.Handler) http.Handler {
	h = Vouched(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" {
			r = r.WithContext(auth.WithAccount(r.Context(), tidings.Owner))
		}
		h.ServeHTTP(w, r)
	})
}

func forwarded(r *http.Request) netip.Addr {
	addr, err := netip.ParseAddr(r.Header.Get("X-Forwarded-For"))
	if err != nil {
		return netip.MustParseAddrPort(r.RemoteAddr).Addr()
	}
	return addr
}

func newWorld(t *testing.T, limit, share int, h http.HandlerFunc) *world {
	return newWorldOf(t, limit, share, nil, h)
}

func newWorldOf(t *testing.T, limit, share int, answers *memory.Budget, h http.HandlerFunc) *world {
	w := &world{t: t, page: newPipes(), socket: newPipes(), log: &bytes.Buffer{}, ended: make(chan error, 1)}
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")}
	w.server = New(slog.New(slog.NewTextHandler(w.log, nil)),
		Endpoint{Name: "page", Listener: w.page, Handler: known(h), Limit: limit, Share: share, Proxies: proxies,
			Client: forwarded, Memory: answers},
		Endpoint{Name: "socket", Listener: w.socket, Handler: known(h), Limit: 16})
	ctx, cancel := context.WithCancel(t.Context())
	w.stop = cancel
	go func() { w.ended <- w.server.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-w.ended; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
	})
	return w
}

// client is a client's end of a connection.
type client struct {
	net.Conn
	in *bufio.Reader
}

// dial connects from an address.
func (w *world) dial(ip string) *client {
	w.t.Helper()
	near, far := net.Pipe()
	w.t.Cleanup(func() { near.Close() })
	w.page.come <- from{far, &net.TCPAddr{IP: net.ParseIP(ip), Port: 40000}}
	synctest.Wait()
	return &client{near, bufio.NewReader(near)}
}

// send writes text, and lets the server read it.
func (c *client) send(text string) error {
	_, err := io.WriteString(c.Conn, text)
	synctest.Wait()
	return err
}

// status reads the status and body of an answer, and lets the server end it.
func (c *client) status() (int, string) {
	defer synctest.Wait()
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, err.Error()
	}
	return res.StatusCode, string(body)
}

// gone reports whether the server has closed the connection.
func (c *client) gone() bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.in.Peek(1)
	_ = c.SetReadDeadline(time.Time{})
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

const get = "GET / HTTP/1.1\r\nHost: x\r\n"

func post(length int) string {
	return fmt.Sprintf("POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n", length)
}

// readAll answers with how many bytes of a body came.
func readAll(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestTimeout)
		return
	}
	fmt.Fprint(w, n)
}

// hostile 64: a head that comes byte by byte is waited for no longer than another.
func TestHostile64SlowHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 10, 10, readAll)
		c := w.dial("192.0.2.1")
		go io.Copy(io.Discard, c.in)
		began := time.Now()
		for _, b := range get {
			if c.send(string(b)) != nil {
				break
			}
			time.Sleep(time.Second)
		}
		if took := time.Since(began); took < headerTimeout || took > headerTimeout+time.Second {
			t.Errorf("a slow head was waited for %v, want %v", took, headerTimeout)
		}
	})
}

// hostile 64: a body that comes byte by byte is cut, also when the handler does not read it.
func TestHostile64SlowBody(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"read":     readAll,
		"not read": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "no") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 10, 10, h)
				c := w.dial("192.0.2.1")
				go io.Copy(io.Discard, c.in)
				began := time.Now()
				if err := c.send(post(1000) + "\r\n"); err != nil {
					t.Fatal(err)
				}
				for time.Since(began) < time.Hour && c.send("x") == nil {
					time.Sleep(5 * time.Second)
				}
				if took := time.Since(began); took < grace || took > grace+10*time.Second {
					t.Errorf("a slow body was waited for %v", took)
				}
				if open := w.server.State("page").Open; open != 0 {
					t.Errorf("%d connections are open", open)
				}
			})
		})
	}
}

// An upload at a fair rate may last as long as it needs, and so may its handler after it.
func TestALongUploadPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 1 << 20
		w := newWorld(t, 10, 10, func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			select {
			case <-time.After(10 * grace): // following what the list names
			case <-r.Context().Done():
				err = r.Context().Err()
			}
			fmt.Fprint(w, n, err)
		})
		c := w.dial("192.0.2.1")
		if err := c.send(post(size) + signed + "\r\n"); err != nil {
			t.Fatal(err)
		}
		for range size / 1024 {
			if err := c.send(strings.Repeat("x", 1024)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(1024 * time.Second / leastRate)
		}
		if code, text := c.status(); code != 200 || text != fmt.Sprint(size, nil) {
			t.Errorf("%d %s", code, text)
		}
		if err := c.send(post(1) + "\r\nx"); err != nil { // and the connection goes on
			t.Fatal(err)
		}
		if code, _ := c.status(); code != 200 {
			t.Errorf("the next request: %d", code)
		}
	})
}

// hostile 64: an answer that nobody reads is cut, and one that is read slowly passes.
func TestHostile64AnswerNotRead(t *testing.T) {
	const size = 1 << 20
	big := func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, size)) }
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 10, 10, big)
		deaf, slow := w.dial("192.0.2.1"), w.dial("192.0.2.2")
		for _, c := range []*client{deaf, slow} {
			if err := c.send(get + "\r\n"); err != nil {
				t.Fatal(err)
			}
		}
		got := 0
		for got < size {
			n, err := slow.in.Read(make([]byte, 2048))
			if err != nil {
				t.Fatalf("a slow reader was cut after %d bytes: %v", got, err)
			}
			got += n
			time.Sleep(2 * time.Second)
			synctest.Wait()
		}
		if _, err := io.Copy(io.Discard, deaf.in); err != nil {
			t.Fatal(err)
		}
		if open := w.server.State("page").Open; open != 1 {
			t.Errorf("%d connections are open, want the slow reader's", open)
		}
	})
}

// A stream lives for longer than any wait, and is cut when its client stops reading.
func TestAStreamLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Bool
		w := newWorld(t, 10, 10, func(w http.ResponseWriter, r *http.Request) {
			defer ended.Store(true)
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, ":\n\n"); err != nil {
					return
				}
				if http.NewResponseController(w).Flush() != nil {
					return
				}
				select {
				case <-time.After(3 * grace):
				case <-r.Context().Done():
				}
			}
		})
		c := w.dial("192.0.2.1")
		if err := c.send(get + signed + "\r\n"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for n := 0; n < 100; {
			line, err := c.in.ReadString('\n')
			if err != nil {
				t.Fatalf("the stream ended after %v: %v", time.Since(began), err)
			}
			if line == ":\n" {
				n++
			}
		}
		synctest.Wait()
		if ended.Load() {
			t.Fatal("the handler ended")
		}
		time.Sleep(6*grace + time.Second) // it does not read any more
		synctest.Wait()
		if !ended.Load() {
			t.Error("the client that does not read was not cut")
		}
	})
}

// hostile 77: clients send large bodies, and stop before their ends. Large bodies without room are refused, and small
// ones are received. Once the slow clients are cut, their room is free.
func TestHostile77SlowBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, each, clients = 1 << 20, 64 << 10, 40
		answers := memory.New(limit, nil)
		w := newWorldOf(t, 100, 100, answers, func(w http.ResponseWriter, r *http.Request) {
			switch data, err := io.ReadAll(r.Body); {
			case errors.Is(err, memory.ErrFull):
				w.WriteHeader(http.StatusServiceUnavailable)
			case err != nil:
				w.WriteHeader(http.StatusRequestTimeout)
			default:
				fmt.Fprint(w, len(data))
			}
		})
		var refused atomic.Int32
		for range clients {
			c := w.dial("127.0.0.1")
			go io.WriteString(c, post(2*each)+"\r\n"+strings.Repeat("x", each))
			go func() {
				if r, err := http.ReadResponse(c.in, nil); err == nil && r.StatusCode == http.StatusServiceUnavailable {
					refused.Add(1)
				}
			}()
			synctest.Wait()
			if held := answers.Held(); held > limit/2 {
				t.Fatalf("bodies hold %d bytes", held)
			}
		}
		if n := refused.Load(); n < clients/2 || n == clients {
			t.Errorf("%d of %d were refused", n, clients)
		}
		small := w.dial("127.0.0.1")
		if err := small.send(post(4000) + "\r\n" + strings.Repeat("x", 4000)); err != nil {
			t.Fatal(err)
		}
		if code, text := small.status(); code != 200 || text != "4000" {
			t.Errorf("a small body: %d %s", code, text)
		}
		time.Sleep(each*time.Second/leastRate + 2*grace)
		if held := answers.Held(); held != 0 {
			t.Errorf("%d bytes are held of bodies that were cut", held)
		}
	})
}

// hostile 64: 400 clients send their bodies byte by byte, from one address or from many. Meanwhile somebody signed in
// is served, from the same address too, and so is the socket.
func TestHostile64ManySlowBodies(t *testing.T) {
	for name, address := range map[string]func(i int) string{
		"one address":    func(int) string { return "127.0.0.1" },
		"many addresses": func(i int) string { return fmt.Sprintf("192.0.2.%d", i%250) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 60, 15, readAll)
				mine := w.dial("127.0.0.1") // is there before, with a page open
				if err := mine.send(get + signed + "\r\n"); err != nil {
					t.Fatal(err)
				}
				if code, _ := mine.status(); code != 200 {
					t.Fatal(code)
				}
				if err := mine.send(post(4) + signed + "\r\nxx"); err != nil {
					t.Fatal(err)
				}
				for i := range 400 {
					slow := w.dial(address(i))
					_ = slow.send(post(1000) + "\r\nx") // or it had to go already
					if open := w.server.State("page").Open; open > 60 {
						t.Fatalf("%d connections are open", open)
					}
				}
				if err := mine.send("xx"); err != nil {
					t.Fatal("the upload of somebody signed in made room: ", err)
				}
				if code, text := mine.status(); code != 200 || text != "4" {
					t.Errorf("the upload: %d %s", code, text)
				}
				later := w.dial("127.0.0.1")
				if err := later.send(get + signed + "\r\n"); err != nil {
					t.Fatal(err)
				}
				if code, _ := later.status(); code != 200 {
					t.Errorf("a new connection of somebody signed in: %d", code)
				}
				near, far := net.Pipe()
				defer near.Close()
				w.socket.come <- far
				local := &client{near, bufio.NewReader(near)}
				if err := local.send(get + "\r\n"); err != nil {
					t.Fatal(err)
				}
				if code, _ := local.status(); code != 200 {
					t.Errorf("the socket: %d", code)
				}
				if n := strings.Count(w.log.String(), "too many connections"); n != 1 {
					t.Errorf("%d warnings, want one", n)
				}
				state := w.server.State("page")
				if state.Full.IsZero() || state.Closed == 0 || !state.Exhausted.IsZero() {
					t.Errorf("the state is %+v", state)
				}
				time.Sleep(3 * grace)
				if state := w.server.State("page"); state.Open > 2 {
					t.Errorf("%d connections are left", state.Open)
				}
			})
		})
	}
}

// hostile 64: thousands of idle connections make room for new ones, and end by themselves. There are as many as the
// race detector has goroutines for.
func TestHostile64IdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 5000
		w := newWorld(t, limit, limit, readAll)
		for range limit + 100 {
			c := w.dial("192.0.2.1")
			if err := c.send(get + "\r\n"); err != nil {
				t.Fatal(err)
			}
			if code, _ := c.status(); code != 200 {
				t.Fatal(code)
			}
		}
		if s := w.server.State("page"); s.Open != limit || s.Closed != 100 || s.Refused != 0 {
			t.Errorf("with so many: %+v", s)
		}
		time.Sleep(idleTimeout + time.Second)
		if s := w.server.State("page"); s.Open != 0 {
			t.Errorf("after a while: %+v", s)
		}
	})
}

// The order of making room: idle before busy, of the client with the most connections. An answer to a signed-in client
// never makes room.
func TestWhoMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		w := newWorld(t, 4, 3, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hold" {
				<-hold
			}
		})
		defer close(hold)
		open := func(ip, head string) *client {
			c := w.dial(ip)
			if err := c.send(head + "\r\n"); err != nil {
				t.Fatal(err)
			}
			return c
		}
		holding := strings.Replace(get, "/", "/hold", 1)
		answer := open("192.0.2.1", holding+signed)
		quiet := open("192.0.2.1", get+signed)
		quiet.status()
		busy := open("192.0.2.1", holding)
		other := open("192.0.2.2", get)
		other.status()
		mine := open("192.0.2.1", get+signed) // the share is full: quiet goes, not other
		if !quiet.gone() || other.gone() || busy.gone() {
			t.Errorf("gone: quiet %v, other %v, busy %v", quiet.gone(), other.gone(), busy.gone())
		}
		mine.status()
		third := open("192.0.2.3", holding+signed) // all are open: mine goes, as its client has the most
		if !mine.gone() || other.gone() || busy.gone() {
			t.Errorf("gone: mine %v, other %v, busy %v", mine.gone(), other.gone(), busy.gone())
		}
		for range 2 {
			open("192.0.2.4", holding+signed) // busy goes, then other
		}
		if !busy.gone() || !other.gone() || answer.gone() || third.gone() {
			t.Errorf("gone: busy %v, other %v, answer %v, third %v", busy.gone(), other.gone(), answer.gone(),
				third.gone())
		}
		if late := w.dial("192.0.2.5"); !late.gone() || answer.gone() {
			t.Error("an answer to somebody signed in made room")
		}
		if s := w.server.State("page"); s.Open != 4 || s.Refused != 1 {
			t.Errorf("in the end: %+v", s)
		}
	})
}

// A proxy has no share. Each of its clients has one, of requests under way.
func TestSharesBehindAProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		w := newWorld(t, 100, 4, func(w http.ResponseWriter, _ *http.Request) { <-hold })
		ask := func(client string) *client {
			c := w.dial("10.0.0.1")
			if client != "" {
				client = "X-Forwarded-For: " + client + "\r\n"
			}
			if err := c.send(get + signed + client + "\r\n"); err != nil {
				t.Fatal(err)
			}
			return c
		}
		var all []*client
		for range 4 {
			all = append(all, ask("2001:db8::1"), ask("198.51.100.2"), ask(""), ask(""))
		}
		for _, one := range []string{"2001:db8::2", "198.51.100.2"} {
			c := ask(one)
			if code, _ := c.status(); code != http.StatusServiceUnavailable {
				t.Errorf("one more of %s: %d", one, code)
			}
		}
		all = append(all, ask("198.51.100.3"))
		close(hold)
		for i, c := range all {
			if code, text := c.status(); code != 200 {
				t.Errorf("request %d: %d %s", i, code, text)
			}
		}
		if code, text := ask("198.51.100.2").status(); code != 200 {
			t.Errorf("after the others: %d %s", code, text)
		}
	})
}

// hostile 64: without descriptors, idle connections are closed, and it is said once.
func TestHostile64DescriptorsRunOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 10, 10, readAll)
		idle := w.dial("192.0.2.1")
		if err := idle.send(get + "\r\n"); err != nil {
			t.Fatal(err)
		}
		idle.status()
		for range 3 {
			w.socket.fails <- &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
		}
		time.Sleep(10 * time.Second)
		if !idle.gone() {
			t.Error("the idle connection is still there")
		}
		if n := strings.Count(w.log.String(), "no descriptors left"); n != 1 {
			t.Errorf("%d warnings, want one", n)
		}
		if s := w.server.State("page"); s.Exhausted.IsZero() {
			t.Errorf("the state is %+v", s)
		}
		near, far := net.Pipe()
		defer near.Close()
		w.socket.come <- far // it goes on
		local := &client{near, bufio.NewReader(near)}
		if err := local.send(get + "\r\n"); err != nil {
			t.Fatal(err)
		}
		if code, _ := local.status(); code != 200 {
			t.Errorf("the socket: %d", code)
		}
	})
}

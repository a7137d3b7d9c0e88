package egresstest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// Serve starts a server that does to each connection what a test says, and then closes it. It returns the server's
// address. It ends with the test, which do need not wait for.
func Serve(t testing.TB, do func(net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				do(conn)
			}()
		}
	}()
	return l.Addr().String()
}

// Refusing returns an address of loopback at which connections are refused until the test ends. Nobody else can listen
// there meanwhile: a connection of the test's own has the port.
func Refusing(t testing.TB) (address string) {
	t.Helper()
	holder, err := net.Dial("tcp", Serve(t, Silent))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = holder.Close() })
	return holder.LocalAddr().String()
}

// ServeHTTP is Serve for a web server: do is called once the head of a request is read. It returns the server's URL,
// without a path.
func ServeHTTP(t testing.TB, do func(net.Conn)) (url string) {
	t.Helper()
	return "http://" + Serve(t, func(conn net.Conn) { AfterRequest(conn, do) })
}

// AfterRequest calls do once the head of an HTTP request is read from a connection.
func AfterRequest(conn net.Conn, do func(net.Conn)) {
	if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
		do(conn)
	}
}

// Says returns what writes a text.
func Says(text string) func(net.Conn) {
	return func(conn net.Conn) { _, _ = io.WriteString(conn, text) } // the other side may be gone
}

// Silent says nothing until the other side closes the connection.
func Silent(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// Endless returns what writes a start, and then a text again and again until the other side closes the connection.
func Endless(start, text string) func(net.Conn) {
	return func(conn net.Conn) {
		_, err := io.WriteString(conn, start)
		for err == nil {
			_, err = io.WriteString(conn, text)
		}
	}
}

// Dripping returns what writes a start, and then a byte each millisecond until the other side closes the connection.
func Dripping(start string) func(net.Conn) {
	return func(conn net.Conn) {
		_, err := io.WriteString(conn, start)
		for err == nil {
			time.Sleep(time.Millisecond) // slowness is what the other side is tried with; nothing waits for it
			_, err = conn.Write([]byte("x"))
		}
	}
}

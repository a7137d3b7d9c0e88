package server

import (
	"errors"
	"io"
	"time"
)

// body is a request's body. Its reads do not wait for ever; they fail with os.ErrDeadlineExceeded then.
type body struct {
	io.ReadCloser
	conn  *conn
	reads patience
}

// newBody begins to wait for a body: what nobody reads is waited for no longer than grace, when net/http passes it over
// before the next request.
func newBody(c *conn, b io.ReadCloser) *body {
	n := &body{b, c, newPatience()}
	_ = c.SetReadDeadline(n.reads.deadline(time.Now())) // fails for a closed connection alone, as reading will
	return n
}

// Read reads what has come, or waits for it.
func (b *body) Read(p []byte) (int, error) {
	began := time.Now()
	if err := b.conn.SetReadDeadline(b.reads.deadline(began)); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.reads.waited(time.Since(began), n)
	if errors.Is(err, io.EOF) {
		// From here on net/http reads only to find out whether the client is still there, for as long as the answer takes.
		_ = b.conn.SetReadDeadline(time.Time{})
		b.conn.table.enter(b.conn, answering)
	}
	return n, err
}

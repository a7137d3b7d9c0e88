package server

import (
	"errors"
	"io"
	"net/http"
	"time"

	"tidings/delivery/memory"
)

// body is a request's body. Its reads do not wait for ever; they fail with os.ErrDeadlineExceeded then. What has come
// counts as memory until the request has its answer: without room for it they fail with memory.ErrFull.
type body struct {
	io.ReadCloser
	conn   *conn
	reads  patience
	answer *memory.Answer
	head   http.Header // of the response
}

// newBody begins to wait for a body: what nobody reads is waited for no longer than grace, when net/http passes it over
// before the next request.
func newBody(c *conn, b io.ReadCloser, a *memory.Answer, head http.Header) *body {
	n := &body{b, c, newPatience(), a, head}
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
	if full := b.answer.Receive(int64(n)); full != nil {
		b.head.Set("Connection", "close") // else net/http waits for the rest before it answers
		return 0, full
	}
	if errors.Is(err, io.EOF) {
		// From here on net/http reads only to find out whether the client is still there. That lasts until the answer
		// is complete.
		_ = b.conn.SetReadDeadline(time.Time{})
		b.conn.table.enter(b.conn, answering)
	}
	return n, err
}

package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tidings"
)

// ErrNoNode says that no node listens at the socket.
var ErrNoNode = errors.New("no node is running")

// ErrEnded says that the node ended before it answered.
var ErrEnded = errors.New("the node ended before it answered")

// maxSocketPath is the longest path of a socket that every system accepts (macOS: 104 bytes with the end mark).
const maxSocketPath = 103

// SocketPath is where the node with its data in dir listens for its owner's commands.
func SocketPath(dir string) string { return filepath.Join(dir, "tidings.sock") }

// Error is what a node answers instead of what was asked. [errors.Is] finds the
// sentinels of package tidings behind its status.
type Error struct {
	Status int
	tidings.Failure
}

func (e *Error) Unwrap() error { return &e.Failure }

// Is reports whether the status is that of target, a sentinel of package tidings.
func (e *Error) Is(target error) bool {
	status := statusOf(target)
	return status != 0 && status == e.Status
}

// Client speaks to a node. Its methods do what the routes of the API do. It may be used
// by several goroutines at a time.
type Client struct {
	// Away is called once when a stream was cut off and will be tried until it is back; nil: nothing is.
	Away func(error)

	socket string
	http   *http.Client
	wait   backOff       // of Follow, as it begins
	silent time.Duration // a stream that says nothing for so long is dead
	answer time.Duration // a node that says nothing for so long while it is asked does not answer
}

// These bound how long a node may be silent during a request. A first poll of a channel that is found by another page
// may need two polls of two minutes each. A backup is one long silence.
const (
	answerWithin = 5 * time.Minute
	backupWithin = 6 * time.Hour
)

// Dial returns a client of the node that listens at a socket. Nothing is sent until a
// method is called; each of them returns [ErrNoNode] when nobody listens.
func Dial(socket string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		if len(socket) > maxSocketPath {
			return nil, fmt.Errorf("the socket's path has %d bytes, more than the %d that systems take: %s",
				len(socket), maxSocketPath, socket)
		}
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	return &Client{
		socket: socket,
		http:   &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true}},
		wait:   backOff{least: 250 * time.Millisecond, most: 10 * time.Second},
		silent: 45 * time.Second,
		answer: answerWithin,
	}
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request sends a request and returns the answer if it is one of success.
func (c *Client) request(ctx context.Context, method, path string, q url.Values, contentType string, body io.Reader,
	header http.Header) (*http.Response, error) {
	target := url.URL{Scheme: "http", Host: "localhost", Path: Base + path, RawQuery: q.Encode()}
	within := c.answer
	if path == "backup" {
		within = backupWithin
	}
	ctx, patience := impatient(ctx, within)
	if _, whole := body.(*bytes.Reader); body != nil && !whole {
		body = sent{body, patience}
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		patience.end()
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		patience.end()
		return nil, c.dialError(patience.why(err))
	}
	resp.Body = heard{resp.Body, patience}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, errorOf(resp)
}

func (c *Client) dialError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w at %s", ErrNoNode, c.socket)
	}
	if errors.Is(err, ErrNoAnswer) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return ErrEnded
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // the address is of no use to anyone
	}
	return fmt.Errorf("asking the node: %w", err)
}

func errorOf(resp *http.Response) error {
	var p problem
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(&p); err != nil || p.Error == "" {
		p.Error = "the node answered " + resp.Status
	}
	return &Error{resp.StatusCode, tidings.Failure{Hint: p.Hint, Err: errors.New(p.Error)}}
}

// get reads an answer into v.
func (c *Client) get(ctx context.Context, path string, q url.Values, v any) error {
	return c.do(ctx, http.MethodGet, path, q, nil, v)
}

// do sends body as JSON, if there is one or the method needs one. It reads the answer into v, if v is not nil.
func (c *Client) do(ctx context.Context, method, path string, q url.Values, body, v any) error {
	contentType, sent := "", io.Reader(nil)
	if method != http.MethodGet && method != http.MethodDelete {
		contentType = typeJSON
	}
	if body != nil {
		text, err := encode(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	resp, err := c.request(ctx, method, path, q, contentType, sent, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if v == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		return fmt.Errorf("reading the node's answer: %w", err)
	}
	return nil
}

func setText(q url.Values, name, value string) {
	if strings.TrimSpace(value) != "" {
		q.Set(name, value)
	}
}

func setTime(q url.Values, name string, t time.Time) {
	if !t.IsZero() {
		q.Set(name, t.UTC().Format(time.RFC3339Nano))
	}
}

func setNumber(q url.Values, name string, n int64) {
	if n != 0 {
		q.Set(name, strconv.FormatInt(n, 10))
	}
}

func setFlag(q url.Values, name string, on bool) {
	if on {
		q.Set(name, "true")
	}
}

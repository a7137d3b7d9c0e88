package fetch

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// maxAside bounds what is read of a body that is no document: an error page, to see
// what it is, or a redirect's, to use the connection again.
const maxAside = 16 << 10

var (
	acceptValue   = []string{"application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, text/html;q=0.8, */*;q=0.5"}
	encodingValue = []string{acceptEncoding}
	instanceValue = []string{"feed"}
)

// trip is one fetch on its way through redirects.
type trip struct {
	ask    Request
	first  target
	at     target
	valid  string // the address to which the validators belong
	hops   []Hop
	before []int // for each hop, cookies.changes when it was asked
	asked  int   // the same for where it is
	lasted bool  // every redirect so far was permanent, and none wanted a cookie
	wire   int64
	left   time.Duration // of Config.Total

	cookies cookies
}

// exchange makes one request for a trip. It returns the response that ends the trip, or
// nil if a redirect moved it on.
func (c *Client) exchange(ctx context.Context, t *trip) (*Response, error) {
	// A private host may be many things at once, such as a bridge to other sites.
	wide := c.config.Lab || !t.at.private()
	if until := c.patience.until(t.at, time.Now(), wide); !until.IsZero() {
		return nil, &LimitedError{Host: t.at.host, Until: until}
	}
	if c.hosts != nil {
		turn, err := c.hosts.acquire(ctx, t.at.host)
		if err != nil {
			return nil, err
		}
		defer c.hosts.release(turn)
	}
	began := time.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	w := newWatch(&c.config, began.Add(t.left), cancel)
	defer func() {
		t.left -= time.Since(began)
		w.stop()
	}()
	raw, conn, err := c.send(ctx, t)
	if err != nil {
		return nil, explain(t.at.host, broken(ctx, err))
	}
	body := &ending{ReadCloser: raw.Body}
	raw.Body = body
	defer func() { c.end(conn, body) }()
	if raw.StatusCode < http.StatusOK {
		// After 101 the body is the connection itself, and no context ends a read of it. The
		// other statuses below 200 announce an answer and are none.
		return nil, &StatusError{Status: raw.StatusCode, Host: t.at.host}
	}
	w.body()
	if lines(raw.Header) > c.config.MaxHeaderLines {
		return nil, fmt.Errorf("header of %s: %w", t.at.host, ErrTooLarge)
	}
	switch {
	case raw.StatusCode == http.StatusOK, raw.StatusCode == http.StatusIMUsed:
		return c.document(ctx, t, raw, w)
	case raw.StatusCode == http.StatusNotModified:
		t.drain(raw)
		return c.notModified(t, raw)
	case redirects(raw.StatusCode) && raw.Header.Get("Location") != "":
		t.drain(raw)
		t.cookies.keep(t.at, raw.Header)
		return nil, c.redirect(t, raw.Header.Get("Location"), raw.StatusCode)
	default:
		return nil, c.refusal(t, raw, w)
	}
}

// send sends one request and returns the answer, with the connection that it comes by. Just when a request is sent, an
// origin may close an unused connection, or say that it accepts no more requests on it. Then a new connection is made.
// What fails on a new one has failed.
func (c *Client) send(ctx context.Context, t *trip) (*http.Response, *conn, error) {
	if kept := c.pool.get(route{t.at.origin(), t.ask.Access.Proxy}); kept != nil {
		raw, err := c.sendBy(ctx, kept, t)
		if _, costly := errors.AsType[costError](err); err == nil || costly || ctx.Err() != nil {
			return raw, kept, err
		}
	}
	made, err := c.connect(ctx, t.at, t.ask.Access.Proxy, t.ask.Cost)
	if err != nil {
		return nil, nil, err
	}
	raw, err := c.sendBy(ctx, made, t)
	return raw, made, err
}

// sendBy is send by one connection, which is closed after an error.
func (c *Client) sendBy(ctx context.Context, by *conn, t *trip) (*http.Response, error) {
	by.meter.cost.Store(t.ask.Cost)
	err := t.ask.Cost.request()
	if err == nil {
		var raw *http.Response
		if raw, err = by.RoundTrip(c.request(ctx, t)); err == nil {
			return raw, nil
		}
	}
	by.close()
	return nil, err
}

// end ends an exchange. Its connection is used again if the answer came to its end: one that did not may still
// be under way, and nobody knows for how long.
func (c *Client) end(by *conn, body *ending) {
	if !body.ended {
		by.close()
	}
	_ = body.Close()
	switch {
	case !body.ended:
	case by.http1 == nil || by.http1.rest():
		c.pool.put(by)
	default: // it was the last answer, or another is left over that nobody asked for
		by.close()
	}
}

// ending is a body that notices its end.
type ending struct {
	io.ReadCloser
	ended bool
}

// Read is io.Reader's.
func (b *ending) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err == io.EOF
	return n, err
}

// broken prefers the reason for which this side broke an exchange off to the error that
// came of it.
func broken(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// drain reads the rest of a body that is no document, if it is short, so that the
// connection can be used again.
func (t *trip) drain(raw *http.Response) {
	n, _ := io.CopyN(io.Discard, raw.Body, maxAside)
	t.wire += n
}

// request builds the request of one exchange. It has no Referer unless the channel has one of its own. Its only cookies
// are the channel's own and those that were set on the way.
func (c *Client) request(ctx context.Context, t *trip) *http.Request {
	h := http.Header{
		"User-Agent":      c.agent,
		"Accept":          acceptValue,
		"Accept-Encoding": encodingValue,
	}
	pairs := t.cookies.pairs(t.at)
	if own := t.ask.Access; t.at.origin() == t.first.origin() {
		if own.User != "" || own.Password != "" {
			secret := base64.StdEncoding.EncodeToString([]byte(own.User + ":" + own.Password))
			h["Authorization"] = []string{"Basic " + secret}
		}
		sendOwn(h, own.Headers)
		pairs = beside(own.Cookies, pairs)
	}
	if len(pairs) > 0 {
		h["Cookie"] = []string{strings.Join(pairs, "; ")}
	}
	t.asked = t.cookies.changes
	if t.validates() {
		if etag := t.ask.ETag; etag != "" && httpguts.ValidHeaderFieldValue(etag) {
			h["If-None-Match"] = []string{etag}
			if t.ask.Delta {
				h["A-Im"] = instanceValue
			}
		}
		if date := t.ask.LastModified; date != "" && httpguts.ValidHeaderFieldValue(date) {
			h["If-Modified-Since"] = []string{date}
		}
	}
	req := &http.Request{
		Method: http.MethodGet, URL: t.at.url, Host: t.at.url.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	return req.WithContext(ctx)
}

// validates reports whether the validators belong to where the trip is.
func (t *trip) validates() bool {
	return (t.ask.ETag != "" || t.ask.LastModified != "") && t.at.text == t.valid
}

func lines(h http.Header) (n int) {
	for _, values := range h {
		n += len(values)
	}
	return n
}

// document reads the body of an answer that brings one.
func (c *Client) document(ctx context.Context, t *trip, raw *http.Response, w *watch) (*Response, error) {
	body, n, err := readBody(raw, w, &c.config, c.config.MaxBody)
	t.wire += n
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, explain(t.at.host, cause)
	}
	if err != nil {
		return nil, fmt.Errorf("document of %s: %w", t.at.host, err)
	}
	if mark := challengeMark(raw.StatusCode, raw.Header, body); mark != "" {
		return nil, &ChallengeError{Status: raw.StatusCode, Host: t.at.host, Mark: mark}
	}
	if len(body) == 0 {
		return nil, fmt.Errorf("%s: %w", t.at.host, ErrEmpty)
	}
	return t.response(raw, body), nil
}

func (c *Client) notModified(t *trip, raw *http.Response) (*Response, error) {
	if !t.validates() {
		return nil, fmt.Errorf("%s answered %w", t.at.host, ErrUnasked)
	}
	return t.response(raw, nil), nil
}

func (t *trip) response(raw *http.Response, body []byte) *Response {
	res := &Response{
		URL:    t.at.text,
		Status: raw.StatusCode,
		Header: raw.Header,
		Body:   body,
		Hops:   t.hops,
		Wire:   t.wire,
	}
	if v := raw.Header["Etag"]; len(v) > 0 {
		res.ETag = v[0]
	}
	if v := raw.Header["Last-Modified"]; len(v) > 0 {
		res.LastModified = v[0]
	}
	if v := raw.Header["Date"]; len(v) > 0 {
		res.Date, _ = http.ParseTime(v[0])
	}
	if t.lasted && len(t.hops) > 0 {
		res.Permanent = res.URL
	}
	return res
}

// refusal says what an answer means that brings no document, and remembers what it asks for.
func (c *Client) refusal(t *trip, raw *http.Response, w *watch) error {
	var start []byte
	if mayChallenge(raw.StatusCode) {
		// Only its beginning matters, so that its end need not be in order.
		start = readStart(raw, w, maxAside)
	}
	t.drain(raw)
	now := time.Now()
	after := askedWait(raw.Header, now)
	if after > 0 && (raw.StatusCode == http.StatusTooManyRequests || raw.StatusCode == http.StatusServiceUnavailable) {
		c.patience.note(t.at, now.Add(after))
	}
	if mark := challengeMark(raw.StatusCode, raw.Header, start); mark != "" {
		return &ChallengeError{Status: raw.StatusCode, Host: t.at.host, Mark: mark, After: after}
	}
	return &StatusError{Status: raw.StatusCode, Host: t.at.host, After: after}
}

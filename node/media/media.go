// Package media requests sound and video that people play on the page from origins, and passes it on: nothing is kept.
// It sends a request when a person presses play, for the range that the player wants.
//
// A file's address is a stranger's: package egress decides where the node connects. A file is sound or video by its
// first bytes. Where a player begins further on, these are asked for first, and what they say is remembered.
package media

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"tidings"
	"tidings/egress"
	"tidings/markup"
	"tidings/source/media"
)

// Bounds.
const (
	maxAddress = 2048             // bytes of an address
	maxHeader  = 32 << 10         // bytes of the header of an answer
	maxBytes   = 16 << 30         // of one stream
	maxHops    = 8                // redirects: those of podcasts lead through several that count
	maxKnown   = 4096             // addresses of which the kind is remembered
	headTime   = 20 * time.Second // until the header of an answer has come, with all redirects, and the first bytes
	idleTime   = 30 * time.Second // that an origin may send nothing while its reader waits
)

// Why nothing is played.
var (
	ErrKind  = errors.New("neither sound nor video that browsers play")
	ErrRange = errors.New("the file has no such range")
)

// Config says how origins are asked.
type Config struct {
	Guard egress.Guard
	Agent string // User-Agent
}

// Client asks origins. It may be used by several at a time.
type Client struct {
	agent  string
	client *http.Client
	idle   time.Duration

	mu    sync.Mutex
	known map[string]string // kinds by address, as they were asked for

	listed map[string]*listed // chapters, by the addresses of their documents
}

// New returns a client.
func New(c Config) *Client {
	return &Client{agent: c.Agent, client: egress.Client(c.Guard.Transport(maxHeader)), idle: idleTime,
		known: make(map[string]string), listed: make(map[string]*listed)}
}

// Stream is what an origin sends of a file.
type Stream struct {
	Type   string // audio/… or video/…
	Range  string // Content-Range, if it is a part
	Length int64  // bytes that follow; -1: unknown
	Ranges bool   // the origin answers ranges
	Body   io.ReadCloser
}

// Open asks for a file, or a range of it ("bytes=…"); "" for all of it. The caller closes the stream. It ends with ctx,
// and where the origin sends nothing for 30 seconds while its reader waits.
func (c *Client) Open(ctx context.Context, address, wanted string) (Stream, error) {
	address = clean(address)
	if address == "" {
		return Stream{}, tidings.Invalidf("this address has no sound or video")
	}
	s, err := c.open(ctx, address, wanted)
	if err != nil {
		return Stream{}, &tidings.Failure{Op: "fetching sound or video", Address: address, Err: err}
	}
	return s, nil
}

func (c *Client) open(ctx context.Context, address, wanted string) (Stream, error) {
	a, err := c.ask(ctx, address, wanted)
	if err != nil {
		return Stream{}, err
	}
	if a.first > 0 {
		if a.Type, err = c.kindOf(ctx, address); err != nil {
			a.Body.Close()
			return Stream{}, err
		}
	}
	return a.Stream, nil
}

// kindOf returns the kind of a file, by its first bytes if it is not known.
func (c *Client) kindOf(ctx context.Context, address string) (string, error) {
	c.mu.Lock()
	kind, ok := c.known[address]
	c.mu.Unlock()
	if ok {
		return kind, nil
	}
	a, err := c.ask(ctx, address, fmt.Sprintf("bytes=0-%d", media.Head-1))
	if err != nil {
		return "", err
	}
	a.Body.Close()
	if a.first > 0 {
		return "", errors.New("the origin sends another range than it is asked for")
	}
	return a.Type, nil
}

func (c *Client) note(address, kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxKnown {
		clear(c.known)
	}
	c.known[address] = kind
}

// answer is a stream with the place of its first byte in the file. Its type is known if that is 0.
type answer struct {
	Stream
	first int64
}

// ask asks for a file, or a range of it.
func (c *Client) ask(ctx context.Context, address, wanted string) (answer, error) {
	ctx, end := context.WithCancel(ctx)
	patience := time.AfterFunc(headTime, end)
	res, err := c.follow(ctx, address, "audio/*, video/*, */*;q=0.1", wanted)
	if err != nil {
		end()
		return answer{}, err
	}
	a, err := c.accept(res, address, end)
	if err != nil {
		res.Body.Close()
		end()
		return answer{}, err
	}
	if !patience.Stop() {
		a.Body.Close()
		return answer{}, errors.New("the origin is too slow")
	}
	return a, nil
}

// follow makes requests until one is answered with something else than a redirect.
func (c *Client) follow(ctx context.Context, address, accepted, wanted string) (*http.Response, error) {
	at := address
	for range maxHops {
		res, err := c.once(ctx, at, accepted, wanted)
		if err != nil {
			return nil, err
		}
		next, moved, err := redirect(res, at)
		if !moved && err == nil {
			return res, nil
		}
		res.Body.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return nil, fmt.Errorf("more than %d redirects", maxHops)
}

func (c *Client) once(ctx context.Context, at, accepted, wanted string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	r.Header.Set("User-Agent", c.agent)
	r.Header.Set("Accept", accepted)
	r.Header.Set("Accept-Encoding", "identity")
	if wanted != "" {
		r.Header.Set("Range", wanted)
	}
	res, err := c.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("asking the origin: %w", err)
	}
	return res, nil
}

// redirect returns where an answer leads.
func redirect(res *http.Response, from string) (next string, moved bool, err error) {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
	default:
		return "", false, nil
	}
	base, err := url.Parse(from)
	if err != nil {
		return "", true, fmt.Errorf("reading an address: %w", err)
	}
	to, err := base.Parse(res.Header.Get("Location"))
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" || len(to.String()) > 2*maxAddress {
		return "", true, errors.New("a redirect leads to no web address")
	}
	if base.Scheme == "https" && to.Scheme == "http" {
		return "", true, errors.New("a redirect leads from https to http")
	}
	to.User, to.Fragment, to.RawFragment = nil, "", ""
	return to.String(), true, nil
}

// accept makes a stream of an answer, and checks what it is. end ends the request.
func (c *Client) accept(res *http.Response, address string, end context.CancelFunc) (answer, error) {
	a := answer{Stream: Stream{Length: res.ContentLength, Ranges: res.Header.Get("Accept-Ranges") == "bytes"}}
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusPartialContent:
		first, ok := firstByte(res.Header.Get("Content-Range"))
		if !ok {
			return a, errors.New("the origin sends a part of a file, and not which")
		}
		a.first, a.Range, a.Ranges = first, res.Header.Get("Content-Range"), true
	case http.StatusRequestedRangeNotSatisfiable:
		return a, ErrRange
	default:
		return a, fmt.Errorf("the origin answered %d", res.StatusCode)
	}
	if coding := res.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return a, errors.New("the origin sends the file compressed")
	}
	if a.Length > maxBytes {
		return a, fmt.Errorf("the file has %d bytes", a.Length)
	}
	body := bufio.NewReaderSize(res.Body, max(media.Head, 32<<10))
	if a.first == 0 {
		head, err := body.Peek(media.Head)
		if err != nil && !errors.Is(err, io.EOF) {
			return a, fmt.Errorf("reading the first bytes: %w", err)
		}
		if a.Type = media.Type(head); a.Type == "" {
			return a, ErrKind
		}
		c.note(address, a.Type)
	}
	a.Body = &stream{from: io.LimitReader(body, maxBytes), body: res.Body, end: end, idle: c.idle}
	return a, nil
}

// firstByte returns where a range of bytes begins: "bytes FIRST-LAST/ALL".
func firstByte(text string) (int64, bool) {
	span, ok := strings.CutPrefix(text, "bytes ")
	if !ok || len(text) > 80 || strings.ContainsAny(text, "\r\n") {
		return 0, false
	}
	first, rest, _ := strings.Cut(span, "-")
	last, _, whole := strings.Cut(rest, "/")
	from, err := strconv.ParseInt(first, 10, 64)
	to, wrong := strconv.ParseInt(last, 10, 64)
	return from, whole && err == nil && wrong == nil && from >= 0 && to >= from
}

// stream reads what an origin sends, and ends where that sends nothing for too long.
type stream struct {
	from io.Reader
	body io.Closer
	end  context.CancelFunc
	idle time.Duration
}

// Read reads up to len(p) bytes. Only while it waits for the origin does that use up patience: a reader may pause.
func (s *stream) Read(p []byte) (int, error) {
	patience := time.AfterFunc(s.idle, s.end)
	defer patience.Stop()
	return s.from.Read(p)
}

// Close ends the request.
func (s *stream) Close() error {
	s.end()
	return s.body.Close()
}

// clean returns an address as it is requested, without parameters that count readers; "" for one that has nothing to
// play.
func clean(address string) string {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxAddress || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	u.RawQuery = markup.Uncounted(u.RawQuery)
	return u.String()
}

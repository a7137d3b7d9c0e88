package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
	"tidings/node"
)

// passing are the faults that a soak alternates between. Those that end, or move, a channel for good are not among
// them.
var passing = []origin.FaultKind{
	"slow", "silent", "switching", "truncated", "too-long", "negative-length", "chunk-cut", "reset",
	"reset-middle", "bomb",
	"double-gzip", "many-headers", "500", "404", "429", "503", "302", "307", "loop", "chain", "empty", "login",
	"challenge", "charset", "type", "304", "same-etag", "future", "noise",
}

// faultFor is how long a document misbehaves.
const faultFor = time.Second

// misbehave keeps one document in a hundred faulty, each time others.
func (s *soak) misbehave(ctx context.Context) error {
	chance := rand.New(rand.NewPCG(1, 0))
	for round := 0; ctx.Err() == nil; round++ {
		faulty := make([]string, max(len(s.names)/100, 1))
		for i := range faulty {
			faulty[i] = s.names[chance.IntN(len(s.names))]
			if err := s.origin.Fail(faulty[i], origin.Fault{Kind: passing[(round+i)%len(passing)]}); err != nil {
				return err
			}
		}
		_ = sleep(ctx, faultFor) // the documents are healed in any case
		for _, name := range faulty {
			if err := s.origin.Heal(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// client is somebody at one node.
type client struct {
	soak *soak
	node *node.Node
	data string // the node's folder
	seed uint64
}

// kinds returns what clients do until ctx ends: the node's failing them then is no error.
func (c client) kinds() []func(ctx context.Context) error {
	return []func(context.Context) error{c.follow, c.read, c.change, c.say, c.ignore}
}

// follow listens to updates for a second or two, and again.
func (c client) follow(ctx context.Context) error {
	for ctx.Err() == nil {
		listening, cancel := context.WithTimeout(ctx, time.Second+time.Duration(c.seed)*300*time.Millisecond)
		dialled := api.Dial(api.SocketPath(c.data))
		err := dialled.Follow(listening, api.FromNow, time.Time{}, func(tidings.Update) error { return nil })
		dialled.Close()
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("following the stream: %w", err)
		}
	}
	return nil
}

// read asks for pages, feeds and figures, one after the other.
func (c client) read(ctx context.Context) error {
	browser := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
	defer browser.CloseIdleConnections()
	for i := int(c.seed); sleep(ctx, 100*time.Millisecond) == nil; i++ {
		channel := url.QueryEscape(c.soak.base + c.soak.names[i%len(c.soak.names)])
		for _, path := range []string{"/", "/feed?url=" + channel, "/channel?url=" + channel, "/metrics",
			"/api/v1/updates?limit=20"} {
			if err := get(ctx, browser, c.node.URL()+path); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
	return nil
}

func get(ctx context.Context, browser *http.Client, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := browser.Do(request)
	if err != nil {
		return fmt.Errorf("asking for %s: %w", address, err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return fmt.Errorf("reading %s: %w", address, err)
	}
	// it may say that it has too much to do
	if answer.StatusCode >= 500 && answer.StatusCode != http.StatusServiceUnavailable {
		return fmt.Errorf("asking for %s: %s", address, answer.Status)
	}
	return nil
}

// changeEvery is how often a client changes what is followed: a new subscription brings all items of a feed.
const changeEvery = 10 * time.Second

// change unsubscribes from a channel and follows it again.
func (c client) change(ctx context.Context) error {
	chance := rand.New(rand.NewPCG(c.seed, 1))
	for sleep(ctx, changeEvery) == nil {
		address := c.soak.base + c.soak.names[chance.IntN(len(c.soak.names))]
		err := c.node.Unsubscribe(ctx, tidings.Owner, address)
		if err != nil && !errors.Is(err, tidings.ErrNotFollowed) && ctx.Err() == nil {
			return fmt.Errorf("unsubscribing from %s: %w", address, err)
		}
		errs, err := c.node.SubscribeLater(ctx, tidings.Owner, []tidings.SubscribeRequest{{URL: address}})
		err = errors.Join(append(errs, err)...)
		// another client has just left it
		if err != nil && !errors.Is(err, tidings.ErrNotFollowed) && ctx.Err() == nil {
			return fmt.Errorf("subscribing to %s: %w", address, err)
		}
	}
	return nil
}

// say sends a request byte by byte and never ends it; when the node has had enough, it begins again.
func (c client) say(ctx context.Context) error {
	return c.connect(ctx, func(conn net.Conn) {
		_, err := io.WriteString(conn,
			"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+
				"application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n")
		for err == nil && sleep(ctx, 200*time.Millisecond) == nil {
			_, err = io.WriteString(conn, "a")
		}
	})
}

// ignore asks for the stream of updates and reads nothing of it.
func (c client) ignore(ctx context.Context) error {
	return c.connect(ctx, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
		_ = sleep(ctx, 5*time.Second)
	})
}

// connect calls f with one connection after the other.
func (c client) connect(ctx context.Context, f func(net.Conn)) error {
	var dialer net.Dialer
	for ctx.Err() == nil {
		conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(c.node.URL(), "http://"))
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("connecting to the page: %w", err)
		}
		f(conn)
		_ = conn.Close() // it was to be broken off
		_ = sleep(ctx, 100*time.Millisecond)
	}
	return nil
}

package source

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/source/page"
)

// silent is an origin that answers each request with 101 Switching Protocols, and says nothing more.
func silent(t *testing.T) (url string) {
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
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.WriteString(conn,
						"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
					_, _ = io.Copy(io.Discard, conn)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// settled announces each result.
type settled struct {
	mu      sync.Mutex
	results map[string]tidings.Poll
	changed chan struct{} // of size 1
}

func (s *settled) RecordPoll(_ context.Context, w Job, r Result) error {
	s.mu.Lock()
	s.results[w.URL] = r.Poll
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return nil
}

func (s *settled) Job(context.Context, string) (Job, error) { return Job{}, tidings.ErrNotFollowed }

func (s *settled) of(url string) (tidings.Poll, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.results[url]
	return l, ok
}

func (s *settled) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.results)
}

// hostile 62: 504 addresses that answer 101 and then nothing, twice as many as there are slots, fail and hold
// nothing up.
func TestHostile62ManySilentOrigins(t *testing.T) {
	const many = 504
	base := silent(t)
	good := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = io.WriteString(w, rssOf("<item><title>One</title></item>"))
	}))
	defer good.Close()
	settings := fetch.Default()
	settings.Lab = true
	client, err := fetch.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	poller := &Poller{Fetch: client.Fetch, Library: &shelf{}, Plan: fetch.DefaultPlan(), NodeID: "node",
		Feed: feed.Default(), Page: page.Default()}
	sink, schedule := &settled{results: map[string]tidings.Poll{}, changed: make(chan struct{}, 1)}, DefaultSchedule()
	schedule.PerHost = 0
	x := NewScheduler(poller.Poll, sink, schedule, slog.New(slog.DiscardHandler))
	start := time.Now()
	for i := range many {
		x.Add(channelAt(fmt.Sprintf("%s/%d", base, i), start.Add(time.Duration(i)))) // before the good one
	}
	x.Add(channelAt(good.URL, start.Add(many)))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { x.Run(ctx); close(done) }()
	for sink.count() < many+1 {
		<-sink.changed
	}
	if l, _ := sink.of(good.URL); l.Outcome != tidings.OutcomeChanged {
		t.Errorf("the good origin: %+v", l)
	}
	if l, _ := sink.of(base + "/0"); l.Outcome != tidings.OutcomeFailed || l.Status != http.StatusSwitchingProtocols {
		t.Errorf("a silent origin: %+v", l)
	}
	cancel()
	<-done
}

package fulltext

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/source/fetch"
	"tidings/store/fulltext"
)

// texts is a store of orders by item.
type texts struct {
	mu     sync.Mutex
	orders map[int64]fulltext.Order
	due    map[int64]time.Time
	kept   map[int64]string
	short  map[int64]bool
	why    map[int64]string
	ended  chan int64 // has each item that was kept or failed
}

func newTexts() *texts {
	return &texts{orders: map[int64]fulltext.Order{}, due: map[int64]time.Time{}, kept: map[int64]string{},
		short: map[int64]bool{}, why: map[int64]string{}, ended: make(chan int64, 100)}
}

func (s *texts) want(o fulltext.Order) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orders[o.Item], s.due[o.Item] = o, time.Now()
}

func (s *texts) Ask(_ context.Context, _ tidings.AccountID, item int64, again bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, kept := s.kept[item]; !kept || again {
		s.due[item] = time.Now()
	}
	return nil
}

func (s *texts) Due(_ context.Context, now time.Time, item int64, most int) (all []fulltext.Order, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for of, at := range s.due {
		if (item == 0 || of == item) && !at.IsZero() && !at.After(now) && len(all) < most {
			all = append(all, s.orders[of])
		}
	}
	return all, nil
}

func (s *texts) Next(context.Context) (first time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.due {
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first, nil
}

func (s *texts) Keep(_ context.Context, item int64, content string, shorter bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[item], s.short[item] = content, shorter
	delete(s.due, item)
	s.ended <- item
	return nil
}

func (s *texts) Fail(_ context.Context, item int64, why string, again time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why[item], s.due[item] = why, again
	o := s.orders[item]
	o.Tries++
	s.orders[item] = o
	s.ended <- item
	return nil
}

func open(t *testing.T, s Store, ask func(ctx context.Context, address string, private bool) (*fetch.Response, error)) (
	*Reader, func()) {
	t.Helper()
	stored := make(chan struct{})
	r, err := New(Config{Store: s, Fetch: ask, Stored: func() <-chan struct{} { return stored },
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return r, func() { close(stored) }
}

var page = "<html><head><title>T</title></head><body><article><h1>T</h1>" +
	strings.Repeat("<p>"+strings.Repeat("A long sentence, with a comma, of the whole text. ", 8)+"</p>", 5) +
	"</article></body></html>"

// Pages come from a real server. A page that does not come has its reason shown to readers.
func TestReader(t *testing.T) {
	var asked atomic.Int64
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/page":
			fmt.Fprint(w, page)
		case "/wall":
			fmt.Fprint(w, "<html><body><p>Please sign in.</p></body></html>")
		case "/short":
			fmt.Fprint(w, "<html><body><article><p>"+strings.Repeat("Twenty words of a wall that asks to sign in. ", 4)+
				"</p></article></body></html>")
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "\x89PNG")
		case "/busy":
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(503)
		default:
			w.WriteHeader(403)
		}
	}))
	defer origin.Close()
	config := fetch.Default()
	config.Lab = true
	client, err := fetch.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s := newTexts()
	long := "<p>" + strings.Repeat("what the feed has is more than that ", 20) + "</p>"
	for i, path := range []string{"/page", "/wall", "/short", "/picture", "/busy", "/forbidden"} {
		s.want(fulltext.Order{Item: int64(i + 1), Channel: origin.URL + "/feed", URL: origin.URL + path, Feed: long})
	}
	s.want(fulltext.Order{Item: 7, Channel: origin.URL + "/feed", URL: "ftp://host/file"})
	r, _ := open(t, s, func(ctx context.Context, address string, private bool) (*fetch.Response, error) {
		if !private {
			t.Errorf("%s is on the host of the channel", address)
		}
		return client.Fetch(ctx, fetch.Request{URL: address})
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { r.Run(ctx); close(ended) }()
	for range 7 {
		<-s.ended
	}
	stop()
	<-ended
	if asked.Load() != 6 {
		t.Errorf("%d requests for 6 pages", asked.Load())
	}
	if !strings.Contains(s.kept[1], "whole text") || s.short[1] {
		t.Errorf("the page: %q, shorter %v", s.kept[1], s.short[1])
	}
	if s.kept[3] == "" || !s.short[3] {
		t.Errorf("what says less than the feed: %q, shorter %v", s.kept[3], s.short[3])
	}
	for item, want := range map[int64]string{2: "no article text was found", 4: "the address has no web page",
		5: "the page answered 503 (Service Unavailable)",
		6: "the page answered 403 (Forbidden)", 7: "the item has no link to a page"} {
		if s.why[item] != want {
			t.Errorf("item %d: %q, want %q", item, s.why[item], want)
		}
		if again := s.due[item]; again.IsZero() != (item != 5) || item == 5 && time.Until(again) < 100*time.Minute {
			t.Errorf("item %d: again at %v", item, again)
		}
	}
}

// However many ask at once, a page is fetched once. A request with again fetches it again. A requester that leaves does
// not end it for others.
func TestAsk(t *testing.T) {
	s, release := newTexts(), make(chan struct{})
	var asked atomic.Int64
	s.orders[1] = fulltext.Order{Item: 1, Channel: "https://a.example/feed", URL: "https://b.example/1"}
	r, _ := open(t, s, func(ctx context.Context, address string, private bool) (*fetch.Response, error) {
		if private {
			t.Error("another host is asked as if somebody here had chosen it")
		}
		asked.Add(1)
		<-release
		return &fetch.Response{URL: address, Status: 200, Header: http.Header{"Content-Type": {"text/html"}},
			Body: []byte(page)}, nil
	})
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- r.Ask(leaving, 1, 1, false) }()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := r.Ask(t.Context(), 2, 1, false); err != nil {
				t.Error(err)
			}
		})
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who leaves gets %v", err)
	}
	close(release)
	all.Wait()
	if asked.Load() != 1 || s.kept[1] == "" {
		t.Errorf("%d requests, %q", asked.Load(), s.kept[1])
	}
	for again, want := range map[bool]int64{false: 1} {
		if err := r.Ask(t.Context(), 1, 1, again); err != nil || asked.Load() != want {
			t.Errorf("%d requests, %v", asked.Load(), err)
		}
	}
	if err := r.Ask(t.Context(), 1, 1, true); err != nil || asked.Load() != 2 {
		t.Errorf("again: %d requests, %v", asked.Load(), err)
	}
}

// More than maxAsked people at once are refused, and no request is made for them.
func TestAskIsBounded(t *testing.T) {
	s, release, begun := newTexts(), make(chan struct{}), make(chan struct{}, maxAsked)
	for i := range int64(maxAsked + 1) {
		s.orders[i] = fulltext.Order{Item: i, Channel: "https://a.example/feed",
			URL: fmt.Sprintf("https://a.example/%d", i)}
	}
	r, _ := open(t, s, func(ctx context.Context, address string, _ bool) (*fetch.Response, error) {
		begun <- struct{}{}
		<-release
		return nil, &fetch.StatusError{Status: 404, Host: "a.example"}
	})
	var all sync.WaitGroup
	for i := range int64(maxAsked) {
		all.Go(func() { _ = r.Ask(t.Context(), 1, i+1, false) })
	}
	for range maxAsked {
		<-begun
	}
	if err := r.Ask(t.Context(), 1, 0, false); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("one too many: %v", err)
	}
	close(release)
	all.Wait()
	if len(s.due) != maxAsked {
		t.Errorf("%d are noted, of %d that may be", len(s.due), maxAsked)
	}
}

// What may go better is tried again, with growing pauses, and ends.
func TestJudge(t *testing.T) {
	now := time.Now()
	gone := &fetch.NetworkError{Words: "no such host", Err: errors.New("x")}
	for tries, want := range []time.Duration{10 * time.Minute, 40 * time.Minute, 0, 0} {
		why, again := judge(gone, tries, now)
		if again.IsZero() != (want == 0) || want > 0 && again.Sub(now) != want ||
			!strings.Contains(why, "no such host") {
			t.Errorf("after %d: %s, in %v", tries, why, again.Sub(now))
		}
	}
	if _, again := judge(&fetch.LimitedError{Host: "x", Until: now.Add(9 * time.Hour)}, 60,
		now); again.Sub(now) != 9*time.Hour {
		t.Errorf("a host that asked to be left alone is asked in %v", again.Sub(now))
	}
	if _, again := judge(&fetch.StatusError{Status: 429, After: 48 * time.Hour}, 0,
		now); again.Sub(now) != longestPause {
		t.Errorf("in %v", again.Sub(now))
	}
	for _, err := range []error{fetch.ErrForbidden, fetch.ErrPort, fetch.ErrTooLarge, &fetch.ChallengeError{Host: "x"},
		fetch.ErrBomb} {
		if why, again := judge(err, 0, now); !again.IsZero() || why == "" {
			t.Errorf("%v: %s, again %v", err, why, again)
		}
	}
}

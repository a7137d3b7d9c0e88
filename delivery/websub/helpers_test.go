package websub

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/egress"
)

const (
	hubURL  = "https://hub.example/hub"
	topicA  = "https://news.example/feed"
	atom    = "application/atom+xml; charset=utf-8"
	content = "<feed>one</feed>"
)

// patience is so long that, on any machine, only an exchange that never ends exceeds it.
const patience = 10 * time.Minute

var testTime = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// world is a hub with all that it works with: topics, a store in memory and a clock that tests set.
type world struct {
	t   testing.TB
	hub *Hub

	mu        sync.Mutex
	now       time.Time
	documents map[string]Document
	refused   map[string]error // topics that are not admitted
	polled    []string
	stored    map[[2]string]tidings.HubSubscription
	targets   int64
	reads     int             // of documents
	puts      int             // subscriptions that were stored, or stored anew
	changed   chan struct{}   // closed, and made anew, when stored differs
	version   tidings.Version // of all topics
}

// newWorld returns a hub that runs, and may connect to this machine.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{
		t: t, now: testTime, changed: make(chan struct{}), stored: make(map[[2]string]tidings.HubSubscription),
		documents: map[string]Document{topicA: {Body: []byte(content), ContentType: atom, Version: 1}}, version: 1,
		refused: make(map[string]error),
	}
	w.hub = New(Config{
		Store: w, Topics: w, URL: hubURL, Now: w.clock, Guard: egress.ForMessages(true),
	})
	w.hub.timeout = patience
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); w.hub.Run(ctx) }()
	for w.running() == nil {
		time.Sleep(time.Millisecond) // until Run has begun
	}
	t.Cleanup(func() { cancel(); <-ended })
	return w
}

func (w *world) running() context.Context {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return w.hub.ctx
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) Admit(_ context.Context, topic string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refused[topic]
}

func (w *world) Follow(_ context.Context, topic string) (string, error) {
	return Key(topic), w.Admit(context.Background(), topic)
}

func (w *world) Document(_ context.Context, topic, _ string) (Document, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	return w.documents[Key(topic)], nil
}

func (w *world) Published(topic string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.polled = append(w.polled, topic)
}

func (w *world) HubSubscription(_ context.Context, target int64) (tidings.HubSubscription, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.stored {
		if s.Target == target {
			return s, nil
		}
	}
	return tidings.HubSubscription{}, tidings.ErrNotFound
}

func (w *world) PutHubSubscription(_ context.Context, topic, callback string, s tidings.HubSubscription,
	b tidings.HubBounds) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := [2]string{topic, callback}
	old, had := w.stored[key]
	if !had && len(w.stored) >= b.All {
		return tidings.Invalidf("the hub has too many subscriptions")
	}
	if s.Target = old.Target; !had {
		w.targets++
		s.Target = w.targets
	}
	w.stored[key] = s
	w.puts++
	w.ring()
	return nil
}

func (w *world) RemoveHubSubscription(_ context.Context, topic, callback string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.stored, [2]string{topic, callback})
	w.ring()
	return nil
}

func (w *world) ring() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// subscription returns what is stored of a topic and a callback; its Target is 0 if nothing is.
func (w *world) subscription(topic, callback string) tidings.HubSubscription {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stored[[2]string{Key(topic), Key(callback)}]
}

// await waits until something is stored that is as it is to be.
func (w *world) await(topic, callback string, is func(tidings.HubSubscription) bool) tidings.HubSubscription {
	w.t.Helper()
	for {
		w.mu.Lock()
		s, changed := w.stored[[2]string{Key(topic), Key(callback)}], w.changed
		w.mu.Unlock()
		if is(s) {
			return s
		}
		select {
		case <-changed:
		case <-w.t.Context().Done():
			w.t.Fatal("it was never stored")
		}
	}
}

func there(s tidings.HubSubscription) bool { return s.Target != 0 }
func gone(s tidings.HubSubscription) bool  { return s.Target == 0 }

// post sends a request to the hub.
func (w *world) post(form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, hubURL, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := httptest.NewRecorder()
	w.hub.ServeHTTP(answer, r)
	return answer
}

// ask sends a request to the hub, which must accept it.
func (w *world) ask(form url.Values) {
	w.t.Helper()
	if answer := w.post(form); answer.Code != http.StatusAccepted || answer.Body.Len() != 0 {
		w.t.Fatalf("%v: %d %s", form, answer.Code, answer.Body)
	}
}

func asking(mode mode, topic, callback string, more ...string) url.Values {
	form := url.Values{"hub.mode": {string(mode)}, "hub.topic": {topic}, "hub.callback": {callback}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

// change makes new content of a topic, and delivers it to all of its subscriptions. It returns their errors, none of
// which is nil.
func (w *world) change(topic, kind, body string) (errs []error) {
	w.mu.Lock()
	w.version++
	w.documents[topic] = Document{Body: []byte(body), ContentType: kind, Version: w.version}
	var all []tidings.HubSubscription
	for _, s := range w.stored {
		if s.Channel == topic {
			all = append(all, s)
		}
	}
	version := w.version
	w.mu.Unlock()
	for _, s := range all {
		if err := w.deliver(s.Target, version); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func (w *world) deliver(target int64, version tidings.Version) error {
	return w.hub.Send(context.Background(), tidings.Target{ID: target},
		outbox.Message{Update: tidings.Update{ID: int64(version), Version: version}})
}

// received is a request that a callback has got.
type received struct {
	method, path string
	query        url.Values
	header       http.Header
	body         string
}

// subscriber is a callback that notes all that it gets. It confirms what it is asked, unless confirm says otherwise.
type subscriber struct {
	*httptest.Server
	requests chan received
	mu       sync.Mutex
	confirm  http.HandlerFunc
	status   int // of answers to deliveries
}

func newSubscriber(t testing.TB) *subscriber {
	t.Helper()
	return newSubscriberAt(t, "127.0.0.1")
}

// newSubscriberAt is newSubscriber at an address of this machine, with or without a port.
func newSubscriberAt(t testing.TB, address string) *subscriber {
	t.Helper()
	if !strings.Contains(address, ":") {
		address += ":0"
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("this machine has no address %s: %v", address, err)
	}
	s := &subscriber{requests: make(chan received, 1000), status: http.StatusNoContent}
	s.Server = httptest.NewUnstartedServer(s)
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *subscriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	confirm, status := s.confirm, s.status
	s.mu.Unlock()
	s.requests <- received{r.Method, r.URL.Path, r.URL.Query(), r.Header, string(body)}
	switch {
	case r.Method == http.MethodPost:
		w.WriteHeader(status)
	case confirm != nil:
		confirm(w, r)
	default:
		_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
	}
}

func (s *subscriber) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// next returns the next request that the callback gets.
func (s *subscriber) next(t testing.TB) received {
	t.Helper()
	select {
	case r := <-s.requests:
		return r
	case <-t.Context().Done():
		t.Fatal("the callback got nothing")
	}
	return received{}
}

// none holds that the callback has got nothing more.
func (s *subscriber) none(t testing.TB) {
	t.Helper()
	select {
	case r := <-s.requests:
		t.Errorf("the callback got %+v", r)
	default:
	}
}

// subscribed subscribes a callback to a topic, and returns what it was asked.
func (w *world) subscribed(s *subscriber, topic, callback string, more ...string) received {
	w.t.Helper()
	w.mu.Lock()
	before := w.puts
	w.mu.Unlock()
	w.ask(asking(subscribe, topic, callback, more...))
	r := s.next(w.t)
	w.await(topic, callback, func(tidings.HubSubscription) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.puts > before
	})
	return r
}

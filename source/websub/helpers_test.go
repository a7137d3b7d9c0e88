package websub

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/egress"
)

var testTime = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

const channel = "https://news.example/feed"

// world is a subscriber with a hub, a scheduler, a store and a clock that tests set.
type world struct {
	t         testing.TB
	s         *Subscriber
	callbacks *httptest.Server
	hub       *httptest.Server
	requests  chan url.Values // to the hub, by method and path in ":request"

	mu      sync.Mutex
	now     time.Time
	answer  http.HandlerFunc // of the hub; nil: 202
	checks  []string
	gone    map[string]bool // channels that are not under watch
	stored  map[string][]byte
	failing error // of the store
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, now: testTime, requests: make(chan url.Values, 1000), stored: make(map[string][]byte),
		gone: make(map[string]bool)}
	w.callbacks =
		httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.s.ServeHTTP(rw, r) }))
	w.hub = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		form.Set(":request", r.Method+" "+r.URL.Path)
		w.mu.Lock()
		answer := w.answer
		w.mu.Unlock()
		if answer == nil {
			rw.WriteHeader(http.StatusAccepted)
		} else {
			answer(rw, r)
		}
		w.requests <- form
	}))
	t.Cleanup(w.callbacks.Close)
	t.Cleanup(w.hub.Close)
	w.s = w.restart()
	t.Cleanup(func() { w.s.wait.Wait() })
	return w
}

// restart returns a subscriber with what is stored.
func (w *world) restart() *Subscriber {
	s := New(Config{
		Callback: w.callbacks.URL + "/websub/", Store: w, Scheduler: w, Guard: egress.ForMessages(true), Now: w.clock,
	})
	if err := s.Recall(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass lets time pass, and what is due be done.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	w.mu.Lock()
	w.now = w.now.Add(d)
	w.mu.Unlock()
	w.tick()
}

// tick does what is due, and waits until requests to hubs are answered.
func (w *world) tick() {
	w.s.Tick(w.t.Context())
	w.s.wait.Wait()
	w.s.save(w.t.Context())
}

func (w *world) Check(url, why string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.checks = append(w.checks, why)
	return !w.gone[url]
}

func (w *world) Has(url string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.gone[url]
}

// polls returns how often the channel was polled out of its turn since the last call.
func (w *world) polls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.checks)
	w.checks = nil
	return n
}

func (w *world) HubStates(context.Context) (map[string][]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.stored), w.failing
}

func (w *world) PutHubState(_ context.Context, channel string, state []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failing == nil {
		w.stored[channel] = slices.Clone(state)
	}
	return w.failing
}

func (w *world) RemoveHubState(_ context.Context, channel string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failing == nil {
		delete(w.stored, channel)
	}
	return w.failing
}

// hubs is what a document says that names the test's hub.
func (w *world) hubs() *Discovery {
	return &Discovery{Hubs: []string{w.hub.URL + "/hub"}, Topic: channel}
}

// next returns the next request that the hub gets.
func (w *world) next() url.Values {
	w.t.Helper()
	select {
	case form := <-w.requests:
		return form
	case <-w.t.Context().Done():
		w.t.Fatal("the hub gets nothing")
	}
	return nil
}

// none holds that the hub has got nothing more.
func (w *world) none() {
	w.t.Helper()
	select {
	case form := <-w.requests:
		w.t.Errorf("the hub got %v", form)
	default:
	}
}

// asked discovers the hub, and returns the request for a subscription.
func (w *world) asked() url.Values {
	w.t.Helper()
	w.s.Polled(channel, w.hubs(), false)
	w.tick()
	return w.next()
}

// get sends a request as a hub does, and returns the answer's status and body.
func (w *world) get(callback string, asked ...string) (int, string) {
	w.t.Helper()
	query := url.Values{}
	for i := 0; i+1 < len(asked); i += 2 {
		query.Set(asked[i], asked[i+1])
	}
	r, err := http.Get(callback + "?" + query.Encode())
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

// confirmed verifies a request, which must be confirmed.
func (w *world) confirmed(form url.Values, seconds string) {
	w.t.Helper()
	status, body := w.get(form.Get("hub.callback"), "hub.mode", form.Get("hub.mode"), "hub.topic",
		form.Get("hub.topic"), "hub.challenge", "abc", "hub.lease_seconds", seconds)
	if status != http.StatusOK || body != "abc" {
		w.t.Fatalf("verified with %d %q", status, body)
	}
}

// active returns the callback and the secret of a subscription that is confirmed.
func (w *world) active() (callback, secret string) {
	w.t.Helper()
	form := w.asked()
	w.confirmed(form, "86400")
	return form.Get("hub.callback"), form.Get("hub.secret")
}

// push sends a push, and returns the answer's status.
func (w *world) push(callback, body, signature string) int {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodPost, callback, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/atom+xml")
	if signature != "" {
		r.Header.Set("X-Hub-Signature", signature)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func signature(method, secret, body string) string {
	mac := hmac.New(map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "sha384": sha512.New384,
		"sha512": sha512.New}[method], []byte(secret))
	mac.Write([]byte(body))
	return method + "=" + hex.EncodeToString(mac.Sum(nil))
}

// state returns the state of the channel's subscription; "": there is none.
func (w *world) state() tidings.HubState {
	if d := w.s.Describe(channel); d != nil {
		return d.State
	}
	return ""
}

func (w *world) mustBe(state tidings.HubState) {
	w.t.Helper()
	if got := w.state(); got != state {
		w.t.Errorf("the subscription is %q, not %q", got, state)
	}
}

// covered reports whether the channel is polled seldom.
func (w *world) covered() bool {
	until, _ := w.s.Pushed(channel)
	return !until.IsZero()
}

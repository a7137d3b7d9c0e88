package node

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
)

// clearingServer stands in for an ntfy server of version 2.16. It follows "Publish as JSON" and "Updating + deleting
// notifications" at https://docs.ntfy.sh/publish.
type clearingServer struct {
	mu     sync.Mutex
	failed bool // it answers 500
	shown  []string
	titles map[string]string // of all accepted messages, by their sequence IDs
}

func (s *clearingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if id, ok := strings.CutPrefix(strings.TrimSuffix(r.URL.Path, "/clear"), "/ada/"); ok &&
		r.Method == http.MethodPut {
		s.shown = slices.DeleteFunc(s.shown, func(shown string) bool { return shown == id })
		fmt.Fprint(w, `{"event":"message_clear"}`)
		return
	}
	var m struct {
		Title    string
		Sequence string `json:"sequence_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || r.URL.Path != "/" || m.Sequence == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.shown = append(s.shown, m.Sequence)
	s.titles[m.Sequence] = m.Title
	fmt.Fprint(w, `{"event":"message"}`)
}

func (s *clearingServer) fail(yes bool) { s.mu.Lock(); defer s.mu.Unlock(); s.failed = yes }

// state returns the titles that are shown, sorted, and how many messages were accepted at any time.
func (s *clearingServer) state() (shown []string, accepted int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.shown {
		shown = append(shown, s.titles[id])
	}
	slices.Sort(shown)
	return shown, len(s.titles)
}

// A person reads an item in one place, and is not notified of it in another. What the phone shows of it is cleared, and
// what waits for the phone is not sent. A program gets all the same.
func TestReadElsewhere(t *testing.T) {
	t.Parallel()
	phone := &clearingServer{titles: make(map[string]string)}
	server := httptest.NewServer(phone)
	t.Cleanup(server.Close)
	hook := &farSide{}
	program := httptest.NewServer(hook)
	t.Cleanup(program.Close)
	o, base := startOrigin(t)
	if err := o.AddFeed("news", origin.MakeFeed(1, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	_, client := startNode(t)
	ctx := t.Context()
	if _, err := client.Subscribe(ctx, tidings.SubscribeRequest{URL: base + "news"}); err != nil {
		t.Fatal(err)
	}
	kind, topic, name := tidings.Ntfy, server.URL+"/ada", "phone"
	if _, err := client.Notify().Add(ctx, api.TargetSettings{Name: &name, Kind: &kind, URL: &topic}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Notify().Add(ctx, targetAt("program", program.URL)); err != nil {
		t.Fatal(err)
	}
	changes := 0
	change := func() {
		t.Helper()
		changes++
		if _, err := o.Step("news"); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Poll(ctx, base+"news"); err != nil {
			t.Fatal(err)
		}
	}
	pending := func() (all int) {
		t.Helper()
		targets, err := client.Notify().Targets(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range targets {
			all += to.Standing.Pending
		}
		return all
	}
	newest := func() tidings.Entry {
		t.Helper()
		entries, err := client.Entries(ctx, tidings.EntryQuery{Limit: 1})
		if err != nil || len(entries) != 1 {
			t.Fatal(entries, err)
		}
		return entries[0]
	}

	change()
	first := newest()
	change()
	second := newest()
	eventually(t, "all is delivered", func() bool { return pending() == 0 })
	before, accepted := phone.state()
	if first.Item == second.Item || !slices.ContainsFunc(before, func(title string) bool {
		return strings.HasSuffix(title, first.Content.Title)
	}) {
		t.Fatalf("the phone shows %q, and not %q", before, first.Content.Title)
	}
	if err := client.MarkRead(ctx, []int64{first.Item}, true); err != nil {
		t.Fatal(err)
	}
	shows := func(what tidings.Entry) bool {
		shown, _ := phone.state()
		return slices.ContainsFunc(shown, func(title string) bool {
			return strings.HasSuffix(title, what.Content.Title)
		})
	}
	eventually(t, "what was read is cleared", func() bool { return !shows(first) })
	if !shows(second) {
		t.Error("what was not read is cleared")
	}

	phone.fail(true)
	change()
	eventually(t, "the program has all, and the phone nothing", func() bool {
		all, err := client.Notify().Deliveries(ctx, 0, 100)
		return err == nil && len(all) > 0 && !slices.ContainsFunc(all, func(d tidings.Delivery) bool {
			return d.Name != "phone" || d.Tries == 0 && d.ID == all[0].ID
		})
	})
	if _, err := client.MarkAllRead(ctx, tidings.EntryQuery{}, newest().ID); err != nil {
		t.Fatal(err)
	}
	if left := pending(); left != 0 {
		t.Errorf("%d wait after all was read", left)
	}
	phone.fail(false)
	targets, err := client.Notify().Targets(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Notify().Retry(ctx, tidings.DeliverySelection{Target: targets[0].ID}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the phone shows nothing", func() bool { shown, _ := phone.state(); return len(shown) == 0 })
	change()
	latest := newest()
	eventually(t, "what is new is shown", func() bool { return shows(latest) })
	if _, now := phone.state(); now == accepted {
		t.Error("nothing was accepted at the end")
	}
	hook.mu.Lock()
	defer hook.mu.Unlock()
	if len(hook.received) < changes-1 {
		t.Errorf("the program received %d of %d updates", len(hook.received), changes)
	}
}

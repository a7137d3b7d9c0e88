package node

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/lab/origin"
	"tidings/network/corona"
	"tidings/network/honeycomb"
)

// Hostile 14: the origin shows the primary something else than everybody else, always what was there before. What the
// others find is reported to the primary in brief, and it requests the whole from the finder. All show it once, even
// the primary, which never got it from the origin.
func TestThePrimaryIsShownSomethingElse(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the plan of a network")
	}
	const nodes, primary = 4, 1
	contact := func(i int) string { return fmt.Sprintf("https://node-%d.example/", i) }
	var mu sync.Mutex
	var unfit []string // changes that the primary has refused
	started := 0
	w := pollTogether(t, nodes, 4*leastTogether, func(c *Config) {
		// All poll, so that enough can be asked what they see: more than a host of four readers grants.
		c.Policy, c.HostCeiling = honeycomb.Policy{Goal: honeycomb.Fast, Target: time.Millisecond}, 0
		c.Contact = contact(started)
		if started == primary {
			c.Logger = slog.New(coronaEvents{traced: func(text string) {
				if strings.HasPrefix(text, "report.Dropped") && strings.Contains(text, string(corona.Unfit)) {
					mu.Lock()
					defer mu.Unlock()
					unfit = append(unfit, text)
				}
			}})
		}
		started++
	})
	var shownOld atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.UserAgent(), contact(primary)) {
			shownOld.Add(1)
			r.URL.Path = "/old"
		}
		w.origin.ServeHTTP(answer, r)
	}))
	t.Cleanup(server.Close)
	w.base = server.URL + "/"
	name, url := w.ownedBy(primary)
	var seed uint64
	if _, err := fmt.Sscanf(name, "feed-%d", &seed); err != nil {
		t.Fatal(err)
	}
	if err := w.origin.AddFeed("old", origin.MakeFeed(seed, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	for i := range w.nodes {
		w.follow(i, url)
	}
	await(t, "all check", func() bool {
		return !slices.ContainsFunc([]int{0, 1, 2, 3}, func(i int) bool { return w.watching(i).Both == 0 })
	})
	for i := range w.nodes {
		w.awaitNumber(i, url)
	}
	const changes = 3
	for range changes {
		before := shownOld.Load()
		if u := w.changed(primary, name); u.FoundBy == w.nodes[primary].id {
			t.Error("found by who was never shown it")
		}
		all := len(w.shown(primary))
		for i := range w.nodes {
			await(t, "all have all", func() bool { return len(w.shown(i)) == all })
		}
		await(t, "the primary has checked again", func() bool { return shownOld.Load() > before })
	}
	for i := range w.nodes {
		if got := w.updates(i); len(got) != changes+1 {
			t.Errorf("node %d shows %d updates of %d", i, len(got), changes+1)
		}
		if f, err := w.client(i).Channel(t.Context(), url); err != nil || f.Health == tidings.HealthFailing {
			t.Errorf("node %d: %+v, %v", i, f.Health, err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, text := range unfit {
		if !strings.Contains(text, "Finder:"+w.nodes[primary].id) { // what it is shown itself fits nothing by then
			t.Errorf("the finder was not asked for the whole: %s", text)
		}
	}
}

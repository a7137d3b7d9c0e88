package node

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/network/feedtree"
	"tidings/node/keyring"
	"tidings/node/publish"
	"tidings/view"
)

// twins are two nodes that publish one feed with the same key, each from a file of its own, and a node that reads it.
type twins struct {
	*together
	url   string
	key   keyring.Key
	files [2]string
}

func newTwins(t *testing.T) *twins {
	t.Helper()
	w := &twins{together: pollTogether(t, 3, time.Hour)}
	w.key = mustKey(t, w.nodes[0], "me")
	whole, err := os.ReadFile(keyring.In(w.nodes[0].config.Data).File("me"))
	if err != nil {
		t.Fatal(err)
	}
	to := keyring.In(w.nodes[1].config.Data).File("me")
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, whole, 0o600)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w.files = [2]string{filepath.Join(dir, "one.xml"), filepath.Join(dir, "other.xml")}
	site := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		http.ServeFile(answer, r, w.files[0])
	}))
	t.Cleanup(site.Close)
	w.url = site.URL + "/feed.xml"
	return w
}

// write puts stories into the file of one of the two.
func (w *twins) write(which int, stories ...pushedStory) {
	w.t.Helper()
	writeFile(w.t, w.files[which], feedOf(stories...))
	if _, err := publish.Announce(w.files[which], w.url, w.key, time.Hour); err != nil {
		w.t.Fatal(err)
	}
}

// order publishes at one of the two. It promises a word each minute. A word of one may miss the other, which a
// publisher's node does not request again; the next word arrives.
func (w *twins) order(which int) (view.Issued, error) {
	return w.nodes[which].Publish(w.t.Context(), view.PublishOrder{Source: w.files[which], Channel: w.url, Watch: true,
		MaxSilence: 60})
}

// halted reports whether one of the two has stopped, and that it says why.
func (w *twins) halted(which int) bool {
	w.t.Helper()
	all, err := w.nodes[which].Publications(w.t.Context())
	if err != nil || len(all) != 1 {
		w.t.Fatalf("%+v, %v", all, err)
	}
	if all[0].Halted != strings.Contains(all[0].Trouble, "another node publishes with the same key") {
		w.t.Fatalf("%+v", all[0])
	}
	return all[0].Halted
}

func (w *twins) awaitHalted(which ...int) {
	w.t.Helper()
	for _, i := range which {
		await(w.t, fmt.Sprintf("node %d has stopped", i), func() bool { return w.halted(i) })
	}
}

// Hostile 33: two nodes that publish a feed with one key both stop, and stay so over restarts. A person must say at one
// that it goes on. While both are stopped readers get nothing new. In the end they have one version: that node's.
func TestAKeyAtTwoNodesStopsBoth(t *testing.T) {
	t.Parallel()
	w := newTwins(t)
	zero := pushedStory{"Zero", "0"}
	w.write(0, zero)
	w.write(1, zero)
	if _, err := w.order(0); err != nil {
		t.Fatal(err)
	}
	w.follow(2, w.url)
	w.awaitPush(2, w.url, tidings.PushGood)
	if _, err := w.order(1); err != nil && !errors.Is(err, tidings.ErrInvalid) {
		t.Fatal(err)
	}
	w.awaitHalted(0, 1) // with the first word of the second
	shown := len(w.updates(2))
	for i := range 2 {
		if _, err := w.order(i); !errors.Is(err, tidings.ErrInvalid) ||
			!strings.Contains(tidings.HintOf(err), "--resume") {
			t.Errorf("node %d publishes: %v", i, err)
		}
		w.nodes[i].stop()
		w.nodes[i].start()
		w.awaitHalted(i)
	}
	w.write(0, zero, pushedStory{"One", "from one"}, pushedStory{"Two", "2"})
	w.write(1, zero, pushedStory{"One", "from other"}, pushedStory{"Three", "3"})
	if n := len(w.updates(2)); n != shown {
		t.Errorf("stopped nodes have published %d updates", n-shown)
	}
	if err := w.client(0).ResumePublishing(t.Context(), w.url); err != nil {
		t.Fatal(err)
	}
	w.awaitItem(2, "2")
	w.awaitPush(2, w.url, tidings.PushGood)
	if w.halted(0) || !w.halted(1) {
		t.Errorf("stopped: %v, %v", w.halted(0), w.halted(1))
	}
	if n := w.timesShown(2, "3"); n != 0 {
		t.Error("the node that stays stopped has published")
	}
	if n := w.timesShown(2, "1"); n != 1 {
		t.Errorf("an item was shown %d times", n)
	}
	if err := w.client(1).ResumePublishing(t.Context(), w.url); err != nil {
		t.Fatal(err)
	}
	w.awaitHalted(0, 1)
}

// Hostile 42: a publisher signs a hundred versions of an item within seconds. At most nine of them are shown, and the
// latest in the end. Other items are shown at once, and all count as received.
func TestAFloodOfVersionsIsShownSlowly(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a minute")
	}
	w := pollTogether(t, 1, time.Hour)
	s := newSpeaker(t, "flood")
	s.url = w.base + "feed"
	s.serve(w.origin, w.base, "feed", rssOf(s.announcement(), entry("old", "Old", "o")))
	s.joins(w.nodes[0])
	s.speaks()
	w.follow(0, s.url)
	w.awaitPush(0, s.url, tidings.PushGood)
	const versions = 100
	began := time.Now()
	var last *feedtree.Item
	for i := range versions {
		last = s.publish(entry("one", "One", fmt.Sprint("version ", i)), "")
		if i == versions/2 {
			s.publish(entry("two", "Two", "2"), "")
		}
	}
	w.awaitItem(0, "two")
	latest := func() string {
		entries, err := w.client(0).Entries(t.Context(), tidings.EntryQuery{Channel: s.url})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Content.ID == "one" {
				return e.Content.Summary + e.Content.Content
			}
		}
		return ""
	}
	await(t, "the latest version is shown", func() bool {
		return strings.Contains(latest(), fmt.Sprint("version ", versions-1))
	})
	n := w.timesShown(0, "one")
	took := time.Since(began)
	if n > 1+4*(1+int(took/time.Minute)) { // four in each minute, of which the last has begun
		t.Errorf("%d versions were shown in %v", n, took)
	}
	await(t, "all are had", func() bool { return w.pushed(0, s.url).Number == last.Number })
}

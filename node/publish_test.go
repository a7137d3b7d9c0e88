package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/live"
	"tidings/node/keyring"
	"tidings/node/publish"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/view"
)

const ownFeed = "https://blog.example/feed.xml"

// reader follows a published channel.
type reader struct {
	*speaker
	mu    sync.Mutex
	items []*feedtree.Item
}

// newReader joins a node's ring and follows a channel that is published with a key.
func newReader(t *testing.T, of *restartable, f feedtree.Fingerprint) *reader {
	t.Helper()
	r := &reader{speaker: newSpeaker(t, "reader")}
	r.wants = func(item *feedtree.Item) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.items = append(r.items, item)
		return true
	}
	r.joins(of)
	await(t, "the node knows its reader", func() bool { return of.knows(r.speaker) })
	channel := engine.ID(tidings.IDOf(ownFeed))
	r.do(func() {
		err := r.trees.Follow(feedtree.Following{Topic: feedtree.TopicOf(channel, f), Channel: channel, Pin: f,
			Silence: time.Hour})
		if err != nil {
			t.Error(err)
		}
	})
	return r
}

// knows reports whether a node has a publisher or reader as its neighbour: a node that knows nobody awaits no answer.
func (r *restartable) knows(s *speaker) bool {
	id := selfIn(s).ID.String()
	return slices.ContainsFunc(r.view().Neighbours, func(p view.Peer) bool { return p.ID == id })
}

// status returns how the channel is, by one of its topics.
func (r *reader) status(topic engine.ID) (s feedtree.Status) {
	r.t.Helper()
	r.do(func() { s, _ = r.trees.Status(topic) })
	return s
}

// got returns what a reader has received: "1 One, 2 Two".
func (r *reader) got(t *testing.T) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, item := range r.items {
		found := opened(t, item)
		all = append(all, fmt.Sprint(item.Number, " ", found.Title))
	}
	return strings.Join(all, ", ")
}

// opened reads an item's entry as a reader without earlier knowledge does.
func opened(t *testing.T, item *feedtree.Item) tidings.FoundItem {
	t.Helper()
	p, err := changeset.Decode(item.Content(), feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Entries(nil, feed.Default())
	if err != nil || len(f.Items) != 1 {
		t.Fatalf("an entry cannot be read: %v", err)
	}
	return f.Items[0]
}

func (r *reader) awaits(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(patience); r.got(t) != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the reader was given %q, want %q", r.got(t), want)
		}
	}
}

// story is an item of a feed.
type pushedStory struct{ title, text string }

// feedOf is a feed in which the newest story stands first, as usual.
func feedOf(stories ...pushedStory) string {
	var b strings.Builder
	b.WriteString("<rss version=\"2.0\"><channel><title>A blog</title><link>https://blog.example/</link>\n")
	for i := len(stories) - 1; i >= 0; i-- {
		fmt.Fprintf(&b,
			"<item><guid>%d</guid><link>https://blog.example/posts/%d/</link><title>%s</title><description>%s</description></item>\n",
			i, i, stories[i].title, stories[i].text)
	}
	return b.String() + "</channel></rss>\n"
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	whole := file + ".new"
	if err := errors.Join(os.WriteFile(whole, []byte(text), 0o600), os.Rename(whole, file)); err != nil {
		t.Fatal(err)
	}
}

func mustKey(t *testing.T, n *restartable, name string) keyring.Key {
	t.Helper()
	key, err := keyring.In(n.config.Data).New(name, "")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func mustPublishFeed(t *testing.T, n *restartable, o view.PublishOrder) view.Issued {
	t.Helper()
	o.Channel = ownFeed
	issued, err := n.Publish(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return issued
}

// wasAwaited fails if an order that began at a time came back before another node had its last item, unless it had used
// up its patience.
func wasAwaited(t *testing.T, issued view.Issued, began time.Time) {
	t.Helper()
	const firstPatience = 20 * time.Second // of package publish
	if last := issued.Items[len(issued.Items)-1]; last.Nodes == 0 && time.Since(began) < firstPatience {
		t.Errorf("the order did not wait until a node had %+v", last)
	}
}

// New items of a feed go to its readers, signed, the oldest first, and a changed item again as a revision. They are
// richer than in the feed if a directory has more.
func TestPublishedItemsReachReaders(t *testing.T) {
	t.Parallel()
	author := newRestartable(t)
	key := mustKey(t, author, "me")
	readers := []*reader{newReader(t, author, key.Fingerprint), newReader(t, author, key.Fingerprint)}
	dir := t.TempDir()
	file := filepath.Join(dir, "feed.xml")
	one, two := pushedStory{"One", "short"}, pushedStory{"Two", "brief"}
	writeFile(t, file, feedOf(one, two))
	writeFile(t, filepath.Join(dir, "site/posts/1/index.html"),
		"<html><body><nav>menu</nav><article><p>All of the story.<script>x()</script></p></article></body></html>")
	order := view.PublishOrder{Source: file, FullContent: filepath.Join(dir, "site")}
	began := time.Now()
	issued := mustPublishFeed(t, author, order)
	if len(issued.Items) != 2 || issued.Publication.Key != "me" || issued.Announced {
		t.Fatalf("published %+v", issued)
	}
	wasAwaited(t, issued, began)
	for _, r := range readers {
		r.awaits(t, "1 One, 2 Two")
		if err := r.items[1].Verify(engine.ID(topicOf(key)), time.Now(), time.Minute); err != nil {
			t.Error(err)
		}
		if full := opened(t, r.items[1]); full.Content != "<p>All of the story.</p>" ||
			opened(t, r.items[0]).Content != "" {
			t.Errorf("the full content is %q", full.Content)
		}
	}
	if again := mustPublishFeed(t, author, order); len(again.Items) != 0 {
		t.Errorf("published again without a change: %+v", again.Items)
	}
	one.text = "longer"
	writeFile(t, file, feedOf(one, two, pushedStory{"Three", "x"}))
	mustPublishFeed(t, author, order)
	writeFile(t, filepath.Join(dir, "site/posts/1/index.html"), "<article><p>More of it.</p></article>")
	issued = mustPublishFeed(t, author, order)
	if len(issued.Items) != 1 || issued.Items[0].Change != tidings.Changed {
		t.Errorf("a changed content gave %+v", issued.Items)
	}
	for _, r := range readers {
		r.awaits(t, "1 One, 2 Two, 3 One, 4 Three, 5 Two")
	}
	await(t, "all five are listed", func() bool {
		all, err := author.Publications(t.Context())
		return err == nil && len(all) == 1 && all[0].Items == 5 && all[0].Trouble == ""
	})
	await(t, "all is known to be sent", func() bool {
		all, err := author.Publications(t.Context())
		return err == nil && all[0].Unsent == 0
	})
}

func topicOf(key keyring.Key) engine.ID {
	return feedtree.TopicOf(engine.ID(tidings.IDOf(ownFeed)), key.Fingerprint)
}

// What was published without readers is sent when one comes. After another start the numbers go on, and the file is
// watched without another order.
func TestPublishingGoesOn(t *testing.T) {
	t.Parallel()
	author := newRestartable(t, steady(t))
	key := mustKey(t, author, "me")
	file := filepath.Join(t.TempDir(), "feed.xml")
	one, two, three := pushedStory{"One", "1"}, pushedStory{"Two", "2"}, pushedStory{"Three", "3"}
	writeFile(t, file, feedOf(one))
	publishing, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := author.Publish(publishing, view.PublishOrder{Source: file, Channel: ownFeed, Watch: true})
		ended <- err
	}()
	await(t, "its first item has a number", func() bool {
		all, err := author.Publications(t.Context())
		return err == nil && len(all) == 1 && all[0].Items == 1
	})
	cancel() // no reader is there to receive it
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	author.stop()
	writeFile(t, file, feedOf(one, two))
	author.start()
	r := newReader(t, author, key.Fingerprint)
	r.awaits(t, "1 One, 2 Two")
	writeFile(t, file, feedOf(one, two, three))
	r.awaits(t, "1 One, 2 Two, 3 Three")
	author.stop()
	author.start()
	writeFile(t, file, feedOf(one, two, three, pushedStory{"Four", "4"}))
	r.awaits(t, "1 One, 2 Two, 3 Three, 4 Four")
	if err := author.StopPublishing(t.Context(), ownFeed); err != nil {
		t.Fatal(err)
	}
	if err := author.StopPublishing(t.Context(), ownFeed); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("stopped again: %v", err)
	}
	await(t, "the reader knows that nothing is promised", func() bool { return r.status(topicOf(key)).Silence == 0 })
}

// A publisher that withdraws its promise announces that at once: readers do not wait for a word that never comes. When
// it promises again, it announces that as well.
func TestReadersAreToldThatNothingIsPromised(t *testing.T) {
	t.Parallel()
	author := newRestartable(t)
	key := mustKey(t, author, "me")
	file := filepath.Join(t.TempDir(), "feed.xml")
	writeFile(t, file, feedOf(pushedStory{"One", "1"}))
	order := view.PublishOrder{Source: file, Channel: ownFeed, MaxSilence: 3600}
	r := newReader(t, author, key.Fingerprint)
	mustPublishFeed(t, author, order)
	r.awaits(t, "1 One")
	promised := func(silence time.Duration) func() bool {
		return func() bool { return r.status(topicOf(key)).Silence == silence }
	}
	await(t, "the reader knows what is promised", promised(time.Hour))
	order.MaxSilence = -1
	mustPublishFeed(t, author, order)
	await(t, "the reader knows that nothing is promised", promised(0))
	if s := r.status(topicOf(key)); s.Overdue || s.Healthy() {
		t.Errorf("the publisher is relied on, or overdue: %+v", s)
	}
	order.MaxSilence = 60
	mustPublishFeed(t, author, order)
	await(t, "the reader knows of the new promise", promised(time.Minute))
}

// Readers follow a rotation of the key while the node runs, and the numbers go on. A revoked key ends it.
func TestReadersFollowARotation(t *testing.T) {
	t.Parallel()
	author := newRestartable(t)
	key := mustKey(t, author, "me")
	r := newReader(t, author, key.Fingerprint)
	entry := tidings.PublishedEntry{ID: "1", Title: "One", HTML: "<p>text</p>"}
	began := time.Now()
	issued, err := author.PublishEntry(t.Context(), ownFeed, "", entry)
	if err != nil || len(issued.Items) != 1 {
		t.Fatalf("%+v, %v", issued, err)
	}
	wasAwaited(t, issued, began)
	r.awaits(t, "1 One")
	if issued, err := author.PublishEntry(t.Context(), ownFeed, "", entry); err != nil || len(issued.Items) != 0 {
		t.Errorf("the same once more: %+v, %v", issued, err)
	}
	next, err := keyring.In(author.config.Data).Rotate("me", "")
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the node goes on with the other key", func() bool {
		all, err := author.Publications(t.Context())
		return err == nil && all[0].Fingerprint == next.Fingerprint.String()
	})
	if _, err := author.PublishEntry(t.Context(), ownFeed, "me",
		tidings.PublishedEntry{ID: "2", Title: "Two"}); err != nil {
		t.Fatal(err)
	}
	r.awaits(t, "1 One, 2 Two")
	if _, err := keyring.In(author.config.Data).Revoke("me", ""); err != nil {
		t.Fatal(err)
	}
	await(t, "the reader knows that the key is void", func() bool { return r.status(topicOf(next)).Revoked })
	if _, err := author.PublishEntry(t.Context(), ownFeed, "me",
		tidings.PublishedEntry{ID: "3", Title: "Three"}); !errors.Is(err, keyring.ErrRevoked) {
		t.Errorf("published with a revoked key: %v", err)
	}
}

// This is the way from the file of a static site to the readers of whole nodes. The key is announced in the file and
// pinned at the first poll of the origin. Items are published as the file changes, and the readers' nodes report them
// as signed.
func TestAStaticSiteIsPushed(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 3, time.Hour)
	author := w.nodes[0]
	key := mustKey(t, author, "me")
	file := filepath.Join(t.TempDir(), "feed.xml")
	stories := []pushedStory{{"Zero", "0"}}
	writeFile(t, file, feedOf(stories...))
	site := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		http.ServeFile(answer, r, file)
	}))
	t.Cleanup(site.Close)
	url := site.URL + "/feed.xml"
	announce := func() {
		if _, err := publish.Announce(file, url, key, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	announce()
	issued, err := author.Publish(t.Context(), view.PublishOrder{Source: file, Channel: url, Watch: true})
	if err != nil || !issued.Announced || len(issued.Items) != 1 {
		t.Fatalf("%+v, %v", issued, err)
	}
	for i := 1; i < 3; i++ {
		w.follow(i, url)
		w.awaitPush(i, url, tidings.PushGood)
	}
	stories = append(stories, pushedStory{"One", "1"}, pushedStory{"Two", "2"})
	text := feedOf(stories...)
	writeFile(t, file, text)
	for i := 1; i < 3; i++ {
		for _, id := range []string{"1", "2"} {
			if u := w.awaitItem(i, id); u.SignedBy != key.Fingerprint.String() {
				t.Errorf("item %s is signed by %q", id, u.SignedBy)
			}
		}
		if n := w.timesShown(i, "0"); n != 1 {
			t.Errorf("the item that was there before is told %d times", n)
		}
	}
	var took []time.Duration // from the write to the last node's store
	for range 20 {
		stories = append(stories, pushedStory{fmt.Sprint("No ", len(stories)), "text"})
		written := time.Now()
		writeFile(t, file, feedOf(stories...))
		var last time.Duration
		for i := 1; i < 3; i++ {
			last = max(last, w.awaitItem(i, fmt.Sprint(len(stories)-1)).Received.Sub(written))
		}
		took = append(took, last)
	}
	slices.Sort(took)
	t.Logf("from the write to the last of two stores: median %v, longest %v of %d", took[len(took)/2],
		took[len(took)-1], len(took))
}

// A publisher that stops withdraws its promise at the readers' nodes, and one that resumes promises again. Then they
// rely on pushes as before, and have what is new by them.
func TestPublishingIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 2, time.Hour)
	author := w.nodes[0]
	key := mustKey(t, author, "me")
	file := filepath.Join(t.TempDir(), "feed.xml")
	stories := []pushedStory{{"Zero", "0"}}
	writeFile(t, file, feedOf(stories...))
	site := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		http.ServeFile(answer, r, file)
	}))
	t.Cleanup(site.Close)
	url := site.URL + "/feed.xml"
	issue := func() {
		t.Helper()
		writeFile(t, file, feedOf(stories...))
		if _, err := publish.Announce(file, url, key, time.Hour); err != nil {
			t.Fatal(err)
		}
		if _, err := author.Publish(t.Context(), view.PublishOrder{Source: file, Channel: url}); err != nil {
			t.Fatal(err)
		}
	}
	issue()
	w.follow(1, url)
	w.awaitPush(1, url, tidings.PushGood)
	for again := range 2 {
		if err := author.StopPublishing(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		w.awaitPush(1, url, tidings.PushEnded)
		stories = append(stories, pushedStory{fmt.Sprint("No ", again), "text"})
		issue() // with something new to send, at once
		w.awaitPush(1, url, tidings.PushGood)
		if u := w.awaitItem(1, fmt.Sprint(len(stories)-1)); u.SignedBy != key.Fingerprint.String() {
			t.Errorf("what was published again is signed by %q", u.SignedBy)
		}
	}
}

// A node that was restored from an old copy goes on above the numbers that others know of.
func TestARestoredPublisherGoesOnAbove(t *testing.T) {
	t.Parallel()
	author := newRestartable(t, steady(t))
	key := mustKey(t, author, "me")
	r := newReader(t, author, key.Fingerprint)
	publish := func(n int) {
		t.Helper()
		if _, err := author.PublishEntry(t.Context(), ownFeed, "",
			tidings.PublishedEntry{ID: fmt.Sprint(n), Title: fmt.Sprint("No ", n)}); err != nil {
			t.Fatal(err)
		}
	}
	publish(1)
	r.awaits(t, "1 No 1")
	await(t, "it is known to be sent", func() bool {
		all, err := author.Publications(t.Context())
		return err == nil && all[0].Unsent == 0
	})
	copied := filepath.Join(t.TempDir(), "copy.db")
	backUp(t, author.client, copied, view.BackupOrder{})
	publish(2)
	publish(3)
	r.awaits(t, "1 No 1, 2 No 2, 3 No 3")
	author.stop()
	old, err := filepath.Glob(filepath.Join(author.config.Data, "tidings.db*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range old {
		err = errors.Join(err, os.Remove(file))
	}
	if err = errors.Join(err, os.Rename(copied, filepath.Join(author.config.Data, "tidings.db"))); err != nil {
		t.Fatal(err)
	}
	// It asks the reader which numbers exist before it gives another, however long the reader needs to find it again.
	author.config.Join = []string{live.FormatAddress(selfIn(r.speaker))}
	author.start()
	await(t, "the reader has found the publisher", func() bool { return len(author.view().Neighbours) > 0 })
	publish(4)
	r.awaits(t, "1 No 1, 2 No 2, 3 No 3, 4 No 4")
}

// A publisher's own server is asked every three seconds, conditionally, and what is new there is published. If it
// serves no feed for a while, that is reported, and does no harm.
func TestAURLIsWatched(t *testing.T) {
	t.Parallel()
	author := newRestartable(t)
	key := mustKey(t, author, "me")
	r := newReader(t, author, key.Fingerprint)
	var mu sync.Mutex
	text, unchanged := feedOf(pushedStory{"Zero", "0"}), 0
	set := func(to string) {
		mu.Lock()
		defer mu.Unlock()
		text = to
	}
	site := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		tag := fmt.Sprintf("%q", fmt.Sprint(len(text)))
		answer.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			unchanged++
			answer.WriteHeader(http.StatusNotModified)
			return
		}
		answer.Write([]byte(text))
	}))
	t.Cleanup(site.Close)
	mustPublishFeed(t, author, view.PublishOrder{Source: site.URL + "/feed.xml", Watch: true})
	r.awaits(t, "1 Zero")
	await(t, "the server is asked conditionally", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return unchanged > 0
	})
	set("<!doctype html><title>Down for repairs</title>")
	await(t, "the trouble is said", func() bool {
		all, err := author.Publications(t.Context())
		return err == nil && strings.Contains(all[0].Trouble, "not a feed")
	})
	set(feedOf(pushedStory{"Zero", "0"}, pushedStory{"One", "1"}))
	r.awaits(t, "1 Zero, 2 One")
	await(t, "the trouble is over", func() bool {
		all, err := author.Publications(t.Context())
		return err == nil && all[0].Trouble == ""
	})
}

// A publisher with a new key can learn what the node waits for: first it asks the network what the key has published.
func TestPublishingTellsForWhatItWaits(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a publisher's first items")
	}
	author := newRestartable(t)
	mustKey(t, author, "me")
	other := newRestartable(t, joiningBy(author.address()))
	await(t, "they are neighbours", func() bool { return author.sees(other) && other.sees(author) })
	waiting := func() string {
		t.Helper()
		all, err := author.Publications(t.Context())
		if err != nil || len(all) > 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		if len(all) == 0 {
			return ""
		}
		return all[0].Waiting
	}
	published := make(chan error, 1)
	go func() {
		_, err := author.PublishEntry(t.Context(), ownFeed, "", tidings.PublishedEntry{ID: "1", Title: "One"})
		published <- err
	}()
	await(t, "it says that it asks", func() bool {
		return strings.HasPrefix(waiting(), "asking the network for what this key has published, up to 20 s")
	})
	if err := <-published; err != nil {
		t.Error(err)
	}
	await(t, "it says nothing once it waits for nothing", func() bool { return waiting() == "" })
}

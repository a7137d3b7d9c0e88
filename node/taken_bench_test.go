package node

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/lab/cost"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/store"
)

// given is a node that is given what others have found, and has no network.
type given struct {
	*Node
	b      testing.TB
	url    string
	chance *rand.Rand
}

func newGiven(b testing.TB) *given {
	b.Helper()
	c := Default()
	c.Data = b.TempDir()
	n, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	if err := n.open(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := n.close(); err != nil {
			b.Error(err)
		}
	})
	n.coop, n.pushes = n.newCoop(), n.newPushes()
	t := &given{Node: n, b: b, url: "https://news.example/feed", chance: rand.New(rand.NewPCG(1, 2))}
	if _, _, err := n.store.Subscribe(b.Context(), tidings.Owner, store.Subscription{URL: t.url, Privacy: tidings.Public}); err != nil {
		b.Fatal(err)
	}
	return t
}

// stories returns the first n items of a feed, as they are found in it: a kilobyte each that cannot be packed well.
func (t *given) stories(from, n int) []tidings.FoundItem {
	t.b.Helper()
	doc := `<rss version="2.0"><channel><title>T</title>`
	for i := from; i < from+n; i++ {
		text := make([]byte, 800)
		for at := range text {
			text[at] = byte(t.chance.Uint32())
		}
		doc += fmt.Sprintf(`<item><guid>guid-%d</guid><link>https://news.example/%d</link><title>Story %d</title><description><![CDATA[<p>%s</p>]]></description></item>`,
			i, i, i, base64.StdEncoding.EncodeToString(text))
	}
	d, err := feed.Parse([]byte(doc+`</channel></rss>`), "", t.url, feed.Default())
	if err != nil {
		t.b.Fatal(err)
	}
	return feed.Match(nil, d)
}

// has makes n items known.
func (t *given) has(n int) {
	t.b.Helper()
	for from := 0; from < n; from += 100 {
		f := &tidings.Change{Kind: tidings.KindFeed, Title: "T", Items: t.stories(from, min(100, n-from)), Found: time.Now(), Partial: true, KnownUpTo: 1 << 62}
		if _, err := t.store.Apply(t.b.Context(), &store.Record{URL: t.url, Change: f}); err != nil {
			t.b.Fatal(err)
		}
	}
}

// encoded writes a changeset of items; of those behind the first whole ones the marks alone.
func (t *given) encoded(items []tidings.FoundItem, whole int) []byte {
	t.b.Helper()
	p := &changeset.Set{Kind: tidings.KindFeed, Title: "T"}
	for i, item := range items {
		c := feed.Carried{FoundItem: item, Whole: true}
		if i >= whole {
			c = feed.Carried{FoundItem: tidings.FoundItem{Mark: item.Mark}}
		}
		p.Items = append(p.Items, c)
	}
	b, err := p.Encode()
	if err != nil {
		t.b.Fatal(err)
	}
	return b
}

// measure runs f as the benchmark, and reports its processor time: waiting for the disk is left out. What the
// store does later for what it has taken is a part of it.
func (t *given) measure(b *testing.B, f func()) {
	b.Helper()
	b.ReportAllocs()
	runtime.GC()
	before := cost.CPU()
	b.ResetTimer()
	f()
	if _, err := t.store.Entries(context.Background(), tidings.Owner, tidings.EntryQuery{Search: "story"}); err != nil { // it waits for the index
		t.b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64((cost.CPU()-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

// BenchmarkPushed is what a node does with an item of a kilobyte that a publisher has pushed, from when FeedTree
// hands it over to when readers are told: where so many are known, and so many come together.
func BenchmarkPushed(b *testing.B) {
	for _, c := range []struct{ known, together int }{{100, 1}, {2000, 1}, {100, 16}} {
		b.Run(fmt.Sprintf("known=%d/together=%d", c.known, c.together), func(b *testing.B) {
			t := newGiven(b)
			t.has(c.known)
			topic, items := t.signed(c.known, b.N)
			t.measure(b, func() {
				for some := range slices.Chunk(items, c.together) {
					if n, err := t.pushes.Take(context.Background(), topic, some); err != nil || n != len(some) {
						b.Fatalf("%d of %d items are stored: %v", n, len(some), err)
					}
				}
			})
			if p, err := t.store.PinOf(b.Context(), t.url); err != nil || p.Have != uint64(b.N) || p.Pushed != int64(b.N) {
				b.Fatalf("of %d items %d are here, %d were told (%v)", b.N, p.Have, p.Pushed, err)
			}
		})
	}
}

// signed returns n items that a trusted publisher has signed, after the first stories.
func (t *given) signed(after, n int) (topic engine.ID, items []*feedtree.Item) {
	t.b.Helper()
	stories := make([]int, n)
	for i := range stories {
		stories[i] = after + i
	}
	return t.signedOf(stories...)
}

// signedOf returns items that a trusted publisher has signed, each with a story. One that comes again has become another.
func (t *given) signedOf(stories ...int) (topic engine.ID, items []*feedtree.Item) {
	t.b.Helper()
	seed := sha256.Sum256([]byte("publisher"))
	key := ed25519.NewKeyFromSeed(seed[:])
	topic = feedtree.TopicOf(engine.ID(tidings.IDOf(t.url)), feedtree.KeyOf(key).Fingerprint())
	pin := store.Pin{Channel: t.url, Topic: topic, Fingerprint: feedtree.KeyOf(key).Fingerprint(), Pinned: time.Now()}
	if err := t.store.SetPin(t.b.Context(), pin); err != nil {
		t.b.Fatal(err)
	}
	if err := t.pushes.Recall(t.b.Context()); err != nil {
		t.b.Fatal(err)
	}
	for i, story := range stories {
		item := &feedtree.Item{Number: uint64(i + 1), Time: time.Now().UnixMilli(), Entry: t.encoded(t.stories(story, 1), 1)}
		item.Sign(topic, key)
		items = append(items, item)
	}
	return topic, items
}

// BenchmarkShared is what a node does with a version of a feed of 30 items that another node has found, with one new
// item of a kilobyte.
func BenchmarkShared(b *testing.B) {
	const window = 30
	t := newGiven(b)
	channel := engine.ID(tidings.IDOf(t.url))
	watches, err := t.store.Watches(b.Context())
	if err == nil {
		err = t.coop.Recall(b.Context(), watches)
	}
	if err != nil {
		b.Fatal(err)
	}
	items := t.stories(0, window+b.N)
	updates := make([]*corona.Update, b.N+1)
	for i := range updates {
		now := items[i : i+window]
		newest := []tidings.FoundItem{now[window-1]}
		marks := []tidings.ItemIdentity{now[window-1].Mark}
		for j := window - 2; j >= 0; j-- {
			newest, marks = append(newest, now[j]), append(marks, now[j].Mark)
		}
		whole := 1
		if i == 0 {
			whole = window
		}
		updates[i] = &corona.Update{Channel: channel, URL: t.url, Version: uint64(i + 1), Hash: feed.Hash(marks),
			FoundAt: time.Now().UnixMilli(), Payload: t.encoded(newest, whole)}
	}
	take := func(u *corona.Update) {
		if err := t.coop.Take(context.Background(), u); err != nil {
			b.Fatal(err)
		}
		t.coop.Number(u)
	}
	take(updates[0])
	t.measure(b, func() {
		for _, u := range updates[1:] {
			take(u)
		}
	})
}

package push

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/lab/cpu"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/channels"
	"tidings/source"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/store"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/pushed"
)

// given is what keeps pushed items at a node that is given them by hand: it has no network.
type given struct {
	*keeper
	b      testing.TB
	store  *store.Store
	url    string
	chance *rand.Rand
}

// newGiven returns a node that follows a feed.
func newGiven(b testing.TB) *given {
	b.Helper()
	s, err := store.Open(b.Context(), store.Default(b.TempDir()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	log := slog.New(slog.DiscardHandler)
	scheduler := source.NewScheduler(nil, nil, source.DefaultSchedule(), log)
	pushes := New(Config{
		Content: s.Content, Pushed: s.Pushed, Published: s.Published, Settings: s.DB, Scheduler: scheduler,
		Entrance: &channels.Entrance{Store: s, Scheduler: scheduler, Stored: func() {}}, Feed: feed.Default(), Log: log,
	}, alone{})
	t := &given{keeper: &pushes.keeper, b: b, store: s, url: "https://news.example/feed",
		chance: rand.New(rand.NewPCG(1, 2))}
	if _, _, err := s.Subscribe(b.Context(), tidings.Owner,
		store.Subscription{URL: t.url, Privacy: tidings.Public}); err != nil {
		b.Fatal(err)
	}
	return t
}

// alone is a node without others.
type alone struct{}

func (alone) InLoop(context.Context, func())         {}
func (alone) Work(func(context.Context))             {}
func (alone) Lock(engine.ID) (unlock func())         { return func() {} }
func (alone) SetPushed(engine.ID, bool)              {}
func (alone) WantFiles(string, []tidings.File)       {}
func (alone) Refuse(engine.Peer, string)             {}
func (alone) Overtaken(topic engine.ID, last uint64) {}
func (alone) Fetch(context.Context, fetch.Request) (*fetch.Response, error) {
	return nil, errors.New("there is no web here")
}
func (alone) Arrived(engine.ID, uint64, engine.ID) {}
func (alone) Contested(topic engine.ID)            {}

// stories returns n items of a feed, as they are found in it. Each is a kilobyte that cannot be packed well.
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

// signed returns items that a trusted publisher has signed, each with a story. One that comes again has become another.
func (t *given) signed(stories ...int) (topic engine.ID, items []*feedtree.Item) {
	t.b.Helper()
	seed := sha256.Sum256([]byte("publisher"))
	key := ed25519.NewKeyFromSeed(seed[:])
	topic = feedtree.TopicOf(engine.ID(tidings.IDOf(t.url)), feedtree.KeyOf(key).Fingerprint())
	pin := pushed.Pin{Channel: t.url, Topic: topic, Fingerprint: feedtree.KeyOf(key).Fingerprint(), Pinned: time.Now()}
	if err := t.store.Pushed.SetPin(t.b.Context(), pin); err != nil {
		t.b.Fatal(err)
	}
	if err := t.pushes.Recall(t.b.Context()); err != nil {
		t.b.Fatal(err)
	}
	for i, story := range stories {
		entry := &changeset.Set{Kind: tidings.KindFeed, Title: "T",
			Items: []feed.Carried{{FoundItem: t.stories(story, 1)[0], Whole: true}}}
		text, err := entry.Encode()
		if err != nil {
			t.b.Fatal(err)
		}
		item := &feedtree.Item{Number: uint64(i + 1), Time: time.Now().UnixMilli(), Entry: text}
		item.Sign(topic, key)
		items = append(items, item)
	}
	return topic, items
}

// working is a node without others, with a worker that works when a test calls run.
type working struct {
	alone
	jobs []func(context.Context)
}

func (w *working) Work(job func(context.Context)) { w.jobs = append(w.jobs, job) }

func (w *working) run(ctx context.Context) {
	for len(w.jobs) > 0 {
		job := w.jobs[0]
		w.jobs = w.jobs[1:]
		job(ctx)
	}
}

// Items that the store could not keep are kept after a pause, in their order, with those that have come meanwhile.
func TestItemsAreKeptAfterAFailure(t *testing.T) {
	n := newGiven(t)
	worker := new(working)
	n.pushes.host = worker
	topic, items := n.signed(1, 2, 3)
	var pauses []time.Duration
	var again func()
	n.later = func(d time.Duration, f func()) {
		pauses, again = append(pauses, d), func() {
			f()
			worker.run(t.Context())
		}
	}
	have := func() uint64 {
		pin, err := n.store.Pushed.PinOf(t.Context(), n.url)
		if err != nil {
			t.Fatal(err)
		}
		return pin.Have
	}
	change := func(sql string) {
		if err := n.store.DB.Write(t.Context(), func(tx *db.Tx) error { return db.Exec(tx.Conn, sql) }); err != nil {
			t.Fatal(err)
		}
	}
	change("CREATE TRIGGER refuse BEFORE INSERT ON pushed BEGIN SELECT RAISE(ABORT, 'refused'); END")
	for _, item := range items[:2] {
		n.Keep(topic, item)
	}
	if worker.run(t.Context()); len(pauses) != 1 || pauses[0] != keepAgain || have() != 0 {
		t.Fatalf("after pauses of %v all up to %d are kept", pauses, have())
	}
	again()
	if len(pauses) != 2 {
		t.Fatalf("after the second failure there were %d pauses", len(pauses))
	}
	change("DROP TRIGGER refuse")
	n.Keep(topic, items[2])
	if worker.run(t.Context()); have() != 0 {
		t.Errorf("before the pause is over all up to %d are kept", have())
	}
	if again(); have() != 3 || len(pauses) != 2 || len(n.arrivals) != 0 {
		t.Errorf("all up to %d are kept, %d topics wait", have(), len(n.arrivals))
	}
}

// What a publisher has made of an entry stays, though what it made of it before comes later. New parts of that are
// reported.
func TestALatePushDoesNotUndoALaterOne(t *testing.T) {
	n := newGiven(t)
	topic, items := n.signed(7, 8, 7)
	for _, number := range []int{3, 1, 2} {
		if stored, err := n.storeItems(t.Context(), topic, items[number-1:number]); err != nil || stored != 1 {
			t.Fatalf("of item %d %d are stored: %v", number, stored, err)
		}
	}
	entries, err := n.store.Entries(t.Context(), tidings.Owner, tidings.EntryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Content.ID) // a change would be another entry
	}
	slices.Sort(ids)
	if want := []string{"guid-7", "guid-8"}; !slices.Equal(ids, want) {
		t.Errorf("told are %v, not %v", ids, want)
	}
	if pin, err := n.store.Pushed.PinOf(t.Context(), n.url); err != nil || pin.Have != 3 {
		t.Errorf("up to %d all are here: %v", pin.Have, err)
	}
}

// BenchmarkPushed measures what a node does with an item of a kilobyte that a publisher has pushed. It lasts from
// FeedTree's call until readers are notified. The number of known items, and of items that come together, varies. It
// reports processor time: waiting for the disk is left out. The store's later work for the items is a part of it.
func BenchmarkPushed(b *testing.B) {
	for _, c := range []struct{ known, together int }{{100, 1}, {2000, 1}, {100, 16}} {
		b.Run(fmt.Sprintf("known=%d/together=%d", c.known, c.together), func(b *testing.B) {
			t := newGiven(b)
			for from := 0; from < c.known; from += 100 {
				f := &tidings.Change{Kind: tidings.KindFeed, Title: "T", Items: t.stories(from, 100), Found: time.Now(),
					Partial: true, KnownUpTo: 1 << 62}
				if _, err := t.store.Apply(b.Context(),
					&store.Record{Record: content.Record{URL: t.url, Change: f}}); err != nil {
					b.Fatal(err)
				}
			}
			stories := make([]int, b.N)
			for i := range stories {
				stories[i] = c.known + i
			}
			topic, items := t.signed(stories...)
			b.ReportAllocs()
			runtime.GC()
			before := cpu.Time()
			b.ResetTimer()
			for some := range slices.Chunk(items, c.together) {
				if n, err := t.storeItems(b.Context(), topic, some); err != nil || n != len(some) {
					b.Fatalf("%d of %d items are stored: %v", n, len(some), err)
				}
			}
			// it waits for the index
			if _, err := t.store.Entries(b.Context(), tidings.Owner, tidings.EntryQuery{Search: "story"}); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			b.ReportMetric(float64((cpu.Time()-before).Microseconds())/float64(b.N), "cpu-µs/op")
			if p, err := t.store.Pushed.PinOf(b.Context(), t.url); err != nil || p.Have != uint64(b.N) ||
				p.Pushed != int64(b.N) {
				b.Fatalf("of %d items %d are here, %d were told (%v)", b.N, p.Have, p.Pushed, err)
			}
		})
	}
}

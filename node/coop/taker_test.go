package coop

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/channels"
	"tidings/node/coop/sharing"
	"tidings/node/trust"
	"tidings/source"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/source/page"
	"tidings/store"
	"tidings/view"
)

// taker is a node that polls a feed, and is given versions of it by hand: it has no network.
type taker struct {
	*channels.Channels
	t     testing.TB
	coop  *Coop
	store *store.Store
	trust *trust.Trust
	url   string
	last  uint64 // version that was read

	mu    sync.Mutex
	doc   string // that the origin has
	asked int
	pit   func(context.Context) // holds requests for other channels; nil: nothing does
}

// newTaker returns a node without a channel.
func newTaker(t testing.TB, change ...func(*source.Schedule)) *taker {
	t.Helper()
	k := makeTaker(t, change...)
	k.run()
	return k
}

// makeTaker is newTaker, without what run begins.
func makeTaker(t testing.TB, change ...func(*source.Schedule)) *taker {
	t.Helper()
	opened, err := store.Open(t.Context(), store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	log, self := slog.New(slog.DiscardHandler), engine.PrefixID("1").String()
	k := &taker{t: t, store: opened, url: "https://news.example/feed"}
	if k.trust, err = trust.Load(t.Context(), nobody{}, opened.Content, opened.Pushed, self); err != nil {
		t.Fatal(err)
	}
	poller := &source.Poller{Fetch: k.fetch, Library: opened.Content, Plan: fetch.DefaultPlan(), NodeID: self,
		Feed: feed.Default(), Page: page.Default()}
	schedule := source.DefaultSchedule()
	schedule.PerHost, schedule.Again = 0, 0 // the origin is there to be asked
	for _, f := range change {
		f(&schedule)
	}
	scheduler := source.NewScheduler(poller.Poll, k, schedule, log)
	entrance := &channels.Entrance{Store: opened, Scheduler: scheduler, Stored: func() {}}
	k.coop = New(Config{
		Store: opened, Scheduler: scheduler, Entrance: entrance, Log: log, NodeID: self, Feed: feed.Default(),
		Interval: time.Hour,
		Own:      corona.Default().Paced(time.Hour),
	}, nobody{}, k.trust)
	k.coop.desk.env = still{}
	k.Channels = channels.New(channels.Config{
		Store: opened, Scheduler: scheduler, Poller: poller, Entrance: entrance, Queries: nobody{},
		Network: together{k.coop, nobody{}}, Log: log, Interval: time.Hour,
	})
	return k
}

// run has the node work until the test ends.
func (k *taker) run() {
	ctx, cancel := context.WithCancel(k.t.Context())
	var parts sync.WaitGroup
	parts.Go(func() { k.coop.Run(ctx) })
	parts.Go(func() { k.coop.config.Scheduler.Run(ctx) })
	k.t.Cleanup(func() {
		cancel()
		parts.Wait()
		if err := k.store.Close(); err != nil {
			k.t.Error(err)
		}
	})
}

// nobody is the rest of a node, and does nothing.
type nobody struct{}

func (nobody) Peers(context.Context) ([]view.Peer, error)             { return nil, nil }
func (nobody) Penalties() []view.Penalty                              { return nil }
func (nobody) Refresh(context.Context) error                          { return nil }
func (nobody) Reviewed(context.Context, string, bool)                 {}
func (nobody) PushBackup(others source.Slot) source.Slot              { return others }
func (nobody) Found(context.Context, source.Job, source.Result) error { return nil }
func (nobody) MayFollowZone(context.Context, zone.Path) error         { return nil }

// still is an Env with a stopped clock.
type still struct{ engine.Env }

func (still) Now() time.Duration { return 0 }

// together is what the node's channels are to other nodes.
type together struct {
	*Coop
	nobody
}

// fetch is how the origin is asked.
func (k *taker) fetch(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	if k.pit != nil && r.URL != k.url {
		k.pit(ctx)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked++
	return &fetch.Response{URL: r.URL, Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"application/rss+xml"}}, Body: []byte(k.doc)}, nil
}

func (k *taker) polls() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.asked
}

// has has the origin change.
func (k *taker) has(doc string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.doc = doc
}

// follow begins to follow the feed, which has a document.
func (k *taker) follow(doc string) {
	k.t.Helper()
	k.has(doc)
	if _, err := k.Subscribe(k.t.Context(), tidings.Owner, tidings.SubscribeRequest{URL: k.url}); err != nil {
		k.t.Fatal(err)
	}
	k.await("others may know of the channel", func() bool { return k.coop.Shares(tidings.IDOf(k.url)) })
}

// poll has the node see a document itself.
func (k *taker) poll(doc string) {
	k.t.Helper()
	k.has(doc)
	if _, err := k.PollNow(k.t.Context(), tidings.Owner, k.url); err != nil {
		k.t.Fatal(err)
	}
}

// read makes an update of a document, as another node would that has read it now.
func (k *taker) read(doc string) *corona.Update {
	k.t.Helper()
	d, err := feed.Parse([]byte(doc), "", k.url, feed.Default())
	if err != nil {
		k.t.Fatal(err)
	}
	p := &changeset.Set{Kind: tidings.KindFeed, Title: d.Title}
	var marks []tidings.ItemIdentity
	for _, i := range feed.Match(nil, d) {
		p.Items = append(p.Items, feed.Carried{FoundItem: i, Whole: true})
		marks = append(marks, i.Mark)
	}
	b, err := p.Encode()
	if err != nil {
		k.t.Fatal(err)
	}
	k.last++
	return &corona.Update{
		Channel: engine.ID(tidings.IDOf(k.url)), URL: k.url, Version: k.last, Hash: tidings.ContentHash(marks),
		Payload: b,
		FoundBy: engine.PrefixID("ab"), FoundAt: time.Now().UnixMilli(),
	}
}

func (k *taker) receive(u *corona.Update) error { return k.coop.receive(k.t.Context(), u) }

// mustReceive makes the node apply an update, and learn its number.
func (k *taker) mustReceive(u *corona.Update) {
	k.t.Helper()
	if err := k.receive(u); err != nil {
		k.t.Fatal(err)
	}
	k.holds(u)
}

// holds makes the node learn the number of an update.
func (k *taker) holds(u *corona.Update) {
	k.coop.Alter(u.Channel, func(c *sharing.Channel) { c.Number(u.Version, u.Hash) })
}

func (k *taker) updates() []tidings.Update {
	k.t.Helper()
	all, err := k.store.Reader.Updates(k.t.Context(), tidings.Owner, tidings.UpdateQuery{Limit: tidings.MaxLimit})
	if err != nil {
		k.t.Fatal(err)
	}
	return all
}

// texts returns the texts of the items that readers have received.
func (k *taker) texts() (all []string) {
	for _, u := range k.updates() {
		for _, item := range u.Items {
			all = append(all, item.Content+item.Summary)
		}
	}
	return all
}

// patience is how long a test waits for what must come.
const patience = 10 * time.Minute

// await waits until something is.
func (k *taker) await(what string, is func() bool) {
	k.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			k.t.Fatalf("it never came that %s", what)
		}
	}
}

// isGone reports whether the node has let go of the channel.
func (k *taker) isGone() bool {
	_, err := k.store.Content.Watch(k.t.Context(), k.url)
	_, shared := k.coop.Get(engine.ID(tidings.IDOf(k.url)))
	return errors.Is(err, tidings.ErrNotFollowed) && !shared && !k.coop.config.Scheduler.Has(k.url)
}

func rss(items string) string {
	return `<rss version="2.0"><channel><title>T</title>` + items + `</channel></rss>`
}

func item(id, text string) string {
	return `<item><guid>` + id + `</guid><title>` + id + `</title><description>` + text + `</description></item>`
}

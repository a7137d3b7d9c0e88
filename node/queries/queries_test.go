package queries

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/source/news"
	"tidings/store"
	"tidings/store/shared"
)

// desk is queries on a store of their own, and the node around them.
type desk struct {
	t      testing.TB
	store  *store.Store
	q      *Queries
	mu     sync.Mutex
	wake   chan struct{}
	wanted []string
	asked  []string // fingerprints of keys that feeds were read for
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	s, err := store.Open(context.Background(), store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &desk{t: t, store: s, wake: make(chan struct{})}
	d.restart()
	return d
}

// restart has the queries begin anew, as after a stop of the node.
func (d *desk) restart() {
	d.t.Helper()
	d.q = New(d, d.store.Content, d.store.DB, feed.Default(), slog.New(slog.DiscardHandler))
	d.refresh()
}

func (d *desk) refresh() {
	d.t.Helper()
	if err := d.q.Refresh(context.Background()); err != nil {
		d.t.Fatal(err)
	}
}

// Names reports whether a fingerprint is that of the key that all feeds name.
func (d *desk) Names(_ context.Context, _, fingerprint string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, fingerprint)
	return fingerprint == namedKey, nil
}

const namedKey = "the key that feeds name"

func (d *desk) Spread(context.Context) time.Duration { return 0 }

func (d *desk) Wake() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wake
}

func (d *desk) Record(ctx context.Context, channel string, f *tidings.Change) error {
	_, err := d.store.Apply(ctx, store.Remote{Version: shared.Version{URL: channel}, Change: f})
	d.ring()
	return err
}

func (d *desk) ring() {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.wake)
	d.wake = make(chan struct{})
}

func (d *desk) Routed() bool { return false }

func (d *desk) Want(topics []string) { d.wanted = topics }

// work has the queries look at all that has come.
func (d *desk) work() {
	d.t.Helper()
	if err := d.q.work(context.Background()); err != nil {
		d.t.Fatal(err)
	}
}

// follow has the owner follow a query, and returns its channel.
func (d *desk) follow(text string) string {
	d.t.Helper()
	s := store.Subscription{URL: tidings.QueryURL(text), Kind: tidings.KindQuery, Title: text,
		Privacy: tidings.Unlisted}
	if _, _, err := d.store.Subscribe(context.Background(), tidings.Owner, s); err != nil {
		d.t.Fatal(err)
	}
	d.refresh()
	return s.URL
}

// channel has the owner follow a feed.
func (d *desk) channel(url string, p tidings.Privacy) {
	d.t.Helper()
	if _, _, err := d.store.Subscribe(context.Background(), tidings.Owner,
		store.Subscription{URL: url, Privacy: p}); err != nil {
		d.t.Fatal(err)
	}
}

// story is an item of a made-up feed: a guid, a title and a text.
type story [3]string

func read(t testing.TB, url string, stories []story) *feed.Document {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>The Paper</title><link>https://x.example/</link>`)
	for _, s := range stories {
		fmt.Fprintf(&b, `<item><guid isPermaLink="false">%s</guid><link>https://x.example/%s</link><title>%s</title><category>%s</category>`+
			`<description><![CDATA[<p>%s &amp; <a href="/more">more</a> <script>x</script>]]></description></item>`,
			s[0], s[0], s[1], s[1], s[2])
	}
	b.WriteString(`</channel></rss>`)
	doc, err := feed.Parse([]byte(b.String()), "", url, feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// found stores what a poll of a feed has found.
func (d *desk) found(url string, stories ...story) {
	d.t.Helper()
	doc := read(d.t, url, stories)
	known, upTo, err := d.store.Content.KnownLike(context.Background(), url, doc.Marks())
	if err != nil {
		d.t.Fatal(err)
	}
	f := &tidings.Change{Kind: tidings.KindFeed, Title: doc.Title, Items: feed.Match(known, doc), KnownUpTo: upTo,
		Found: time.Now(), FoundBy: "other"}
	if _, err := d.store.Apply(context.Background(),
		store.Remote{Version: shared.Version{URL: url}, Change: f}); err != nil {
		d.t.Fatal(err)
	}
	d.ring()
}

// event returns what the network brings of a feed; change makes something else of the changeset.
func event(t testing.TB, url string, version uint64, stories []story, change func(*changeset.Set)) Event {
	t.Helper()
	found := feed.Match(nil, read(t, url, stories))
	p := &changeset.Set{Kind: tidings.KindFeed, Title: "The Paper", Site: "https://x.example/"}
	for _, i := range found {
		p.Items = append(p.Items, feed.Carried{FoundItem: i, Whole: true})
	}
	hash := tidings.ContentHash(p.Marks())
	if change != nil {
		change(p)
	}
	payload, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return Event{Channel: url, Version: version, Hash: hash, Payload: payload, FoundBy: "finder", Found: time.Now()}
}

// shown returns what a query has reported: of each item its ID, change and title.
func (d *desk) shown(channel string) (all []string) {
	d.t.Helper()
	updates, err := d.store.Reader.Updates(context.Background(), tidings.Owner,
		tidings.UpdateQuery{Channel: channel, Limit: tidings.MaxLimit})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, u := range updates {
		for _, i := range u.Items {
			all = append(all, fmt.Sprintf("%s %s %s", i.ID, i.Change, i.Title))
		}
	}
	return all
}

func (d *desk) expect(channel string, want ...string) {
	d.t.Helper()
	if got := d.shown(channel); !slices.Equal(got, want) {
		d.t.Errorf("told was\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const (
	paper = "https://paper.example/feed"
	other = "https://other.example/feed"
)

// Items of public feeds in the store are matched. New and changed ones are reported, each once, with their source.
func TestQueriesSelectFromTheStore(t *testing.T) {
	d := newDesk(t)
	d.channel(paper, tidings.Public)
	d.found(paper, story{"0", "Goal before", "t"})
	goals := d.follow("headline LIKE '%goal%'")
	all := d.follow("TRUE")
	d.channel(other, tidings.Unlisted)
	d.found(other, story{"1", "Goal of nobody's business", "t"})
	d.found(paper, story{"2", "Weather", "rain"}, story{"1", "Goal!", "t"}, story{"0", "Goal before", "t"})
	d.work()
	d.expect(goals, paper+" 1 new Goal!")
	d.expect(all, paper+" 2 new Weather", paper+" 1 new Goal!")

	d.found(paper, story{"1", "Goal?", "t"}, story{"2", "Weather", "sun"})
	d.work()
	d.work()
	d.restart()
	d.work()
	d.expect(goals, paper+" 1 new Goal!", paper+" 1 changed Goal?")
	d.expect(all, paper+" 2 new Weather", paper+" 1 new Goal!", paper+" 1 changed Goal?", paper+" 2 changed Weather")

	u, err := d.store.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Channel: goals})
	if err != nil {
		t.Fatal(err)
	}
	i := u[0].Items[0]
	if u[0].FoundBy != "other" || u[0].Kind != tidings.KindFeed || i.URL != "https://x.example/1" || i.Source == nil ||
		*i.Source != (tidings.Source{URL: paper, Title: "The Paper"}) ||
		i.Content+i.Summary != `<p>t &amp; <a href="https://x.example/more">more</a></p>` &&
			!strings.Contains(i.Content+i.Summary, "<p>t &amp; ") {
		t.Errorf("the first update is %+v", u[0])
	}
	if entries, err := d.store.Entries(t.Context(), tidings.Owner,
		tidings.EntryQuery{Channel: goals, Unread: true}); err != nil || len(entries) != 1 {
		t.Errorf("%d are unread, %v", len(entries), err)
	}
}

// Items that come while the node is away are matched when it is back. Items from before the first followed query never
// are.
func TestTheCursor(t *testing.T) {
	d := newDesk(t)
	d.channel(paper, tidings.Public)
	first := d.follow("headline LIKE '%goal%'")
	d.found(paper, story{"1", "Goal 1", "t"})
	d.restart()
	d.work()
	d.expect(first, paper+" 1 new Goal 1")
	if _, err := d.store.Unsubscribe(t.Context(), tidings.Owner, first); err != nil {
		t.Fatal(err)
	}
	d.refresh()
	d.found(paper, story{"2", "Goal 2", "t"})
	d.restart()
	second := d.follow("headline LIKE 'goal%'")
	d.work()
	d.expect(second)
	d.found(paper, story{"3", "Goal 3", "t"})
	d.work()
	d.expect(second, paper+" 3 new Goal 3")
}

// A channel that has ended announces that to its followers, and not to queries.
func TestNoticesAreNoNews(t *testing.T) {
	d := newDesk(t)
	d.channel(paper, tidings.Public)
	all := d.follow("TRUE")
	d.found(paper, story{"1", "Goal", "t"})
	notice := &tidings.Change{Kind: tidings.KindFeed, Found: time.Now(),
		Notice: &tidings.Item{ID: tidings.NoticeID("ended", tidings.IDOf(paper)), Title: "It has ended"}}
	if _, err := d.store.Apply(t.Context(),
		store.Remote{Version: shared.Version{URL: paper}, Change: notice}); err != nil {
		t.Fatal(err)
	}
	d.work()
	d.expect(all, paper+" 1 new Goal")
}

// Events are matched if the store does not have their channel. An older version reports what is new and changes
// nothing.
func TestQueriesSelectFromTheNetwork(t *testing.T) {
	d := newDesk(t)
	goals := d.follow("headline LIKE '%goal%'")
	send := func(version uint64, stories ...story) {
		t.Helper()
		d.q.arrived(event(t, paper, version, stories, nil))
		d.work()
	}
	send(3, story{"1", "Goal 1, later", "t"}, story{"2", "Weather", "t"})
	send(3, story{"1", "Goal 1, later", "t"}, story{"2", "Weather", "t"})
	send(2, story{"1", "Goal 1", "t"}, story{"0", "Goal 0", "t"})
	send(4, story{"1", "Goal 1, last", "t"})
	want := []string{paper + " 1 new Goal 1, later", paper + " 0 new Goal 0", paper + " 1 changed Goal 1, last"}
	d.expect(goals, want...)

	// Of items that the sender holds to be known, nothing came.
	d.q.arrived(event(t, paper, 6, []story{{"7", "Goal 7", "t"}, {"8", "Goal 8", "t"}}, func(p *changeset.Set) {
		p.Items[0] = feed.Carried{FoundItem: tidings.FoundItem{Mark: p.Items[0].Mark}}
	}))
	d.work()
	want = append(want, paper+" 8 new Goal 8")
	d.expect(goals, want...)

	// That it is followed in a private way, or has not been read so far, changes nothing.
	d.channel(other, tidings.Unlisted)
	d.found(other, story{"0", "Goal of nobody's business", "t"})
	d.q.arrived(event(t, other, 1, []story{{"1", "Goal of others", "t"}}, nil))
	d.channel(paper, tidings.Public)
	send(7, story{"9", "Goal 9", "t"})
	want = append(want, other+" 1 new Goal of others", paper+" 9 new Goal 9")
	d.expect(goals, want...)

	// Now it is followed here as well. What the store gets is the same as what came, and further items are left to the
	// store.
	d.found(paper, story{"1", "Goal 1, last", "t"}, story{"0", "Goal 0", "t"}, story{"9", "Goal 9", "t"})
	d.work()
	d.expect(goals, want...)
	send(8, story{"5", "Goal 5", "t"})
	d.expect(goals, want...)
	d.found(paper, story{"5", "Goal 5", "t"})
	d.work()
	d.expect(goals, append(want, paper+" 5 new Goal 5")...)
}

// Hostile: an event that its changeset does not prove has no items.
func TestForgedEventsAreRefused(t *testing.T) {
	stories := []story{{"1", "Goal 1", "t"}, {"2", "Goal 2", "t"}}
	for name, change := range map[string]func(*changeset.Set){
		"another title": func(p *changeset.Set) { p.Items[0].Title = "Goal, forged" },
		"another text": func(p *changeset.Set) {
			p.Items[1].Raw, p.Items[1].Content, p.Items[1].Summary = "forged", "forged", "forged"
		},
		"another link":     func(p *changeset.Set) { p.Items[0].URL = "https://attacker.example/" },
		"another guid":     func(p *changeset.Set) { p.Items[0].ID = "forged" },
		"one more":         func(p *changeset.Set) { p.Items = append(p.Items, p.Items[0]); p.Items[2].Mark.ID++ },
		"one less":         func(p *changeset.Set) { p.Items = p.Items[:1] },
		"one twice":        func(p *changeset.Set) { p.Items = append(p.Items, p.Items[0]) },
		"no whole item":    func(p *changeset.Set) { p.Items[0].Whole, p.Items[1].Whole = false, false },
		"a page":           func(p *changeset.Set) { p.Kind, p.Items = tidings.KindPage, nil },
		"another document": func(p *changeset.Set) { p.Items[0].Mark.Print++ },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			all := d.follow("TRUE")
			d.q.arrived(event(t, paper, 1, stories, change))
			d.q.arrived(Event{Channel: paper, Version: 2, Payload: []byte("no changeset")})
			d.q.arrived(Event{Channel: paper, Version: 3})
			d.work()
			d.expect(all)
			d.q.arrived(event(t, paper, 4, stories[:1], nil))
			d.work()
			d.expect(all, paper+" 1 new Goal 1")
		})
	}
}

// What a publisher has signed is its publisher's in a query too.
func TestSignedItemsStaySigned(t *testing.T) {
	d := newDesk(t)
	d.channel(paper, tidings.Public)
	all := d.follow("TRUE")
	f := &tidings.Change{Kind: tidings.KindFeed, Items: feed.Match(nil, read(t, paper, []story{{"1", "Goal", "t"}})),
		Found: time.Now(), SignedBy: "print"}
	if _, err := d.store.Apply(t.Context(), store.Remote{Version: shared.Version{URL: paper}, Change: f}); err != nil {
		t.Fatal(err)
	}
	d.work()
	u, err := d.store.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Channel: all})
	if err != nil || len(u) != 1 || u[0].SignedBy != "print" || u[0].FoundBy != "" {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestVersionsAreBounded(t *testing.T) {
	var v versions
	for i := range maxVersions + 1 {
		if v.overtaken(fmt.Sprint(i), 5) {
			t.Fatalf("the first version of %d is overtaken", i)
		}
	}
	if len(v.of) != maxVersions || len(v.order) != maxVersions {
		t.Errorf("%d versions are remembered", len(v.of))
	}
	if v.overtaken("0", 4) || !v.overtaken("2", 4) || v.overtaken("2", 5) || v.overtaken("2", 6) ||
		!v.overtaken("2", 5) {
		t.Error("versions are compared wrongly")
	}
}

// What does not fit into the queue goes, the oldest first.
func TestEventsAreBounded(t *testing.T) {
	e := newEvents()
	for i := range maxEvents + 10 {
		e.add(Event{Version: uint64(i)})
	}
	if first, ok := e.next(); !ok || first.Version != 10 || len(e.waiting) != maxEvents-1 {
		t.Errorf("the first is %d, %d wait", first.Version, len(e.waiting))
	}
	if lost := e.dropped(); lost != 10 || e.dropped() != 0 {
		t.Errorf("%d are lost", lost)
	}
	large := make([]byte, maxEventBytes/2)
	for i := range 3 {
		e.add(Event{Version: uint64(1000 + i), Payload: large})
	}
	if len(e.waiting) != 2 || e.bytes != maxEventBytes {
		t.Errorf("%d wait, of %d bytes", len(e.waiting), e.bytes)
	}
	e.add(Event{Payload: make([]byte, maxEventBytes+1)})
	if len(e.waiting) != 1 {
		t.Errorf("one that is too large leaves %d", len(e.waiting))
	}
	for {
		if _, ok := e.next(); !ok {
			break
		}
	}
	if e.bytes != 0 || e.waiting != nil {
		t.Errorf("%d bytes are left", e.bytes)
	}
}

// The network gets the topics of all queries together, and those of withdrawals. For a query that all items may match,
// and for too many topics, it gets the topic of all.
func TestTopicsThatAreWanted(t *testing.T) {
	d := newDesk(t)
	d.follow("publisher = 'b'")
	d.follow("publisher = 'a' AND urgency < 3")
	d.follow("publisher = 'a' AND urgency < 2")
	if want := []string{"publisher:a", "publisher:b", "status:canceled", "status:withheld"}; !slices.Equal(d.wanted,
		want) {
		t.Errorf("wanted is %q, want %q", d.wanted, want)
	}
	wide := d.follow("urgency IS NOT NULL")
	if want := []string{news.TopicAny}; !slices.Equal(d.wanted, want) {
		t.Errorf("wanted is %q, want %q", d.wanted, want)
	}
	if _, err := d.store.Unsubscribe(t.Context(), tidings.Owner, wide); err != nil {
		t.Fatal(err)
	}
	for i := range maxTopics/60 + 1 {
		var list []string
		for j := range 60 {
			list = append(list, fmt.Sprintf("'p%d-%d'", i, j))
		}
		d.follow("publisher IN (" + strings.Join(list, ", ") + ")")
	}
	if want := []string{news.TopicAny}; !slices.Equal(d.wanted, want) {
		t.Errorf("wanted are %d topics", len(d.wanted))
	}
}

// An item that a query selects and that its channel brings is known to be one. It is shown once, with both labels, and
// changes once.
func TestASelectedItemIsOneWithThatOfItsChannel(t *testing.T) {
	d := newDesk(t)
	d.channel(paper, tidings.Public)
	d.found(paper, story{"0", "Before", "t"})
	goals := d.follow("headline LIKE '%goal%'")
	d.found(paper, story{"2", "Weather", "rain"}, story{"1", "Goal!", "t"}, story{"0", "Before", "t"})
	d.work()
	for _, title := range []string{"Goal!", "Goal?"} {
		entries, err := d.store.Entries(t.Context(), tidings.Owner, tidings.EntryQuery{Unread: true})
		if err != nil {
			t.Fatal(err)
		}
		shown := ""
		for _, e := range entries {
			shown += fmt.Sprintf("%s %d; ", e.Content.Title, len(e.Also))
		}
		if want := title + " 1; "; strings.Count(shown, "Goal") != 1 || !strings.Contains(shown, want) {
			t.Errorf("shown are %q", shown)
		}
		if doubled, err := d.store.Twins.Doubled(t.Context(), tidings.Owner); err != nil || len(doubled) != 1 ||
			doubled[0] != (tidings.Doubled{Query: goals, Of: paper, Unread: 1}) {
			t.Errorf("counted twice: %v, %v", doubled, err)
		}
		d.found(paper, story{"2", "Weather", "rain"}, story{"1", "Goal?", "t"}, story{"0", "Before", "t"})
		d.work()
	}
}

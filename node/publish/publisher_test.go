package publish

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pieces"
	"tidings/node/keyring"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/store"
	"tidings/store/db"
	"tidings/store/published"
	"tidings/view"
)

// press is the node around a Publisher: Host, Trees and Files.
type press struct {
	taken chan struct{}       // one for each time that the store has noted what others have
	said  chan engine.Message // what was given to the trees
	quit  chan engine.ID      // topics that are no longer spoken for

	loop    sync.Mutex
	topics  map[engine.ID]feedtree.Authoring
	last    uint64           // number of the last item that the trees have
	refused map[uint64]error // items that the trees do not accept
}

func (p *press) InLoop(_ context.Context, f func()) {
	p.loop.Lock()
	defer p.loop.Unlock()
	f()
}
func (p *press) Work(job func(context.Context)) { go job(context.Background()) }
func (p *press) IsAlone(context.Context) bool   { return true }
func (p *press) Taken()                         { p.taken <- struct{}{} }

// Archive keeps all.
func (p *press) Archive(_ context.Context, items []published.Item) (kept []uint64) {
	for _, i := range items {
		kept = append(kept, i.Number)
	}
	return kept
}

// trees are those of a press.
type trees struct{ *press }

func (tr trees) Author(a feedtree.Authoring) error { tr.topics[a.Topic] = a; return nil }
func (tr trees) Checking(engine.ID) bool           { return false }

func (tr trees) LeaveOut(_ engine.ID, from, to uint64) {
	if from <= tr.last+1 {
		tr.last = max(tr.last, to)
	}
}

func (tr trees) Unauthor(topic engine.ID) {
	if _, spoke := tr.topics[topic]; spoke {
		delete(tr.topics, topic)
		tr.quit <- topic
	}
}

// Publish leaves no number out, as FeedTree's.
func (tr trees) Publish(_ engine.ID, event engine.Message) error {
	if item, ok := event.(*feedtree.Item); ok {
		if err := tr.refused[item.Number]; err != nil {
			return err
		}
		if item.Number > tr.last+1 {
			return feedtree.ErrNumber
		}
		tr.last = max(tr.last, item.Number)
	}
	tr.said <- event
	return nil
}

// noFiles keeps no files.
type noFiles struct{}

func (noFiles) Publish() (end func()) { return func() {} }
func (noFiles) MaxLength() int64      { return 0 }
func (noFiles) Unpublished()          {}
func (noFiles) Keep(context.Context, *os.File, fs.FileInfo) (pieces.Ref, bool, error) {
	return pieces.Ref{}, false, fs.ErrInvalid
}

// newPublisher returns a Publisher that has a key and does not run yet.
func newPublisher(t *testing.T) (*Publisher, *press) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	keys := keyring.In(t.TempDir())
	if _, err := keys.New("me", ""); err != nil {
		t.Fatal(err)
	}
	around := &press{taken: make(chan struct{}, 100), said: make(chan engine.Message, 100),
		quit: make(chan engine.ID, 100), topics: make(map[engine.ID]feedtree.Authoring),
		refused: make(map[uint64]error)}
	p, err := New(around, Config{
		Store: s.Published, Settings: s.DB, Files: noFiles{}, Keys: keys, Feed: feed.Default(), Fetch: fetch.Default(),
		BodyLimit: 1 << 20, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	p.Start(trees{around})
	return p, around
}

// run has a Publisher run until the test ends, or the function that it returns is called.
func run(t *testing.T, p *Publisher) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { p.Run(ctx); close(ended) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

// next returns what comes next.
func next[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(10 * time.Minute): // only if it never comes
		t.Fatal("nothing comes")
	}
	return v
}

// An order's items from before the Publisher runs are sent when it does. When another node has them, the store knows
// and they are not sent again. A publication that stops announces it, and sends nothing more.
func TestAnItemOnItsWay(t *testing.T) {
	p, around := newPublisher(t)
	issued, err := p.Publish(t.Context(), view.PublishOrder{Document: []byte(feedOf(story{"One", "1"})),
		Channel: ownFeed})
	if err != nil || len(issued.Items) != 1 || issued.Items[0].Number != 1 || issued.Publication.Unsent != 1 {
		t.Fatalf("%+v, %v", issued, err)
	}
	if word := p.all()[0].word(time.Hour); word != nil {
		t.Errorf("%+v is said before the item is", word)
	}
	stop := run(t, p)
	item, ok := next(t, around.said).(*feedtree.Item)
	if !ok || item.Number != 1 {
		t.Fatalf("%+v is said first", item)
	}
	topic := p.all()[0].topic
	if err := item.Verify(topic, time.Now(), time.Minute); err != nil {
		t.Error(err)
	}
	promise, ok := next(t, around.said).(*feedtree.Heartbeat)
	if !ok || promise.Number != 1 || promise.Silence != uint32(UsualSilence/time.Second) {
		t.Errorf("%+v is promised", promise)
	}
	around.InLoop(t.Context(), func() {
		p.Arrived(topic, item.Number, engine.ID{1})
	})
	if all, err := p.Publications(t.Context()); err != nil || all[0].Unsent != 0 { // the store notes it a moment later
		t.Errorf("when another node has it: %+v, %v", all, err)
	}
	next(t, around.taken)
	if all, err := p.Publications(t.Context()); err != nil || len(all) != 1 || all[0].Unsent != 0 ||
		all[0].Trouble != "" {
		t.Errorf("%+v, %v", all, err)
	}
	if err := p.StopPublishing(t.Context(), ownFeed); err != nil {
		t.Fatal(err)
	}
	if last, ok := next(t, around.said).(*feedtree.Heartbeat); !ok || last.Silence != 0 || last.Number != 1 {
		t.Errorf("the last word is %+v", last)
	}
	if gone := next(t, around.quit); gone != topic {
		t.Error("it goes on speaking")
	}
	if _, err := p.Publish(t.Context(), view.PublishOrder{Document: []byte(feedOf(story{"One", "1"})),
		Channel: ownFeed}); err != nil {
		t.Fatal(err)
	}
	if again, ok := next(t, around.said).(*feedtree.Heartbeat); !ok || again.Silence != promise.Silence {
		t.Errorf("when it is taken up again %+v is promised", again)
	}
	around.InLoop(t.Context(), func() {
		if _, speaks := around.topics[topic]; !speaks {
			t.Error("nobody speaks for what is taken up again")
		}
	})
	stop()
	if _, err := p.Publish(t.Context(),
		view.PublishOrder{Document: []byte(feedOf(story{"One", "1"}, story{"Two", "2"})),
			Channel: ownFeed}); err != nil {
		t.Errorf("what is published while the node stops is kept: %v", err)
	}
}

// After a start an order may come before the Publisher runs. What it leaves open of a publication stays.
func TestAnOrderBeforeAPublicationIsResumed(t *testing.T) {
	p, around := newPublisher(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "feed.xml")
	writeFile(t, file, feedOf(story{"One", "1"}))
	if _, err := p.Publish(t.Context(), view.PublishOrder{Source: file, Channel: ownFeed, Watch: true, FullContent: dir,
		MaxSilence: 60}); err != nil {
		t.Fatal(err)
	}
	for name, order := range map[string]func(*Publisher) error{
		"a document": func(p *Publisher) error {
			_, err := p.Publish(t.Context(), view.PublishOrder{Document: []byte(feedOf(story{"Two", "2"})),
				Channel: ownFeed})
			return err
		},
		"an entry": func(p *Publisher) error {
			_, err := p.PublishEntry(t.Context(), ownFeed, "", tidings.PublishedEntry{ID: "3", Title: "Three"})
			return err
		},
	} {
		again, err := New(around, p.config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = again.Close() })
		if err := order(again); err != nil {
			t.Fatal(err)
		}
		if all, err := again.Publications(t.Context()); err != nil || all[0].Watched != file ||
			all[0].FullContent != dir || all[0].MaxSilence != 60 {
			t.Errorf("after %s: %+v, %v", name, all, err)
		}
	}
}

// Items that were sent and reached no node, as the publication has no followers, go to the archive: then other nodes
// have them. What was not sent may be numbered anew, and is not.
func TestWhatNobodyFollowsIsArchived(t *testing.T) {
	p, around := newPublisher(t)
	if _, err := p.Publish(t.Context(), view.PublishOrder{Document: []byte(feedOf(story{"One", "1"})),
		Channel: ownFeed}); err != nil {
		t.Fatal(err)
	}
	unsent := func() int {
		all, err := p.Publications(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all[0].Unsent
	}
	c := p.all()[0]
	c.deposit(t.Context())
	if len(c.flights.arrivals()) > 0 {
		t.Error("what was not sent is archived")
	}
	run(t, p)
	if _, ok := next(t, around.said).(*feedtree.Item); !ok {
		t.Fatal("something else is sent first")
	}
	c.deposit(t.Context())
	next(t, around.taken)
	if n := unsent(); n != 0 {
		t.Errorf("%d items are unsent", n)
	}
}

// An item may be refused by FeedTree, or be damaged. It delays none after it. The publication reports the reason until
// it is sent. It is not archived, and it is offered again when its flight is forgotten.
func TestAnItemThatCannotBeSentHoldsUpNone(t *testing.T) {
	setItem := func(t *testing.T, p *Publisher, item []byte) (was []byte) {
		t.Helper()
		if err := p.settings.Write(t.Context(), func(tx *db.Tx) error {
			if err := db.Each(tx.Conn, `SELECT item FROM published WHERE number = 1`, func(r *sqlite.Stmt) error {
				was = db.ColumnBlob(r, 0)
				return nil
			}); err != nil {
				return err
			}
			return db.Exec(tx.Conn, `UPDATE published SET item = ? WHERE number = 1`, item)
		}); err != nil {
			t.Fatal(err)
		}
		return was
	}
	why := errors.New("the trees do not want it")
	var kept []byte
	for name, test := range map[string]struct {
		spoil, mend func(*testing.T, *Publisher, *press)
	}{
		"not accepted": {
			func(_ *testing.T, _ *Publisher, around *press) { around.refused[1] = why },
			func(_ *testing.T, _ *Publisher, around *press) { delete(around.refused, 1) },
		},
		"damaged": {
			func(t *testing.T, p *Publisher, _ *press) { kept = setItem(t, p, []byte("dust")) },
			func(t *testing.T, p *Publisher, _ *press) { setItem(t, p, kept) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, around := newPublisher(t)
			stories := []story{{"One", "1"}, {"Two", "2"}, {"Three", "3"}}
			if _, err := p.Publish(t.Context(), view.PublishOrder{Document: []byte(feedOf(stories...)),
				Channel: ownFeed}); err != nil {
				t.Fatal(err)
			}
			test.spoil(t, p, around)
			c := p.all()[0]
			offer := func() (numbers []uint64, unsent int, err error) {
				unsent, err = c.sendSome(t.Context())
				for len(around.said) > 0 {
					numbers = append(numbers, (<-around.said).(*feedtree.Item).Number)
				}
				return numbers, unsent, err
			}
			for range 2 { // the second time nothing is to be sent
				numbers, unsent, err := offer()
				if err == nil || unsent != 3 || !strings.Contains(err.Error(), "item 1") {
					t.Fatalf("%d are unsent, %v", unsent, err)
				}
				if want := []uint64{2, 3}; len(numbers) > 0 && !slices.Equal(numbers, want) || around.last != 3 {
					t.Fatalf("items %v are sent, the trees' last is %d", numbers, around.last)
				}
			}
			if word := c.word(time.Hour); word == nil || word.Number != 3 {
				t.Errorf("%+v is promised", word)
			}
			c.deposit(t.Context())
			if taken := c.flights.arrivals(); !slices.Equal(taken, []uint64{2, 3}) {
				t.Errorf("items %v are archived", taken)
			}
			test.mend(t, p, around)
			c.flights.forget()
			numbers, _, err := offer()
			if err != nil || !slices.Equal(numbers, []uint64{1}) {
				t.Errorf("once it can be sent %v are, %v", numbers, err)
			}
			c.deposit(t.Context())
			if taken := c.flights.arrivals(); !slices.Equal(taken, []uint64{1}) {
				t.Errorf("then items %v are archived", taken)
			}
		})
	}
}

// Why items cannot be sent is shown with the publication, and no longer when they are.
func TestRefusedItemsAreShown(t *testing.T) {
	p, around := newPublisher(t)
	for number := uint64(1); number <= 3; number++ {
		around.refused[number] = errors.New("the trees do not want it")
	}
	stories := []story{{"One", "1"}, {"Two", "2"}, {"Three", "3"}}
	if _, err := p.Publish(t.Context(), view.PublishOrder{Document: []byte(feedOf(stories...)),
		Channel: ownFeed}); err != nil {
		t.Fatal(err)
	}
	c := p.all()[0]
	_, err := c.sendSome(t.Context())
	c.note(&c.unsent, err)
	if want := "3 items cannot be sent: sending item 1: the trees do not want it"; c.trouble() != want {
		t.Errorf("shown is %q", c.trouble())
	}
	clear(around.refused)
	c.flights.forget()
	_, err = c.sendSome(t.Context())
	if c.note(&c.unsent, err); c.trouble() != "" {
		t.Errorf("once they are sent %q is shown", c.trouble())
	}
}

// If others know of a higher number, the publication is overtaken. Items that no node has are numbered anew, above
// that, and sent again.
func TestAnOvertakenPublicationGoesOnAbove(t *testing.T) {
	p, around := newPublisher(t)
	run(t, p)
	if _, err := p.PublishEntry(t.Context(), ownFeed, "", tidings.PublishedEntry{ID: "1", Title: "One"}); err != nil {
		t.Fatal(err)
	}
	for { // its item, and the promise before or after it
		if _, ok := next(t, around.said).(*feedtree.Item); ok {
			break
		}
	}
	p.Overtaken(p.all()[0].topic, 7)
	for {
		if item, ok := next(t, around.said).(*feedtree.Item); ok {
			if item.Number != 8 {
				t.Errorf("it goes on with number %d", item.Number)
			}
			return
		}
	}
}

// A version that kills a news item withdraws the versions before it, by the topic's key. Nothing else is withdrawn, and
// by nothing else.
func TestAKillTakesBackEarlierVersions(t *testing.T) {
	p, around := newPublisher(t)
	run(t, p)
	var items []published.Item
	for _, e := range []tidings.PublishedEntry{
		{ID: "urn:a", Title: "A", News: &tidings.News{GUID: "urn:a", Version: 1, Status: tidings.Usable}},
		{ID: "urn:b", Title: "B", News: &tidings.News{GUID: "urn:b", Version: 1, Status: tidings.Usable}},
		{ID: "c", Title: "C"},
		{ID: "urn:a", Title: "A, corrected", News: &tidings.News{GUID: "urn:a", Version: 2, Status: tidings.Usable}},
		{ID: "urn:a", News: &tidings.News{GUID: "urn:a", Version: 3, Status: tidings.Canceled}},
		{ID: "urn:a", News: &tidings.News{GUID: "urn:a", Version: 4, Status: tidings.Canceled}},
	} {
		answered := make(chan error, 1)
		go func() { _, err := p.PublishEntry(t.Context(), ownFeed, "", e); answered <- err }()
		for {
			if item, ok := next(t, around.said).(*feedtree.Item); ok {
				around.InLoop(t.Context(), func() { p.Arrived(p.all()[0].topic, item.Number, engine.ID{1}) })
				bytes, err := item.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				items = append(items, published.Item{Number: item.Number, Topic: p.all()[0].topic, Signed: bytes})
				break
			}
		}
		if err := next(t, answered); err != nil {
			t.Fatal(err)
		}
	}
	for i, item := range items {
		var want []uint64
		if i >= 4 {
			want = []uint64{1, 4}
		}
		back, err := p.Withdrawals(t.Context(), item)
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, w := range back {
			if err := w.Verify(p.all()[0].topic); err != nil {
				t.Error(err)
			}
			got = append(got, w.Number)
		}
		if !slices.Equal(got, want) {
			t.Errorf("item %d withdraws %d, want %d", item.Number, got, want)
		}
	}
}

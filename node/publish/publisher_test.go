package publish

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pieces"
	"tidings/node/keyring"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/store"
)

// press is the node around a Publisher: Host, Trees and Files.
type press struct {
	taken chan struct{}       // one for each time that the store has noted what others have
	said  chan engine.Message // what was given to the trees
	quit  chan engine.ID      // topics that nobody speaks on any more

	loop   sync.Mutex
	topics map[engine.ID]feedtree.Authoring
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
func (p *press) Archive(_ context.Context, items []store.PublishedItem) (kept []uint64) {
	for _, i := range items {
		kept = append(kept, i.Number)
	}
	return kept
}

// trees are those of a press.
type trees struct{ *press }

func (tr trees) Author(a feedtree.Authoring) error  { tr.topics[a.Topic] = a; return nil }
func (tr trees) Checking(engine.ID) bool            { return false }
func (tr trees) LeaveOut(engine.ID, uint64, uint64) {}

func (tr trees) Unauthor(topic engine.ID) {
	if _, spoke := tr.topics[topic]; spoke {
		delete(tr.topics, topic)
		tr.quit <- topic
	}
}

func (tr trees) Publish(_ engine.ID, event engine.Message) error {
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
	around := &press{taken: make(chan struct{}, 100), said: make(chan engine.Message, 100), quit: make(chan engine.ID, 100), topics: make(map[engine.ID]feedtree.Authoring)}
	p, err := New(around, Config{
		Store: s, Files: noFiles{}, Keys: keys, Feed: feed.Default(), Fetch: fetch.Default(), BodyLimit: 1 << 20, Log: slog.New(slog.DiscardHandler),
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

// What an order publishes before the Publisher runs is sent when it does; when another node has it, the store knows and it is
// not sent again. Who stops says so, and speaks no more.
func TestAnItemOnItsWay(t *testing.T) {
	p, around := newPublisher(t)
	issued, err := p.Publish(t.Context(), tidings.PublishOrder{Document: []byte(feedOf(story{"One", "1"})), Channel: ownFeed})
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
	if all, err := p.Publications(t.Context()); err != nil || len(all) != 1 || all[0].Unsent != 0 || all[0].Trouble != "" {
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
	if _, err := p.Publish(t.Context(), tidings.PublishOrder{Document: []byte(feedOf(story{"One", "1"})), Channel: ownFeed}); err != nil {
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
	if _, err := p.Publish(t.Context(), tidings.PublishOrder{Document: []byte(feedOf(story{"One", "1"}, story{"Two", "2"})), Channel: ownFeed}); err != nil {
		t.Errorf("what is published while the node stops is kept: %v", err)
	}
}

// What was sent and no node has taken, as nobody follows the publication, the archive is given: then other nodes have it. What was not sent may be
// numbered anew, and is not.
func TestWhatNobodyFollowsIsArchived(t *testing.T) {
	p, around := newPublisher(t)
	if _, err := p.Publish(t.Context(), tidings.PublishOrder{Document: []byte(feedOf(story{"One", "1"})), Channel: ownFeed}); err != nil {
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

// What others know of with a higher number is overtaken: what nobody has taken is numbered anew, above that, and sent again.
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

// A version that kills a news item takes back the versions before it, by the topic's key; nothing else is taken back, and by nothing else.
func TestAKillTakesBackEarlierVersions(t *testing.T) {
	p, around := newPublisher(t)
	run(t, p)
	var items []store.PublishedItem
	for _, e := range []tidings.PublishedEntry{
		{ID: "urn:a", Title: "A", News: &tidings.News{GUID: "urn:a", Version: 1, Status: tidings.Usable}},
		{ID: "urn:b", Title: "B", News: &tidings.News{GUID: "urn:b", Version: 1, Status: tidings.Usable}},
		{ID: "c", Title: "C"},
		{ID: "urn:a", Title: "A, corrected", News: &tidings.News{GUID: "urn:a", Version: 2, Status: tidings.Usable}},
		{ID: "urn:a", News: &tidings.News{GUID: "urn:a", Version: 3, Status: tidings.Canceled}},
		{ID: "urn:a", News: &tidings.News{GUID: "urn:a", Version: 4, Status: tidings.Canceled}},
	} {
		published := make(chan error, 1)
		go func() { _, err := p.PublishEntry(t.Context(), ownFeed, "", e); published <- err }()
		for {
			if item, ok := next(t, around.said).(*feedtree.Item); ok {
				around.InLoop(t.Context(), func() { p.Arrived(p.all()[0].topic, item.Number, engine.ID{1}) })
				bytes, err := item.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				items = append(items, store.PublishedItem{Number: item.Number, Topic: p.all()[0].topic, Item: bytes})
				break
			}
		}
		if err := next(t, published); err != nil {
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
			t.Errorf("item %d takes back %d, want %d", item.Number, got, want)
		}
	}
}

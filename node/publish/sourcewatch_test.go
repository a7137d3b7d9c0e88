package publish

import (
	"path/filepath"
	"testing"
	"time"

	"tidings"
	"tidings/network/feedtree"
	"tidings/node/broadcast"
	"tidings/source/feed"
)

// An item that was kept back is published, though its embargo has ended before the source waits for that.
func TestAnEmbargoMayEndWhileItsItemIsKeptBack(t *testing.T) {
	s := &sourceWatch{publication: &publication{again: broadcast.New()}}
	again := s.again.Wait()
	before := time.Now()
	item := feed.Item{}
	item.News = &tidings.News{Embargo: before.Add(time.Nanosecond)}
	s.awaitEmbargo(&feed.Document{Items: []feed.Item{item}}, before)
	<-again
}

// An order begins the watch of a file. The watch leaves the file to the order until that has numbered its items.
// Otherwise the order would report that nothing was new.
func TestTheWatchOfAFileWaitsForTheOrder(t *testing.T) {
	p, around := newPublisher(t)
	run(t, p)
	key, err := p.secrets.unlock("me", "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "feed.xml")
	writeFile(t, file, feedOf(story{"One", "1"}))
	want := publicationOf(ownFeed, key, UsualSilence)
	want.Watched = file
	kept, err := p.store.Publish(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	_, numbered := p.acceptOrder(kept)
	time.Sleep(100 * time.Millisecond) // a watch that does not wait has published by then, unless the machine is slow
	if all, err := p.Publications(t.Context()); err != nil || all[0].Items != 0 {
		t.Errorf("the watch publishes before the order: %+v, %v", all, err)
	}
	numbered()
	for { // the promise may be said before
		if item, ok := next(t, around.said).(*feedtree.Item); ok {
			if item.Number != 1 {
				t.Errorf("the watch publishes number %d", item.Number)
			}
			return
		}
	}
}

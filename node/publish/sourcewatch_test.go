package publish

import (
	"testing"
	"time"

	"tidings"
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

package history

import (
	"context"
	"time"

	"tidings/network/archive"
	"tidings/network/engine"
	"tidings/store/shared"
)

// itemStore is where the archive's items rest: the node's store, behind workers. Its methods are called in the loop.
type itemStore struct {
	*Archive
	limits shared.ArchiveLimits
	writes writes
}

// Put implements archive.Store.
func (s *itemStore) Put(item archive.Held, bytes []byte, kept func(ok bool)) {
	given := shared.Archived{Key: item.Name.Key(), Topic: item.Name.Topic, Number: item.Name.Number, Print: item.Print}
	s.writes.add(write{put: true, do: func(ctx context.Context) {
		err := s.shared.PutArchived(ctx, given, bytes, s.limits)
		s.complain(ctx, err)
		s.host.InLoop(ctx, func() { kept(err == nil) })
	}})
}

// Drop implements archive.Store.
func (s *itemStore) Drop(names []archive.Name) {
	keys := make([]shared.Point, 0, len(names))
	for _, name := range names {
		keys = append(keys, name.Key())
	}
	s.writes.add(write{do: func(ctx context.Context) { s.complain(ctx, s.shared.DropArchived(ctx, keys)) }})
}

// Get implements archive.Store. A damaged item counts as missing: its sender would be believed a liar.
func (s *itemStore) Get(name archive.Name, got func(bytes []byte)) {
	s.host.Work(func(ctx context.Context) {
		bytes, err := s.shared.ArchivedItem(ctx, name.Key())
		s.complain(ctx, err)
		if bytes != nil && !(verifier{}).Genuine(name, bytes) {
			s.log.Error("an item of the archive is damaged", "topic", name.Topic, "number", name.Number)
			bytes = nil
		}
		s.host.InLoop(ctx, func() { got(bytes) })
	})
}

// listAgain is after how long a store is asked again that could not list its items.
const listAgain = 10 * time.Second

// List implements archive.Store. An unreadable store is asked again: if it were believed empty, it would be filled
// anew.
func (s *itemStore) List(after *engine.ID, most int, listed func(items []archive.Held)) {
	var from *shared.Point
	if after != nil {
		from = new(shared.Point)
		*from = *after
	}
	s.host.Work(func(ctx context.Context) {
		page, err := s.shared.Archived(ctx, from, most)
		if err != nil {
			s.complain(ctx, err)
			time.AfterFunc(listAgain, func() { s.List(after, most, listed) })
			return
		}
		items := make([]archive.Held, 0, len(page))
		for _, i := range page {
			items = append(items, archive.Held{Name: archive.Name{Topic: i.Topic, Number: i.Number},
				Size: uint32(i.Size), Print: i.Print})
		}
		s.host.InLoop(ctx, func() { listed(items) })
	})
}

package shared_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"

	"tidings/store"
	"tidings/store/shared"
	"tidings/store/storetest"
)

var roomy = shared.ArchiveLimits{Bytes: 1 << 30, TopicBytes: 1 << 30, Items: 1 << 20}

func archivedAs(key, topic byte, number uint64) (a shared.Archived) {
	a.Key[0], a.Topic[0], a.Number, a.Print = key, topic, number, 1<<63+uint64(key)
	return a
}

// What is kept for the network is there again after the store was closed, and is listed page by page.
func TestArchiveIsKept(t *testing.T) {
	t.Parallel()
	config := storetest.Config(t)
	s := storetest.Open(t, config)
	ctx := t.Context()
	for i := range byte(10) {
		item := bytes.Repeat([]byte{i}, int(i)*1000)
		if err := s.Shared.PutArchived(ctx, archivedAs(200-i, i%3, 1<<64-1-uint64(i)), item, roomy); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = storetest.Open(t, config)
	defer func() { storetest.Close(t, s, config) }()
	var all []shared.Archived
	var after *shared.Point
	for {
		page, err := s.Shared.Archived(ctx, after, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		all = append(all, page...)
		after = &page[len(page)-1].Key
	}
	if len(all) != 10 {
		t.Fatalf("%d items are listed", len(all))
	}
	for i, a := range all {
		n := byte(9 - i)
		want := archivedAs(200-n, n%3, 1<<64-1-uint64(n))
		want.Size = int(n) * 1000
		if a != want {
			t.Errorf("item %d is listed as %+v, not %+v", n, a, want)
		}
		item, err := s.Shared.ArchivedItem(ctx, a.Key)
		if err != nil || !bytes.Equal(item, bytes.Repeat([]byte{n}, int(n)*1000)) || item == nil {
			t.Errorf("item %d: %d bytes, %v", n, len(item), err)
		}
	}
	if item, err := s.Shared.ArchivedItem(ctx, shared.Point{9}); item != nil || err != nil {
		t.Errorf("what was never kept: %v, %v", item, err)
	}
}

// The limits hold, whatever is put and dropped, and what is kept is what a plain list says.
func TestArchiveLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for each of its writes")
	}
	t.Parallel()
	s := storetest.New(t)
	ctx := t.Context()
	limits := shared.ArchiveLimits{Bytes: 1000, TopicBytes: 400, Items: 8}
	rapid.Check(t, func(t *rapid.T) {
		kept := make(map[shared.Point]shared.Archived)
		items := make(map[shared.Point][]byte)
		for range 15 {
			key := shared.Point{rapid.Byte().Draw(t, "key") % 24}
			if rapid.IntRange(0, 4).Draw(t, "what") == 0 {
				if err := s.Shared.DropArchived(ctx, []shared.Point{key, {255}}); err != nil {
					t.Fatal(err)
				}
				delete(kept, key)
				delete(items, key)
				continue
			}
			a := archivedAs(key[0], key[0]%3, uint64(key[0]))
			item := bytes.Repeat([]byte("x"), rapid.IntRange(0, 300).Draw(t, "length"))
			a.Print = rapid.Uint64().Draw(t, "print")
			total, topic, count := len(item), len(item), 1
			for k, b := range kept {
				if k == key {
					continue
				}
				total, count = total+b.Size, count+1
				if b.Topic == a.Topic {
					topic += b.Size
				}
			}
			fits := total <= int(limits.Bytes) && topic <= int(limits.TopicBytes) && count <= limits.Items
			switch err := s.Shared.PutArchived(ctx, a, item, limits); {
			case fits && err != nil, !fits && !errors.Is(err, shared.ErrNoRoom):
				t.Fatalf("%d items of %d bytes, %d of the topic: %v", count, total, topic, err)
			case fits:
				a.Size = len(item)
				kept[key], items[key] = a, item
			}
			checkArchive(t, s, kept, items)
		}
		for key := range kept {
			if err := s.Shared.DropArchived(ctx, []shared.Point{key}); err != nil {
				t.Fatal(err)
			}
		}
		checkArchive(t, s, nil, nil)
	})
}

func checkArchive(t *rapid.T, s *store.Store, kept map[shared.Point]shared.Archived, items map[shared.Point][]byte) {
	ctx := t.Context()
	list, err := s.Shared.Archived(ctx, nil, 100)
	if err != nil || len(list) != len(kept) {
		t.Fatalf("%d items are listed of %d, %v", len(list), len(kept), err)
	}
	if !slices.IsSortedFunc(list, func(a, b shared.Archived) int { return bytes.Compare(a.Key[:], b.Key[:]) }) {
		t.Fatal("they are not in the order of keys")
	}
	var use shared.ArchiveUse
	for _, a := range list {
		use.Items++
		use.Bytes += int64(a.Size)
		item, err := s.Shared.ArchivedItem(ctx, a.Key)
		if a != kept[a.Key] || !bytes.Equal(item, items[a.Key]) || err != nil {
			t.Fatalf("%+v with %d bytes is kept, not %+v with %d; %v", a, len(item), kept[a.Key], len(items[a.Key]),
				err)
		}
	}
	var got shared.ArchiveUse
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) (err error) { got, err = shared.Use(conn, nil); return err })
	if err != nil || got != use {
		t.Fatalf("%+v are counted, not %+v; %v", got, use, err)
	}
}

// Where an item has no room, the one with its key stays.
func TestArchiveKeepsWhatItCannotReplace(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	ctx := t.Context()
	limits := shared.ArchiveLimits{Bytes: 10, TopicBytes: 10, Items: 1}
	if err := s.Shared.PutArchived(ctx, archivedAs(1, 1, 1), []byte("short"), limits); err != nil {
		t.Fatal(err)
	}
	if err := s.Shared.PutArchived(ctx, archivedAs(1, 1, 1), []byte("much too long"), limits); !errors.Is(err,
		shared.ErrNoRoom) {
		t.Fatal(err)
	}
	item, err := s.Shared.ArchivedItem(ctx, shared.Point{1})
	if err != nil || string(item) != "short" {
		t.Errorf("%q, %v", item, err)
	}
}

func BenchmarkPutArchived(b *testing.B) {
	s := storetest.New(b)
	item := bytes.Repeat([]byte("0123456789abcdef"), 256)
	for i := 0; b.Loop(); i++ {
		a := archivedAs(0, byte(i%50), uint64(i))
		copy(a.Key[:], fmt.Sprintf("%020d", i*7919%1000003))
		if err := s.Shared.PutArchived(b.Context(), a, item, roomy); err != nil {
			b.Fatal(err)
		}
	}
}

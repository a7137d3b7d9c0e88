package phones_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
	"tidings/node/phones/phonestest"
	"tidings/store/column"
	"tidings/store/db"
)

// manyItems are in the store of BenchmarkMillion, of 1,000 channels that both people follow, ten in each version.
const manyItems = 1_000_000

// million fills an empty store. To Ann the ten newest of each channel are unread: all below is below what was seen. To
// Ben the same are unread, but what was read is marked item by item. The oldest of each channel is unread too.
func million(b *testing.B, n *phonestest.Node) {
	b.Helper()
	text := column.Pack("<p>" + fmt.Sprintf("%0180d", 7) +
		" and <a href=\"https://feed.example/\">more</a> of <b>it</b>.</p>")
	err := n.Store.DB.Write(b.Context(), func(t *db.Tx) error {
		const numbers = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1) `
		for _, s := range []struct {
			sql  string
			args []any
		}{
			{numbers + `INSERT INTO channel (id, url, kind, title, privacy, version, latest, added)
				SELECT i + 1, 'https://feed' || i || '.example/rss', 'feed', 'Feed ' || i, 'public', ?2, ?3 + i + 1, 1
				FROM n`, []any{1000, 100, 99_000}},
			{`INSERT INTO watch (channel) SELECT id FROM channel`, nil},
			{numbers + `INSERT INTO version (id, channel, version, kind, received, first, last)
				SELECT i + 1, i % 1000 + 1, i / 1000 + 1, 'feed', ?2 + i * 1000000, i * 10 + 1, i * 10 + 10
				FROM n`, []any{manyItems / 10, n.Now().Add(-manyItems / 10 * time.Second)}},
			{numbers + `INSERT INTO item (channel, id, guid, link, title, date, print, latest, arrived)
				SELECT i / 10 % 1000 + 1, i + 1, i + 1, 0, 0, 0, 1, i + 1, ?2 + i / 10 * 1000000 FROM n
				ORDER BY i / 10 % 1000, i`,
				[]any{manyItems, n.Now().Add(-manyItems / 10 * time.Second)}},
			{numbers + `INSERT INTO revision (id, version, channel, item, before, change, guid, url, title, author,
				published, extra, content)
				SELECT i + 1, i / 10 + 1, i / 10 % 1000 + 1, i + 1, 0, 'new', 'g' || i, 'https://feed.example/' || i,
				'Item ' || i, 'Eve', ?2 + i / 10 * 1000000, '', ?3 FROM n`,
				[]any{manyItems, n.Now().Add(-manyItems/10*time.Second - time.Hour), text}},
			{`INSERT INTO subscription (account, channel, since, seen, read) SELECT 1, id, 1, ?1, ?2 FROM channel`,
				[]any{manyItems - 10_000, 990}},
			{`INSERT INTO subscription (account, channel, since, seen, read) SELECT 2, id, 1, 0, ?1 FROM channel`,
				[]any{989}},
			{`INSERT INTO mark (account, channel, item, read, changed) SELECT 2, channel, id, latest, 1 FROM item
				WHERE id > 10000 AND id <= ?1 OR id <= 10000 AND id % 10 != 1
				ORDER BY channel, id`, []any{manyItems - 10_000}},
			{`UPDATE indexed SET upto = ?1`, []any{manyItems}},
			{`UPDATE sequence SET last = ?1`, []any{manyItems}},
		} {
			if err := db.Exec(t.Conn, s.sql, s.args...); err != nil {
				return fmt.Errorf("%s: %w", s.sql, err)
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkMillion is what readers ask of a library of a million items: 10,000 numbers, or the texts of 250 items.
func BenchmarkMillion(b *testing.B) {
	if testing.Short() {
		b.Skip("it stores a million items")
	}
	dir, err := os.MkdirTemp(b.TempDir(), "data")
	if err != nil {
		b.Fatal(err)
	}
	library, err := phonestest.Open(dir, synctest.SampleTime)
	if err != nil {
		b.Fatal(err)
	}
	defer library.Store.Close()
	began := time.Now()
	million(b, library)
	b.Logf("%d items stored in %v", manyItems, time.Since(began).Round(time.Second))
	var newest []int64
	numbers := func(name string, p sync.Person, want int, q sync.Query) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				found, err := library.Numbers(context.Background(), p, q)
				if err != nil || len(found) != want {
					b.Fatalf("%d numbers, not %d (%v)", len(found), want, err)
				}
				newest = found
			}
			inMilliseconds(b)
		})
	}
	numbers("unread", synctest.Ann, 10_000, sync.Query{Read: sync.Without})
	unread := newest
	numbers("unread-marks", synctest.Ben, 11_000, sync.Query{Read: sync.Without})
	began = time.Now()
	for done := false; !done; {
		if done, err = library.Store.Prune(b.Context(), library.Now(), time.Minute); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("pruned in %v", time.Since(began).Round(time.Millisecond))
	numbers("unread-pruned", synctest.Ben, 11_000, sync.Query{Read: sync.Without})
	numbers("unread-newest", synctest.Ben, 1000, sync.Query{Read: sync.Without, Limit: 1000})
	numbers("newest", synctest.Ann, 10_000, sync.Query{Limit: 10_000})
	numbers("arrived", synctest.Ann, 10_000, sync.Query{ArrivedFrom: library.Now().Add(-1000 * time.Second)})
	numbers("changed", synctest.Ben, 10_000, sync.Query{ChangedFrom: library.Now().Add(-1000 * time.Second)})
	numbers("published", synctest.Ann, 100, sync.Query{Order: sync.ByPublished, Limit: 100})
	numbers("feed", synctest.Ann, 1000, sync.Query{Feeds: []int64{7}})
	b.Run("contents", func(b *testing.B) {
		some := make([]int64, 250)
		for i := range some {
			some[i] = unread[i*len(unread)/len(some)]
		}
		for range b.N {
			if items, err := library.ItemsOf(context.Background(), synctest.Ann, some); err != nil ||
				len(items) != len(some) {
				b.Fatal(len(items), err)
			}
		}
		inMilliseconds(b)
	})
	edited(b, library)
	numbers("edits-unread", synctest.Ann, 20_000, sync.Query{Read: sync.Without})
	numbers("edits-newest", synctest.Ann, 10_000, sync.Query{Limit: 10_000})
	b.Run("count", func(b *testing.B) {
		for range b.N {
			if n, err := library.Count(context.Background(), synctest.Ben,
				sync.Query{Read: sync.Without}); err != nil || n != 11_000 {
				b.Fatal(n, err)
			}
		}
		inMilliseconds(b)
	})
}

// edited shows Ann edits as items of their own in all channels: those of the 10,000 newest items.
func edited(b *testing.B, n *phonestest.Node) {
	b.Helper()
	if err := n.Store.DB.Write(b.Context(), func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `UPDATE subscription SET edits = ? WHERE account = 1`, manyItems); err != nil {
			return err
		}
		return db.Exec(t.Conn, `INSERT INTO edit (id, channel, item, latest, before, arrived)
			SELECT id + ?2, channel, id, latest, latest, arrived + 1 FROM item WHERE id > ?1`, manyItems-10_000, 10_000)
	}); err != nil {
		b.Fatal(err)
	}
}

func inMilliseconds(b *testing.B) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1e3/float64(b.N), "ms/op")
}

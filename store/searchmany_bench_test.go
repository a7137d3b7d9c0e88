//go:build unix

package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/store/column"
	"tidings/store/content"
	"tidings/store/db"
)

// searchedItems are in the store of BenchmarkSearch, that many times -scale: -scale 20 makes a million.
const searchedItems = 50_000

// fillForSearch stores items of 1,000 channels that the owner follows, each of 40 of 13,824 words of three syllables. A
// word is in one item of 350. It writes rows as Apply does, without its work.
func fillForSearch(b *testing.B, s *Store, items int) {
	b.Helper()
	parts := strings.Fields("ar bel cor dun el far gil hor in jas kel lo mar nen or pal quen ros sil tir un ven wes yl")
	chance := rand.New(rand.NewPCG(1, 1))
	text := column.Pack("<p>" + strings.Repeat("some text of an item ", 10) + "</p>")
	const numbers = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1) `
	now := time.Now()
	if err := s.write(b.Context(), func(t *content.Tx) error {
		for _, w := range []struct {
			sql  string
			args []any
		}{
			{numbers + `INSERT INTO channel (id, url, kind, title, privacy, version, latest, added)
				SELECT i + 1, 'https://feed' || i || '.example/rss', 'feed', 'Feed ' || i, 'public', ?2, ?3 + i + 1, 1
				FROM n`, []any{1000, items / 10_000, items/10 - 1000}},
			{`INSERT INTO watch (channel) SELECT id FROM channel`, nil},
			{numbers + `INSERT INTO version (id, channel, version, kind, received, first, last)
				SELECT i + 1, i % 1000 + 1, i / 1000 + 1, 'feed', ?2 + i * 1000000, i * 10 + 1, i * 10 + 10
				FROM n`, []any{items / 10, now.Add(-100 * day)}},
			{numbers + `INSERT INTO item (channel, id, guid, link, title, date, print, latest, arrived)
				SELECT i / 10 % 1000 + 1, i + 1, i + 1, 0, 0, 0, 1, i + 1, ?2 + i / 10 * 1000000 FROM n
				ORDER BY i / 10 % 1000, i`, []any{items, now.Add(-100 * day)}},
			{numbers + `INSERT INTO revision (id, version, channel, item, before, change, guid, url, title, author,
				published, extra, content)
				SELECT i + 1, i / 10 + 1, i / 10 % 1000 + 1, i + 1, 0, 'new', 'g' || i, 'https://feed.example/' || i,
				'Item ' || i, 'Eve', ?2 + i / 10 * 1000000, '', ?3 FROM n`,
				[]any{items, now.Add(-101 * day), text}},
			{`INSERT INTO subscription (account, channel, since) SELECT 1, id, 1 FROM channel`, nil},
			{`UPDATE indexed SET upto = ?1`, []any{items}},
			{`UPDATE sequence SET last = ?1`, []any{items}},
		} {
			if err := db.Exec(t.Conn, w.sql, w.args...); err != nil {
				return fmt.Errorf("%s: %w", w.sql, err)
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	// as many in one piece of the index, at most, as the store would put there
	for from := 0; from < items; from += 1000 {
		if err := s.write(b.Context(), func(t *content.Tx) error {
			for id := from + 1; id <= from+1000; id++ {
				var words []string
				for range 40 {
					words = append(words, parts[chance.IntN(24)]+parts[chance.IntN(24)]+parts[chance.IntN(24)])
				}
				if err := db.Exec(t.Conn, `INSERT INTO search (rowid, title, body) VALUES (?, ?, ?)`, id,
					fmt.Sprint("Item ", id), strings.Join(words, " ")); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSearch searches many items for the 50 newest that are found.
func BenchmarkSearch(b *testing.B) {
	s := mustOpen(b, Config{Dir: dataDir(b)})
	defer s.Close()
	fillForSearch(b, s, searchedItems**scale)
	for _, q := range []struct{ name, words string }{
		{"word", "belcordun"},
		{"common word", "item"},
		{"two words", "belcordun elfargil"},
		{"phrase", `"belcordun elfargil"`},
		{"begin of some words", "belcor*"},
		{"begin of many words", "bel*"},
	} {
		b.Run(q.name, func(b *testing.B) {
			found := 0
			measure(b, func() {
				for range b.N {
					entries, err := s.Entries(b.Context(), tidings.Owner, tidings.EntryQuery{Search: q.words})
					if err != nil {
						b.Fatal(err)
					}
					found = len(entries)
				}
			})
			b.ReportMetric(float64(found), "found")
		})
	}
}

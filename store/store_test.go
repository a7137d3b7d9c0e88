package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/content"
	"tidings/store/db"
)

// clock is a time that tests move by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Microsecond)
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// newStore opens a store in a directory of its own; at its end the file must agree with itself.
func newStore(t testing.TB, edit ...func(*Config)) *Store {
	t.Helper()
	config := Default(dataDir(t))
	config.Now = newClock().now
	for _, e := range edit {
		e(&config)
	}
	s := mustOpen(t, config)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		mustBeSound(t, config.Dir)
	})
	return s
}

// dataDir returns a directory that nobody else may read.
func dataDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mustOpen(t testing.TB, config Config) *Store {
	t.Helper()
	s, err := Open(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mustBeSound fails the test if Check finds anything that is not as it should be.
func mustBeSound(t testing.TB, dir string) {
	t.Helper()
	changes, err := Check(context.Background(), dir)
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	for _, f := range changes {
		if !f.OK {
			t.Errorf("check: %s", f.Text)
		}
	}
}

const feedURL = "https://example.org/feed"

// follow subscribes the owner to url.
func follow(t testing.TB, s *Store, url string) tidings.Subscription {
	t.Helper()
	f, _, err := s.Subscribe(t.Context(), tidings.Owner, Subscription{URL: url, Privacy: tidings.Public})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// markOf makes up the mark of an item by its ID, and its fingerprint by its text.
func markOf(id, text string) tidings.ItemIdentity {
	sum := func(s string) uint64 { h := fnv.New64a(); h.Write([]byte(s)); return h.Sum64() }
	return tidings.ItemIdentity{ID: sum(id), Link: sum("link" + id), Title: sum("title" + id), Print: sum(text)}
}

// story is an item of a document that a test writes: an ID and a text.
type story struct{ id, text string }

// document is what a test's origin serves; the change is worked out by comparing
// with what the store knows, as the real one is.
func document(t testing.TB, s *Store, url string, stories ...story) *tidings.Change {
	t.Helper()
	known, err := s.Content.KnownItems(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return changeOf(known, stories...)
}

// everything is for changes whose items are known to be new: they need no comparing.
const everything = math.MaxInt64

// changeOf compares stories with the items known of a channel; nil stands for whatever
// there may be.
func changeOf(known []tidings.KnownItem, stories ...story) *tidings.Change {
	byID := make(map[uint64]tidings.KnownItem)
	f := &tidings.Change{Kind: tidings.KindFeed, Title: "A feed", FoundBy: "n1", Found: time.Unix(1700000000, 0)}
	if known == nil {
		f.KnownUpTo = everything
	}
	for _, k := range known {
		byID[k.ID] = k
		f.KnownUpTo = max(f.KnownUpTo, k.Row)
	}
	for _, st := range stories {
		item := tidings.FoundItem{
			Item: tidings.Item{ID: st.id, URL: "https://example.org/" + st.id, Title: "Story " + st.id, Content: "<p>" +
				st.text + "</p>"},
			Mark: markOf(st.id, st.text),
			Raw:  "<p onclick=x>" + st.text + "</p>",
		}
		k, ok := byID[item.Mark.ID]
		item.Was = k.ItemIdentity
		switch {
		case !ok:
			item.Change = tidings.New
		case k.Print != item.Mark.Print:
			item.Row, item.Change = k.Row, tidings.Changed
		default:
			item.Row = k.Row
		}
		f.Items = append(f.Items, item)
	}
	return f
}

// publish records a document.
func publish(t testing.TB, s *Store, url string, stories ...story) *tidings.Update {
	t.Helper()
	return record(t, s, content.Record{URL: url, Health: tidings.HealthGood, Change: document(t, s, url, stories...)})
}

func record(t testing.TB, s *Store, r content.Record) *tidings.Update {
	t.Helper()
	return recordNamed(t, s, Record{Record: r})
}

func recordNamed(t testing.TB, s *Store, r Record) *tidings.Update {
	t.Helper()
	u, err := apply(t.Context(), s, &r)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// apply stores one arrival.
func apply(ctx context.Context, s *Store, a Arrival) (*tidings.Update, error) {
	applied, err := s.Apply(ctx, a)
	if err != nil {
		return nil, err
	}
	return applied[0].Update, nil
}

// pushAll stores published items together.
func pushAll(ctx context.Context, s *Store, all ...Push) ([]Applied, error) {
	arrivals := make([]Arrival, len(all))
	for i, p := range all {
		arrivals[i] = p
	}
	return s.Apply(ctx, arrivals...)
}

func channelURL(i int) string { return fmt.Sprintf("https://origin%d.example.org/feed.xml", i) }

var vocabulary = strings.Fields("the of network feed release security update kernel browser page reader poll origin")

// words makes about 2 KB of text for 300.
func words(seed, n int) string {
	var b strings.Builder
	x := uint32(seed)*2654435761 + 1
	for range n {
		x = x*1664525 + 1013904223
		if x>>28 == 0 {
			fmt.Fprintf(&b, "w%d ", x%5000)
		} else {
			b.WriteString(vocabulary[int(x>>8)%len(vocabulary)] + " ")
		}
	}
	return b.String()
}

func hashOf(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(append(slices.Clip(lines), ""), "\n")))
	return hex.EncodeToString(sum[:])
}

// pageChange makes a change whose delta replaces everything.
func pageChange(before, lines []string) *tidings.Change {
	f := &tidings.Change{Kind: tidings.KindPage, Title: "A page", Lines: lines, Hash: hashOf(lines),
		Found: time.Unix(1700000000, 0)}
	if before != nil {
		f.BaseHash = hashOf(before)
	}
	f.Delta = fmt.Sprintf("0a1,%d\n> %s\n", len(lines), strings.Join(lines, "\n> "))
	return f
}

// river returns the owner's entries as "title change" words, newest first.
func river(t testing.TB, s *Store, q tidings.EntryQuery) []tidings.Entry {
	t.Helper()
	entries, err := s.Entries(t.Context(), tidings.Owner, q)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func titles(entries []tidings.Entry) string {
	var all []string
	for _, e := range entries {
		all = append(all, strings.TrimPrefix(e.Content.Title, "Story "))
	}
	return strings.Join(all, " ")
}

func mustErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

func TestOpenMakesPrivateDirectory(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	for name, want := range map[string]os.FileMode{"": 0o700, db.FileName: 0o600, db.FileName + "-wal": 0o600,
		"lock": 0o600} {
		info, err := os.Stat(filepath.Join(s.config.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%q has mode %o, want %o", name, got, want)
		}
	}
}

// The lock holds within a process, too.
func TestSecondOpenNamesTheHolder(t *testing.T) {
	s := newStore(t)
	_, err := Open(t.Context(), Config{Dir: s.config.Dir})
	mustErr(t, err, db.ErrInUse)
	if want := fmt.Sprintf("process %d, started 2026-03-01T12:00:00Z", os.Getpid()); !strings.Contains(err.Error(),
		want) {
		t.Errorf("error %q does not name the holder (%s)", err, want)
	}
}

func TestClosedStoreSaysSo(t *testing.T) {
	s := mustOpen(t, Default(t.TempDir()))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	mustErr(t, s.DB.SetSetting(t.Context(), "k", "v"), db.ErrClosed)
	_, err := s.DB.Setting(t.Context(), "k")
	mustErr(t, err, db.ErrClosed)
}

func TestConfigBounds(t *testing.T) {
	for _, c := range []Config{{}, {Dir: "x", Readers: -1}, {Dir: "x", Readers: 65},
		{Dir: "x", TouchDelay: time.Hour}} {
		_, err := Open(t.Context(), c)
		mustErr(t, err, tidings.ErrInvalid)
	}
}

func TestSettings(t *testing.T) {
	s := newStore(t)
	for _, want := range []string{"", "one", "two"} {
		if want != "" {
			if err := s.DB.SetSetting(t.Context(), "k", want); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.DB.Setting(t.Context(), "k"); err != nil || got != want {
			t.Fatalf("Setting = %q, %v; want %q", got, err, want)
		}
	}
}

func TestReadingStopsWithItsContext(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Channels(ctx, tidings.Owner)
	mustErr(t, err, context.Canceled)
	mustErr(t, s.DB.SetSetting(ctx, "k", "v"), context.Canceled)
	// In the middle of a query, too.
	ctx, cancel = context.WithCancel(t.Context())
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		cancel()
		return db.Exec(conn, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`)
	})
	mustErr(t, err, context.Canceled)
}

// rawText returns an entry's text as it was published, before it was sanitised: the
// content, else the summary. It is not safe to show. Errors are those of Entry.
func (s *Store) rawText(ctx context.Context, account tidings.AccountID, id int64) (text string, err error) {
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) (err error) {
		var blob []byte
		if err := db.Must(db.One(conn, `SELECT coalesce(r.raw, r.content, r.summary) FROM revision r
			JOIN subscription s ON s.account = ? AND s.channel = r.channel WHERE r.id = ?`, func(r *sqlite.Stmt) {
			blob = db.ColumnBlob(r, 0)
		}, int64(account), id)); err != nil {
			return err
		}
		text, err = column.Unpack(blob)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("raw text of entry %d: %w", id, err)
	}
	return text, nil
}

package store

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
)

// ledger is what a store has acknowledged, kept outside of it: the witness of tests
// that cut the store off in the middle of its work.
type ledger struct {
	subscribed map[string]bool
	updates    map[int64]string // what the update said, by its ID
	vfs        string           // through which the store is verified: the disk of the tests needs no real syncs
}

func newLedger(vfs string) *ledger {
	return &ledger{subscribed: make(map[string]bool), updates: make(map[int64]string), vfs: vfs}
}

func (l *ledger) clone() *ledger {
	c := newLedger(l.vfs)
	for url := range l.subscribed {
		c.subscribed[url] = true
	}
	for id, said := range l.updates {
		c.updates[id] = said
	}
	return c
}

// said is what the ledger remembers of an update.
func said(u *tidings.Update) string {
	var ids []string
	for _, i := range u.Items {
		ids = append(ids, i.ID)
	}
	return fmt.Sprintf("%s %d %s", u.Channel, u.Version, strings.Join(ids, ","))
}

// step does one thing to the store: subscribes to the n-th channel, or publishes
// there. What the fetcher remembers is the version that its poll found, so that
// memory and content can be compared. It returns what was acknowledged.
func step(t testing.TB, s *Store, url string) (u *tidings.Update, err error) {
	ctx := t.Context()
	f, err := s.Channel(ctx, tidings.Owner, url)
	if errors.Is(err, tidings.ErrNotFollowed) {
		_, _, err = s.Subscribe(ctx, tidings.Owner, Subscription{URL: url, Privacy: tidings.Public})
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	known, err := s.Content.KnownItems(ctx, url)
	if err != nil {
		return nil, err
	}
	version := fmt.Sprint(f.Version + 1)
	u, err = apply(ctx, s, &Record{Record: content.Record{URL: url, Memory: []byte(version), Health: tidings.HealthGood,
		Change: changeOf(known, story{"v" + version, words(int(f.Version), 60)}, story{"edited", version})}})
	if err == nil && u == nil {
		err = errors.New("a new item made no update")
	}
	return u, err
}

// verify opens dir and compares it with the ledger: everything acknowledged is there,
// whatever else is there is whole, and nothing is there twice. It returns the
// highest number of an update.
func (l *ledger) verify(t testing.TB, dir string) (highest int64) {
	t.Helper()
	s, err := open(t.Context(), Config{Dir: dir}, l.vfs)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		mustBeSound(t, dir)
	}()
	watches, err := s.Content.Watches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	followed := make(map[string]bool)
	for _, w := range watches {
		followed[w.URL] = true
		if want := fmt.Sprint(w.Version); string(w.Memory) != want && (w.Version > 0 || w.Memory != nil) {
			t.Errorf("%s: version %s, but memory of version %s", w.URL, want, w.Memory)
		}
	}
	for url := range l.subscribed {
		if !followed[url] {
			t.Errorf("the acknowledged subscription to %s is lost", url)
		}
	}

	there := make(map[int64]string)
	versions := make(map[string]tidings.Version)
	shown := make(map[string]bool)
	for {
		updates, err := s.Reader.Updates(t.Context(), tidings.Owner,
			tidings.UpdateQuery{After: highest, Limit: tidings.MaxLimit})
		if err != nil {
			t.Fatal(err)
		}
		if len(updates) == 0 {
			break
		}
		for _, u := range updates {
			highest = u.ID
			there[u.ID] = said(&u)
			if versions[u.Channel]++; u.Version != versions[u.Channel] {
				t.Errorf("update %d: version %d of %s, want %d", u.ID, u.Version, u.Channel, versions[u.Channel])
			}
			if u.Items[0].ID == "edited" || shown[u.Channel+u.Items[0].ID] {
				t.Errorf("update %d: item %s of %s is shown twice", u.ID, u.Items[0].ID, u.Channel)
			}
			shown[u.Channel+u.Items[0].ID] = true
		}
	}
	for id, want := range l.updates {
		if there[id] != want {
			t.Errorf("acknowledged update %d is %q, was %q", id, there[id], want)
		}
	}
	l.updates = there // what has been shown now must be the same for ever
	return highest
}

// copyDir copies the database and its log, as a backup by mere copying would.
func copyDir(t testing.TB, from string) string {
	t.Helper()
	to := dataDir(t)
	for _, name := range []string{db.FileName, db.FileName + "-wal"} {
		data, err := os.ReadFile(from + "/" + name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, to+"/"+name, data)
	}
	return to
}

func writeFile(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, slices.Clone(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

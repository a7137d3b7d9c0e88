package store

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"tidings"
	"tidings/store/content"
)

// journal is a log that many goroutines write to.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

// hostile 54: many writers, each of which records one new item at a time, while
// others read. Nothing is lost, nobody finds the database locked, and readers see
// everything once, in order and whole.
func TestHostile54ManyWritersOfSingleItems(t *testing.T) {
	t.Parallel()
	writers, each := 40**scale, 260
	if testing.Short() {
		each = 3
	}
	var log journal
	s := newStore(t, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	for w := range writers {
		follow(t, s, channelURL(w))
	}

	told := make([][]int64, writers) // the acknowledged updates of each
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for n := range each {
				u, err := recordNext(s, channelURL(w), n)
				if err != nil {
					t.Errorf("writer %d, item %d: %v", w, n, err)
					return
				}
				told[w] = append(told[w], u.ID)
			}
		})
	}
	over := make(chan struct{})
	var followed []tidings.Update
	reading.Go(func() { followed = followUpdates(t, s, over) })
	for _, poll := range []func(*testing.T, *Store) error{pollEntries(), pollChannels()} {
		reading.Go(func() {
			for {
				if err := poll(t, s); err != nil {
					t.Errorf("reading: %v", err)
					return
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(over)
	reading.Wait()

	byID := make(map[int64]tidings.Update)
	for _, u := range followed {
		byID[u.ID] = u
	}
	if len(followed) != writers*each || len(byID) != len(followed) {
		t.Errorf("who followed the updates saw %d, %d of them different, want %d", len(followed), len(byID),
			writers*each)
	}
	for w := range writers {
		for n, id := range told[w] {
			u := byID[id]
			if u.Channel != channelURL(w) || u.Version != tidings.Version(n+1) || len(u.Items) != 1 ||
				u.Items[0].ID != fmt.Sprint(n) {
				t.Fatalf("writer %d was told that item %d is update %d, which says %q", w, n, id, said(&u))
			}
		}
	}
	stats, err := s.Stats(t.Context())
	if err != nil || stats.Items != int64(writers*each) {
		t.Errorf("%d entries are stored, want %d (%v)", stats.Items, writers*each, err)
	}
	if text := log.text.String(); strings.Contains(text, "locked") || strings.Contains(text, "level=ERROR") {
		t.Errorf("the log says:\n%s", text)
	}
}

// recordNext does what a poll does that finds one new item, the n-th of its channel.
func recordNext(s *Store, url string, n int) (*tidings.Update, error) {
	known, err := s.Content.KnownItems(context.Background(), url)
	if err != nil {
		return nil, err
	}
	if len(known) != n {
		return nil, fmt.Errorf("%d items are known, %d were acknowledged", len(known), n)
	}
	u, err := apply(context.Background(), s, &Record{Record: content.Record{URL: url, Health: tidings.HealthGood,
		Change: changeOf(known, story{fmt.Sprint(n), "x"})}})
	if err == nil && u == nil {
		err = fmt.Errorf("a new item made no update")
	}
	return u, err
}

// followUpdates reads updates behind the last one it has, as a stream does, until
// there are no more after it was over.
func followUpdates(t *testing.T, s *Store, over <-chan struct{}) (all []tidings.Update) {
	last := int64(0)
	for {
		end := false
		select {
		case <-over:
			end = true
		default:
		}
		updates, err := s.Reader.Updates(context.Background(), tidings.Owner,
			tidings.UpdateQuery{After: last, Limit: tidings.MaxLimit})
		if err != nil {
			t.Errorf("following updates: %v", err)
			return all
		}
		for _, u := range updates {
			if u.ID <= last {
				t.Errorf("update %d comes after %d", u.ID, last)
			}
			last = u.ID
		}
		all = append(all, updates...)
		if end && len(updates) == 0 {
			return all
		}
	}
}

// pollEntries returns a reader of the newest entries, which never go back.
func pollEntries() func(*testing.T, *Store) error {
	newest := int64(0)
	return func(t *testing.T, s *Store) error {
		entries, err := s.Entries(context.Background(), tidings.Owner, tidings.EntryQuery{Unread: true, Limit: 20})
		for i, e := range entries {
			if i == 0 && e.ID < newest || i > 0 && e.ID != entries[i-1].ID-1 {
				t.Errorf("entry %d is number %d of the newest, the newest was %d", e.ID, i, newest)
			}
		}
		if len(entries) > 0 {
			newest = entries[0].ID
		}
		return err
	}
}

// pollChannels returns a reader of the channels. As each version has one new item,
// there are as many unread items as versions at every moment.
func pollChannels() func(*testing.T, *Store) error {
	sum := 0
	return func(t *testing.T, s *Store) error {
		all, err := s.Channels(context.Background(), tidings.Owner)
		before := sum
		sum = 0
		for _, f := range all {
			sum += f.Unread
			if f.Unread != int(f.Version) {
				t.Errorf("%s has %d unread items in version %d", f.URL, f.Unread, f.Version)
			}
		}
		if sum < before && err == nil {
			t.Errorf("%d items are unread, %d were before", sum, before)
		}
		return err
	}
}

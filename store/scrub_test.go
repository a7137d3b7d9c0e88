package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/shared"
)

// scrubAll reads the whole database.
func scrubAll(t testing.TB, s *Store) []db.Damage {
	t.Helper()
	for range 1000 {
		done, err := s.DB.Scrub(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			return s.DB.Damage()
		}
	}
	t.Fatal("scrubbing does not end")
	return nil
}

// library fills a store with feeds and a page, each with some history.
func library(t testing.TB, s *Store) {
	t.Helper()
	for c := range 3 {
		follow(t, s, channelURL(c))
		for v := range 4 {
			var stories []story
			for i := range 5 {
				stories = append(stories,
					story{fmt.Sprint(v, "-", i), fmt.Sprintf("needle%d.%d.%d ", c, v, i) + words(v*i, 20)})
			}
			publish(t, s, channelURL(c), stories...)
		}
	}
	follow(t, s, pageURL)
	record(t, s, content.Record{URL: pageURL, Change: pageChange(nil, []string{"one", "two"}),
		Memory: []byte("validators")})
	record(t, s, content.Record{URL: pageURL, Change: pageChange([]string{"one", "two"}, []string{"one", "three"})})
	if err := s.Reader.Star(t.Context(), tidings.Owner, river(t, s, tidings.EntryQuery{})[2].Item, true); err != nil {
		t.Fatal(err)
	}
	s.Search.CatchUp(t.Context())
}

// answers are what a store says, question by question; of what it cannot say there is nothing.
func answers(t testing.TB, s *Store) (all map[string]any, damaged int) {
	all = make(map[string]any)
	say := func(question string, answer any, err error) {
		switch {
		case err == nil:
			all[question] = answer
		case errors.Is(err, db.ErrDamaged):
			damaged++
		case !errors.Is(err, tidings.ErrNotFound) && !errors.Is(err, tidings.ErrNotFollowed):
			t.Fatalf("%s: %v", question, err)
		}
	}
	ctx := t.Context()
	for id := range int64(70) {
		e, err := s.Reader.Entry(ctx, tidings.Owner, id)
		say(fmt.Sprint("entry ", id), e, err)
		u, err := s.Reader.Update(ctx, tidings.Owner, id)
		say(fmt.Sprint("update ", id), u, err)
	}
	for _, url := range []string{channelURL(0), channelURL(1), channelURL(2), pageURL} {
		c, err := s.Channel(ctx, tidings.Owner, url)
		say("channel "+url, c, err)
		items, err := s.Content.KnownItems(ctx, url)
		say("items "+url, items, err)
		state, err := s.Content.State(ctx, url, 0)
		say("state "+url, state, err)
		w, err := s.Content.Watch(ctx, url)
		say("watch "+url, w, err)
		lines, hash, v, err := s.Content.Lines(ctx, url)
		say("lines "+url, []any{lines, hash, v}, err)
	}
	for _, word := range []string{"kernel", "needle1", "three", "w12*"} {
		found, err := s.Entries(ctx, tidings.Owner, tidings.EntryQuery{Search: word})
		say("search "+word, found, err)
	}
	unread, err := s.Entries(ctx, tidings.Owner, tidings.EntryQuery{Unread: true, Limit: tidings.MaxLimit})
	say("unread", unread, err)
	starred, err := s.Entries(ctx, tidings.Owner, tidings.EntryQuery{Starred: true})
	say("starred", starred, err)
	return all, damaged
}

// hostile 66: one byte changes anywhere in the file. Either opening it reports the damage, or each answer is what it
// was. Single things that can still be read are what they were.
func TestOneByteChanges(t *testing.T) {
	dir := dataDir(t)
	clk := newClock()
	config := Config{Dir: dir, Now: clk.now}
	s := mustOpen(t, config)
	library(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, config)
	want, damaged := answers(t, s)
	if err := s.Close(); err != nil || damaged > 0 {
		t.Fatal(damaged, err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, db.FileName))
	if err != nil {
		t.Fatal(err)
	}
	outcomes := make(map[string]int)
	rapid.Check(t, func(rt *rapid.T) {
		where := rapid.IntRange(0, len(whole)-1).Draw(rt, "where")
		bit := rapid.IntRange(0, 7).Draw(rt, "bit")
		changed := bytes.Clone(whole)
		changed[where] ^= 1 << bit
		dir := dataDir(t)
		writeFile(t, filepath.Join(dir, db.FileName), changed)
		config := config
		config.Dir = dir
		s, err := Open(t.Context(), config)
		if err != nil {
			if !errors.Is(err, db.ErrDamaged) && !errors.Is(err, db.ErrForeign) && !errors.Is(err, db.ErrNewer) {
				rt.Fatalf("page %d, byte %d: %v", where/4096+1, where%4096, err)
			}
			outcomes["refused"]++
			return
		}
		defer func() {
			if err := s.Close(); err != nil {
				rt.Fatal(err)
			}
		}()
		told := scrubAll(t, s)
		got, unreadable := answers(t, s)
		outcomes[fmt.Sprint("told ", len(told) > 0, ", unreadable ", unreadable > 0)]++
		for question, answer := range want {
			has, ok := got[question]
			if reflect.DeepEqual(has, answer) || len(told) > 0 && (!ok || question[:5] != "entry") {
				continue // what sums up much lacks what is damaged
			}
			if a, isEntry := answer.(tidings.Entry); isEntry && len(told) > 0 {
				if b := has.(tidings.Entry); reflect.DeepEqual(a.Content, b.Content) && a.Channel == b.Channel {
					continue // read or starred it may be otherwise: that was lost, and reported
				}
			}
			rt.Fatalf("page %d, byte %d, told %v: %s is\n%+v, was\n%+v", where/4096+1, where%4096, told, question, has,
				answer)
		}
	})
	t.Log(outcomes)
}

// hostile 66: a byte inside an item changes while the store is open. Reading it fails, the scrub names its channel, and
// all else goes on; the next start drops what is damaged, keeps a copy, and has the channel polled anew.
func TestDamagedItem(t *testing.T) {
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	library(t, s)
	for i := range 30 { // so that the page of what is damaged has nothing of others
		publish(t, s, channelURL(1), story{fmt.Sprint("long", i), words(i, 500)})
	}
	record(t, s, content.Record{URL: channelURL(1), Memory: []byte("validators")})
	for i := range 2 {
		if err := s.Number(t.Context(),
			shared.Version{URL: channelURL(i), Number: 7, Hash: shared.Hash{byte(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, Config{Dir: dir})
	file := filepath.Join(dir, db.FileName)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	where := bytes.Index(whole, []byte("Story long15"))
	if where < 0 {
		t.Fatal("the text is not in the file as it is")
	}
	flip(t, file, int64(where+8))
	unreadable, readable := 0, 0
	for id := range int64(100) {
		switch _, err := s.Reader.Entry(t.Context(), tidings.Owner, id+1); {
		case errors.Is(err, db.ErrDamaged):
			unreadable++
		case err == nil:
			readable++
		}
	}
	if unreadable == 0 || unreadable > 12 || unreadable+readable != 92 {
		t.Errorf("%d entries cannot be read, %d can", unreadable, readable)
	}
	told := scrubAll(t, s)
	if len(told) != 1 || told[0].Table != "revision" || told[0].Rows == 0 || len(told[0].Channels) != 1 ||
		told[0].Channels[0] != channelURL(1) {
		t.Errorf("told %+v", told)
	}
	publish(t, s, channelURL(0), story{"after", "it goes on"})
	changes, err := Check(t.Context(), dir)
	if err != nil || !slices.ContainsFunc(changes, func(f db.Problem) bool {
		return !f.OK && strings.Contains(f.Text, "revision") && strings.Contains(f.Text, channelURL(1))
	}) {
		t.Errorf("doctor says %v (%v)", changes, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = mustOpen(t, Config{Dir: dir})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if told := s.DB.Damage(); len(told) != 1 || !told[0].Repaired || told[0].Rows != unreadable {
		t.Errorf("after the repair: %+v, want %d rows", told, unreadable)
	}
	if _, err := os.Stat(file + ".damaged"); err != nil {
		t.Error(err)
	}
	if w, err := s.Content.Watch(t.Context(), channelURL(1)); err != nil || w.Memory != nil || !w.Next.IsZero() {
		t.Errorf("the channel is not polled anew: %+v, %v", w, err)
	}
	if v, err := s.Shared.Version(t.Context(), channelURL(1)); err != nil || v.Number != 0 {
		t.Errorf("the network is not asked for the latest version, for it is here: %+v, %v", v, err)
	}
	if v, err := s.Shared.Version(t.Context(), channelURL(0)); err != nil || v.Number != 7 {
		t.Errorf("the network is asked for another channel: %+v, %v", v, err)
	}
	if w, err := s.Content.Watch(t.Context(), pageURL); err != nil || w.Memory == nil {
		t.Errorf("another is: %+v, %v", w, err)
	}
	if changes, err = Check(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, f := range changes {
		if !f.OK {
			t.Error(f.Text)
		}
	}
	if known, err := s.Content.KnownItems(t.Context(), channelURL(1)); err != nil || len(known) != 50-unreadable {
		t.Errorf("%d items are known (%v)", len(known), err)
	}
	if u := publish(t, s, channelURL(1), story{"long15", words(15, 500)}); u == nil || len(u.Items) != 1 {
		t.Errorf("what was damaged does not come again: %+v", u)
	}
}

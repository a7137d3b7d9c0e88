package store

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/reader"
)

func articles(t testing.TB, s *Store, q reader.ArticleQuery) []reader.Article {
	t.Helper()
	q.Ascending = true
	numbers, err := NewArticles(s).Numbers(t.Context(), tidings.Owner, q)
	if err != nil {
		t.Fatal(err)
	}
	all, err := NewArticles(s).Of(t.Context(), tidings.Owner, numbers)
	if err != nil || len(all) != len(numbers) {
		t.Fatalf("%d articles of %d, %v", len(all), len(numbers), err)
	}
	return all
}

func paths(t testing.TB, s *Store) (all []string) {
	t.Helper()
	_, folders, err := NewArticles(s).Feeds(t.Context(), tidings.Owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		all = append(all, f.Path+"="+f.Name)
	}
	return all
}

// A backup is restored. No number of an item, a feed or a folder is assigned that the original store has assigned since
// the backup, even if there was none of a kind.
func TestNumbersAreNotGivenAgainAfterARestore(t *testing.T) {
	ctx := t.Context()
	for _, empty := range []bool{true, false} {
		s := newStore(t)
		if !empty {
			follow(t, s, feedURL)
			publish(t, s, feedURL, story{"a", "b"})
			if _, err := NewArticles(s).AddFolder(ctx, tidings.Owner, "first"); err != nil {
				t.Fatal(err)
			}
		}
		dir := dataDir(t)
		if _, err := s.DB.Backup(ctx, filepath.Join(dir, db.FileName)); err != nil {
			t.Fatal(err)
		}
		back := mustOpen(t, Config{Dir: dir})
		defer back.Close()
		given := make(map[string]map[int64]bool)
		for _, s := range []*Store{s, back} {
			const url = "https://example.org/another"
			follow(t, s, url)
			publish(t, s, url, story{"x", "y"}, story{"z", "y"})
			if _, err := NewArticles(s).AddFolder(ctx, tidings.Owner, "second"); err != nil {
				t.Fatal(err)
			}
			feeds, folders, err := NewArticles(s).Feeds(ctx, tidings.Owner)
			if err != nil {
				t.Fatal(err)
			}
			give := func(what string, number int64, fresh bool) {
				if given[what] == nil {
					given[what] = make(map[int64]bool)
				}
				if fresh && given[what][number] {
					t.Errorf("%s %d is given twice", what, number)
				}
				given[what][number] = true
			}
			for _, f := range feeds {
				give("feed", f.ID, f.URL == url)
			}
			for _, f := range folders {
				give("folder", f.ID, f.Path == "second")
			}
			for _, a := range articles(t, s, reader.ArticleQuery{}) {
				give("item", a.Number, a.Of.URL == url)
			}
		}
	}
}

// An item arrives when readers are first shown it: of one under embargo that is when the embargo ends. An edit is no
// arrival.
func TestArticlesArriveWhenTheyAreShown(t *testing.T) {
	s, now, due := embargoed(t)
	publish(t, s, feedURL, story{"b", "text"})
	deliver(t, s, version(1, until(due)))
	if all := articles(t, s, reader.ArticleQuery{}); len(all) != 1 {
		t.Fatalf("%d articles, one is under embargo", len(all))
	}
	now.add(2 * time.Hour)
	before := now.now()
	mustRelease(t, s, true)
	if all := articles(t, s, reader.ArticleQuery{Arrived: reader.Span{From: before}}); len(all) != 1 ||
		all[0].Number != 2 || !all[0].Changed.Equal(all[0].Arrived) {
		t.Errorf("since the embargo ended have arrived: %+v", all)
	}
	edited := now.now()
	publish(t, s, feedURL, story{"b", "other text"})
	if all := articles(t, s, reader.ArticleQuery{Arrived: reader.Span{From: edited}}); len(all) != 0 {
		t.Errorf("with an edit arrive %+v", all)
	}
	if all := articles(t, s, reader.ArticleQuery{Changed: reader.Span{From: edited}}); len(all) != 1 ||
		all[0].Number != 1 || !all[0].Arrived.Before(before) {
		t.Errorf("with an edit change %+v", all)
	}
}

// A labelled item is kept as a starred one is. If its channel has moved, it is found under the new address, by the
// number that it has there.
func TestLabelsOutliveRetentionAndMergers(t *testing.T) {
	const from, to = "https://old.example/feed", "https://new.example/feed"
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	follow(t, s, from)
	publish(t, s, from, story{"a", "1"}, story{"b", "1"}, story{"c", "1"})
	all := articles(t, s, reader.ArticleQuery{})
	label := func(number int64, name string) {
		t.Helper()
		if err := NewArticles(s).Change(ctx, tidings.Owner, []int64{number},
			reader.ArticleChange{AddLabels: []string{name}}); err != nil {
			t.Fatal(err)
		}
	}
	label(all[0].Number, "later")
	label(all[1].Number, "later")
	clk.add(400 * day)
	publish(t, s, from, story{"b", "1"}, story{"d", "1"})
	pruneAll(t, s, clk.now())
	kept := articles(t, s, reader.ArticleQuery{Label: "later"})
	if len(kept) != 2 || len(articles(t, s, reader.ArticleQuery{})) != 3 {
		t.Fatalf("kept with the label: %+v", kept)
	}
	follow(t, s, to)
	publish(t, s, to, story{"a", "1"}, story{"b", "1"})
	if merged, err := s.Merge(ctx, from, to); err != nil || !merged {
		t.Fatalf("merged %v, %v", merged, err)
	}
	moved := articles(t, s, reader.ArticleQuery{})
	if len(moved) != 2 || moved[0].Number <= kept[1].Number {
		t.Fatalf("under the other address: %+v", moved)
	}
	for _, a := range moved {
		if !slices.Equal(a.Labels, []string{"later"}) || a.Of.URL != to {
			t.Errorf("item %d has labels %q", a.Number, a.Labels)
		}
	}
	if names, err := NewArticles(s).Labels(ctx, tidings.Owner); err != nil || !slices.Equal(names, []string{"later"}) {
		t.Errorf("labels %q, %v", names, err)
	}
	if _, err := s.Unsubscribe(ctx, tidings.Owner, to); err != nil {
		t.Fatal(err)
	}
	if names, err := NewArticles(s).Labels(ctx, tidings.Owner); err != nil || len(names) != 0 {
		t.Errorf("of what is not followed there are labels %q, %v", names, err)
	}
	clk.add(100 * day)
	pruneAll(t, s, clk.now())
	follow(t, s, to)
	if again := articles(t, s, reader.ArticleQuery{Label: "later"}); len(again) != 2 ||
		again[0].Number != moved[0].Number {
		t.Errorf("followed again it has %+v", again)
	}
}

// A folder keeps its number while it is used, renamed, and used again; one that the page has made is gone when it is
// empty. Nested folders are folders beside each other, and no two have the same name.
func TestFoldersKeepTheirNumbers(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	follow(t, s, feedURL)
	put := func(path string) {
		t.Helper()
		if err := s.Change(ctx, tidings.Owner, feedURL,
			Change{ChannelChange: tidings.ChannelChange{Folder: &path}}); err != nil {
			t.Fatal(err)
		}
	}
	id := func(path string) int64 {
		t.Helper()
		_, folders, err := NewArticles(s).Feeds(ctx, tidings.Owner)
		at := slices.IndexFunc(folders, func(f reader.Folder) bool { return f.Path == path })
		if err != nil || at < 0 {
			t.Fatalf("no folder %q in %+v, %v", path, folders, err)
		}
		return folders[at].ID
	}
	want := func(all ...string) {
		t.Helper()
		if got := paths(t, s); !slices.Equal(got, all) {
			t.Errorf("folders %q, want %q", got, all)
		}
	}
	put(" Music / Rock ")
	want("Music/Rock=Music / Rock")
	first := id("Music/Rock")
	if first < 2 {
		t.Errorf("a folder has number %d", first)
	}
	put("")
	want()
	put("Music/Rock")
	if again := id("Music/Rock"); again != first {
		t.Errorf("folder %d is %d when it is used again", first, again)
	}
	a := NewArticles(s)
	if _, err := a.AddFolder(ctx, tidings.Owner, "Music / Rock"); err == nil {
		t.Error("two folders of one name")
	}
	if err := a.RenameFolder(ctx, tidings.Owner, first, "AC/DC"); err != nil {
		t.Fatal(err)
	}
	want("AC%2FDC=AC/DC")
	if id("AC%2FDC") != first {
		t.Error("a folder is another by its new name")
	}
	if f, err := s.Channel(ctx, tidings.Owner, feedURL); err != nil || f.Folder != "AC%2FDC" {
		t.Errorf("the feed is in %q, %v", f.Folder, err)
	}
	put("Music/Rock")
	want("AC%2FDC=AC/DC", "Music/Rock=Music / Rock")
	put("Music %2F Rock")
	want("AC%2FDC=AC/DC", "Music %2F Rock=Music / Rock")
	if _, _, err := s.Subscribe(ctx, tidings.Owner,
		Subscription{URL: "https://example.org/another", Privacy: tidings.Public, Folder: "Music/Rock"}); err != nil {
		t.Fatal(err)
	}
	want("AC%2FDC=AC/DC", "Music %2F Rock=Music %2F Rock", "Music/Rock=Music / Rock")
	if _, err := s.Unsubscribe(ctx, tidings.Owner, "https://example.org/another"); err != nil {
		t.Fatal(err)
	}
	if err := a.RemoveFolder(ctx, tidings.Owner, id("Music %2F Rock")); err != nil {
		t.Fatal(err)
	}
	want("AC%2FDC=AC/DC")
	if f, err := s.Channel(ctx, tidings.Owner, feedURL); err != nil || f.Folder != "" {
		t.Errorf("the feed is in %q, %v", f.Folder, err)
	}
	const other = 2
	mustErr(t, a.RenameFolder(ctx, other, first, "x"), tidings.ErrNotFound)
	mustErr(t, a.RemoveFolder(ctx, other, first), tidings.ErrNotFound)
}

// Subscriptions of before keep the folders that they were in, however those were written; items have arrived when their
// first revision did that is kept.
func TestFoldersAndArrivalsOfEarlierData(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	u := publish(t, s, feedURL, story{"a", "1"})
	err := s.write(t.Context(), func(t *content.Tx) error {
		for _, sql := range []string{
			`UPDATE subscription SET folder = '/a/ b/'`,
			`INSERT INTO folder (account, path) VALUES (1, '/a/ b/'), (1, 'a/b')`,
		} {
			if err := db.Exec(t.Conn, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	feeds, folders, err := NewArticles(s).Feeds(t.Context(), tidings.Owner)
	if err != nil || len(folders) != 1 || folders[0].Path != "a/b" || feeds[0].Folder != folders[0].ID {
		t.Fatalf("feeds %+v in folders %+v, %v", feeds, folders, err)
	}
	if err := NewArticles(s).RenameFolder(t.Context(), tidings.Owner, folders[0].ID, "c"); err != nil {
		t.Fatal(err)
	}
	if got := paths(t, s); !slices.Equal(got, []string{"c=c"}) {
		t.Errorf("folders %q", got)
	}
	if all := articles(t, s, reader.ArticleQuery{}); len(all) != 1 || !all[0].Arrived.Equal(u.Received) {
		t.Errorf("arrived %+v, the update %v", all, u.Received)
	}
}

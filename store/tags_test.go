package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tidings"
)

func change(t testing.TB, s *Store, url string, c tidings.ChannelChange) {
	t.Helper()
	if err := s.Change(t.Context(), tidings.Owner, url, Change{ChannelChange: c}); err != nil {
		t.Fatal(err)
	}
}

func tagsOf(t testing.TB, s *Store, account tidings.AccountID, url string) []string {
	t.Helper()
	f, err := s.Channel(t.Context(), account, url)
	if err != nil {
		t.Fatal(err)
	}
	return f.Tags
}

// Each person tags channels of their own, with several tags each; entries are selected by them.
func TestTagsAreAPersonsOwn(t *testing.T) {
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	if err := s.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann, err := s.Reader.AddPerson(t.Context(), "Ann", tidings.Reader, "hash")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		follow(t, s, channelURL(i))
		publish(t, s, channelURL(i), story{fmt.Sprint("story", i), "text"})
	}
	if _, _, err := s.Subscribe(t.Context(), ann.ID, Subscription{URL: channelURL(0), Privacy: tidings.Public,
		Tags: []string{"hers"}}); err != nil {
		t.Fatal(err)
	}
	change(t, s, channelURL(0),
		tidings.ChannelChange{Tags: &tidings.TagChange{Add: []string{"Part 10", "Part 2", " part  2 ", "daily"}}})
	change(t, s, channelURL(1), tidings.ChannelChange{Tags: &tidings.TagChange{Only: &[]string{"daily"}},
		Folder: new("news")})
	if got := tagsOf(t, s, tidings.Owner, channelURL(0)); !slices.Equal(got,
		[]string{"daily", "Part 2", "part 2", "Part 10"}) {
		t.Errorf("tags of the first: %q", got)
	}
	if got := tagsOf(t, s, ann.ID, channelURL(0)); !slices.Equal(got, []string{"hers"}) {
		t.Errorf("Ann's tags of it: %q", got)
	}
	select1 := func(account tidings.AccountID, q tidings.EntryQuery) (ids []string) {
		t.Helper()
		for _, byDate := range []bool{false, true} {
			ids = nil
			q.ByDate = byDate
			entries, err := s.Entries(t.Context(), account, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				ids = append(ids, e.Content.ID)
			}
			slices.Sort(ids)
		}
		return ids
	}
	for _, c := range []struct {
		account tidings.AccountID
		q       tidings.EntryQuery
		want    []string
	}{
		{tidings.Owner, tidings.EntryQuery{Tag: "daily"}, []string{"story0", "story1"}},
		{tidings.Owner, tidings.EntryQuery{Tag: "daily", Folder: "news", Unread: true}, []string{"story1"}},
		{tidings.Owner, tidings.EntryQuery{Tag: "daily", Channel: channelURL(0)}, []string{"story0"}},
		{tidings.Owner, tidings.EntryQuery{Tag: "daily", Channel: channelURL(2)}, nil},
		{tidings.Owner, tidings.EntryQuery{Tag: "hers"}, nil},
		{ann.ID, tidings.EntryQuery{Tag: "hers"}, []string{"story0"}},
		{ann.ID, tidings.EntryQuery{Tag: "daily"}, nil},
	} {
		if got := select1(c.account, c.q); !slices.Equal(got, c.want) {
			t.Errorf("%+v of account %d selects %q, not %q", c.q, c.account, got, c.want)
		}
	}
	if err := NewArticles(s).RenameTag(t.Context(), tidings.Owner, "daily", "often"); err != nil {
		t.Fatal(err)
	}
	if got := select1(tidings.Owner, tidings.EntryQuery{Tag: "often"}); len(got) != 2 {
		t.Errorf("after it was renamed: %q", got)
	}
	if err := NewArticles(s).RenameTag(t.Context(), ann.ID, "often", "mine"); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("Ann renames what she has not: %v", err)
	}
	if _, err := s.Unsubscribe(t.Context(), tidings.Owner, channelURL(0)); err != nil {
		t.Fatal(err)
	}
	follow(t, s, channelURL(0))
	if got := tagsOf(t, s, tidings.Owner, channelURL(0)); len(got) > 0 {
		t.Errorf("tags outlive the subscription: %q", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, dir)
}

// Tags have bounds, and a change that exceeds them changes nothing.
func TestTagsHaveBounds(t *testing.T) {
	s := mustOpen(t, Config{Dir: dataDir(t)})
	follow(t, s, feedURL)
	var many []string
	for i := range tidings.MaxTags + 1 {
		many = append(many, fmt.Sprint("tag", i))
	}
	for _, add := range [][]string{many, {"a,b"}, {"a/b"}, {""}, {"bell\a"}, {string(make([]byte, 70))}} {
		c := Change{ChannelChange: tidings.ChannelChange{Name: new("changed"), Tags: &tidings.TagChange{Add: add}}}
		if err := s.Change(t.Context(), tidings.Owner, feedURL, c); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%.40q: %v", add, err)
		}
	}
	f, err := s.Channel(t.Context(), tidings.Owner, feedURL)
	if err != nil || f.Name != "" || len(f.Tags) > 0 {
		t.Errorf("after refusals: %q, %q, %v", f.Name, f.Tags, err)
	}
}

// A channel that is found at another address keeps its tags and its preferences.
func TestTagsFollowAMove(t *testing.T) {
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	for i := range 2 {
		follow(t, s, channelURL(i))
		publish(t, s, channelURL(i), story{"story", "text"})
	}
	change(t, s, channelURL(0), tidings.ChannelChange{Tags: &tidings.TagChange{Add: []string{"a", "b"}}})
	change(t, s, channelURL(1), tidings.ChannelChange{Tags: &tidings.TagChange{Add: []string{"b", "c"}}})
	choose(t, s, tidings.Owner, tidings.ViewOf(tidings.ChannelKind, channelURL(0)), tidings.PreferSort, "arrival")
	if merged, err := s.Merge(t.Context(), channelURL(0), channelURL(1)); err != nil || !merged {
		t.Fatal(merged, err)
	}
	if got := tagsOf(t, s, tidings.Owner, channelURL(1)); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("tags after the move: %q", got)
	}
	if !chosen(t, s, tidings.Owner).Is(tidings.ViewOf(tidings.ChannelKind, channelURL(1)), tidings.PreferSort,
		"arrival") {
		t.Error("the channel's preferences are lost")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, dir)
}

// Channels are sorted as people count, and folders stay whole, even where their names differ by case alone.
func TestFoldersAndChannelsAreInOrder(t *testing.T) {
	s := newStore(t)
	for i, where := range []string{"b/Feed 10", "B/Feed 2", "b/Feed 2", "/Feed 1", "Part 10/x", "Part 2/x"} {
		folder, name, _ := strings.Cut(where, "/")
		follow(t, s, channelURL(i))
		change(t, s, channelURL(i), tidings.ChannelChange{Name: &name, Folder: &folder})
	}
	all, err := s.Channels(t.Context(), tidings.Owner)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range all {
		got = append(got, f.Folder+"/"+f.Name)
	}
	if want := "/Feed 1, B/Feed 2, b/Feed 2, b/Feed 10, Part 2/x, Part 10/x"; strings.Join(got, ", ") != want {
		t.Errorf("in order: %q, want %q", got, want)
	}
}

package store

import (
	"errors"
	"fmt"
	"testing"

	"tidings"
)

// choose stores what a person chooses.
func choose(t testing.TB, s *Store, account tidings.AccountID, view tidings.View, name tidings.Preference,
	value string) {
	t.Helper()
	if err := s.Chosen.SetPreferences(t.Context(), account, view,
		map[tidings.Preference]string{name: value}); err != nil {
		t.Fatal(err)
	}
}

func chosen(t testing.TB, s *Store, account tidings.AccountID) tidings.Preferences {
	t.Helper()
	p, err := s.Chosen.Preferences(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each person has preferences of their own, by view; what is chosen for all views replaces what was chosen for one.
func TestPreferencesAreAPersonsOwn(t *testing.T) {
	s := mustOpen(t, Config{Dir: dataDir(t)})
	if err := s.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann, err := s.Reader.AddPerson(t.Context(), "Ann", tidings.Reader, "hash")
	if err != nil {
		t.Fatal(err)
	}
	music := tidings.ViewOf(tidings.FolderKind, " Music ")
	choose(t, s, tidings.Owner, tidings.EveryView, tidings.PreferTheme, "dark")
	choose(t, s, tidings.Owner, music, tidings.PreferSort, "arrival")
	choose(t, s, tidings.Owner, tidings.FolderKind, tidings.PreferDensity, "compact")
	choose(t, s, ann.ID, music, tidings.PreferFirst, "oldest")
	for _, c := range []struct {
		account tidings.AccountID
		view    tidings.View
		name    tidings.Preference
		want    string
	}{
		{tidings.Owner, tidings.EveryView, tidings.PreferTheme, "dark"},
		{ann.ID, tidings.EveryView, tidings.PreferTheme, "auto"},
		{tidings.Owner, music, tidings.PreferSort, "arrival"},
		{tidings.Owner, tidings.RiverView, tidings.PreferSort, "date"},
		{ann.ID, music, tidings.PreferSort, "date"},
		{tidings.Owner, music, tidings.PreferDensity, "compact"},
		{tidings.Owner, tidings.ViewOf(tidings.FolderKind, "Other"), tidings.PreferDensity, "compact"},
		{tidings.Owner, tidings.ViewOf(tidings.TagKind, "Other"), tidings.PreferDensity, "roomy"},
		{ann.ID, music, tidings.PreferFirst, "oldest"},
	} {
		if got := chosen(t, s, c.account).Of(c.view, c.name); got != c.want {
			t.Errorf("%s of account %d in %q is %q, not %q", c.name, c.account, c.view, got, c.want)
		}
	}
	choose(t, s, tidings.Owner, tidings.EveryView, tidings.PreferSort, "date")
	if got := chosen(t, s, tidings.Owner).Of(music, tidings.PreferSort); got != "date" {
		t.Errorf("after a choice for all views, one still has %q", got)
	}
	if _, err := s.RemovePerson(t.Context(), ann.ID); err != nil {
		t.Fatal(err)
	}
	if p := chosen(t, s, ann.ID); len(p) > 0 {
		t.Errorf("of a removed person is left: %v", p)
	}
	if err := s.Chosen.SetPreferences(t.Context(), ann.ID, tidings.EveryView,
		map[tidings.Preference]string{tidings.PreferTheme: "dark"}); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("a removed person chooses: %v", err)
	}
}

// What cannot be chosen is refused, and there is a bound on what is kept.
func TestPreferencesHaveBounds(t *testing.T) {
	s := mustOpen(t, Config{Dir: dataDir(t)})
	for _, c := range []struct {
		view        tidings.View
		name, value string
	}{
		{tidings.EveryView, "theme", "pink"},
		{tidings.EveryView, "colour", "dark"},
		{tidings.RiverView, "theme", "dark"},
		{"elsewhere", "sort", "date"},
		{"folder/", "sort", "date"},
	} {
		err := s.Chosen.SetPreferences(t.Context(), tidings.Owner, c.view,
			map[tidings.Preference]string{tidings.Preference(c.name): c.value})
		if !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%v: %v", c, err)
		}
	}
	var err error
	n := 0
	for ; err == nil && n < 1100; n++ {
		all := make(map[tidings.Preference]string)
		for _, name := range tidings.ListPreferences {
			all[name] = name.Choices()[1]
		}
		err = s.Chosen.SetPreferences(t.Context(), tidings.Owner, tidings.ViewOf(tidings.TagKind, fmt.Sprint(n)), all)
	}
	if !errors.Is(err, tidings.ErrInvalid) || n != 1001 {
		t.Errorf("after %d views: %v", n, err)
	}
}

// A browser's stored preferences are adopted by a person without any, and by nobody else.
func TestPreferencesAreAdoptedOnce(t *testing.T) {
	s := mustOpen(t, Config{Dir: dataDir(t)})
	of := func(theme string) tidings.Preferences {
		return tidings.Preferences{
			tidings.EveryView: {tidings.PreferTheme: theme},
			tidings.RiverView: {tidings.PreferSort: "arrival"},
		}
	}
	for _, theme := range []string{"dark", "light"} {
		if err := s.Chosen.AdoptPreferences(t.Context(), tidings.Owner, of(theme)); err != nil {
			t.Fatal(err)
		}
	}
	p := chosen(t, s, tidings.Owner)
	if !p.Is(tidings.EveryView, tidings.PreferTheme, "dark") ||
		!p.Is(tidings.RiverView, tidings.PreferSort, "arrival") {
		t.Errorf("adopted: %v", p)
	}
}

// Preferences for a folder or a channel go with it.
func TestPreferencesFollowTheirViews(t *testing.T) {
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	follow(t, s, feedURL)
	change(t, s, feedURL, tidings.ChannelChange{Folder: new("news")})
	news, channel := tidings.ViewOf(tidings.FolderKind, "news"), tidings.ViewOf(tidings.ChannelKind, feedURL)
	choose(t, s, tidings.Owner, news, tidings.PreferSort, "arrival")
	choose(t, s, tidings.Owner, channel, tidings.PreferSort, "arrival")
	_, folders, err := NewArticles(s).Feeds(t.Context(), tidings.Owner)
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	if err := NewArticles(s).RenameFolder(t.Context(), tidings.Owner, folders[0].ID, "world"); err != nil {
		t.Fatal(err)
	}
	p := chosen(t, s, tidings.Owner)
	if !p.Is(tidings.ViewOf(tidings.FolderKind, "world"), tidings.PreferSort, "arrival") ||
		!p.Is(news, tidings.PreferSort, "date") {
		t.Errorf("after the folder was renamed: %v", p)
	}
	if err := NewArticles(s).RemoveFolder(t.Context(), tidings.Owner, folders[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Unsubscribe(t.Context(), tidings.Owner, feedURL); err != nil {
		t.Fatal(err)
	}
	if p := chosen(t, s, tidings.Owner); len(p) > 0 {
		t.Errorf("of views that are gone is left: %v", p)
	}
}

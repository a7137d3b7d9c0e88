package store

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/store/reader"
)

// tag:name and label:name narrow a search, on the page as in programs on phones: by tags of the channels and labels of
// the items, with words or without.
func TestSearchByTagsAndLabels(t *testing.T) {
	const a, b = "https://a.example/feed", "https://b.example/feed"
	ctx, s := t.Context(), newStore(t)
	for url, tags := range map[string][]string{a: {"daily", "my news"}, b: {"daily"}} {
		follow(t, s, url)
		if err := s.Change(ctx, tidings.Owner, url,
			Change{ChannelChange: tidings.ChannelChange{Tags: &tidings.TagChange{Add: tags}}}); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, s, a, story{"one", "coffee"}, story{"two", "tea"})
	publish(t, s, b, story{"three", "coffee"}, story{"four", "tea and coffee"})
	for _, e := range river(t, s, tidings.EntryQuery{}) {
		labels := map[string][]string{"Story one": {"later"}, "Story three": {"later", "to read"}}[e.Content.Title]
		if err := NewArticles(s).Change(ctx, tidings.Owner, []int64{e.Item},
			reader.ArticleChange{AddLabels: labels}); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"tag:daily coffee":            "four one three",
		`tag:"my news" coffee`:        "one",
		`tag:"my news"`:               "one two",
		`tag:daily tag:"my news"`:     "one two",
		"tag:none":                    "",
		"tag:none coffee":             "",
		"tag:Daily":                   "", // names are as they are written
		"label:later":                 "one three",
		"label:later coffee":          "one three",
		"label:later tea":             "",
		`label:later label:"to read"`: "three",
		`label:"to read" coffee`:      "three",
		`tag:"my news" label:later`:   "one",
		"label:' OR 1":                "",
		"tag:daily !!!":               "four one three two",
	} {
		found := river(t, s, tidings.EntryQuery{Search: query})
		if got := sortedTitles(found); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
		all := articles(t, s, reader.ArticleQuery{Search: query})
		n, err := NewArticles(s).Count(ctx, tidings.Owner, reader.ArticleQuery{Search: query})
		if len(all) != len(found) || n != len(found) || err != nil {
			t.Errorf("%q finds %d entries, %d articles, and counts %d: %v", query, len(found), len(all), n, err)
		}
	}
	if got := sortedTitles(
		river(t, s, tidings.EntryQuery{Search: "tag:daily", Tag: "my news", Label: "later"})); got != "one" {
		t.Errorf("beside a tag and a label that are asked for: %q", got)
	}
	if got := sortedTitles(river(t, s, tidings.EntryQuery{Search: `tag:"my news" coffee`, Channel: b})); got != "" {
		t.Errorf("in a channel without the tag: %q", got)
	}
	if _, err := s.Entries(ctx, tidings.Owner, tidings.EntryQuery{Search: "label:later", ByDate: true}); !errors.Is(err,
		tidings.ErrInvalid) {
		t.Errorf("by date: %v", err)
	}
	if n, err := s.MarkAllRead(ctx, tidings.Owner, tidings.EntryQuery{Search: `tag:"my news" coffee`}, 1<<40); n != 1 ||
		err != nil {
		t.Errorf("marked %d, %v", n, err)
	}
}

func sortedTitles(entries []tidings.Entry) string {
	all := strings.Fields(titles(entries))
	slices.Sort(all)
	return strings.Join(all, " ")
}

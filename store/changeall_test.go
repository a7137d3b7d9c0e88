package store

import (
	"errors"
	"strings"
	"testing"

	"tidings"
)

// Several channels are changed in one transaction: all of them or none, those that the account follows alone, and how
// many are different is counted.
func TestSeveralChannelsAreChangedAtOnce(t *testing.T) {
	ctx, s := t.Context(), mustOpen(t, Config{Dir: t.TempDir()})
	var urls []string
	for i, kind := range []tidings.Kind{tidings.KindFeed, tidings.KindFeed, tidings.KindPage} {
		n := Subscription{URL: channelURL(i), Kind: kind, Privacy: tidings.Public}
		if i == 1 {
			n.FullText = true
			for tag := range tidings.MaxTags {
				n.Tags = append(n.Tags, "t"+strings.Repeat("x", tag))
			}
		}
		if _, _, err := s.Subscribe(ctx, tidings.Owner, n); err != nil {
			t.Fatal(err)
		}
		urls = append(urls, n.URL)
	}
	urls = append(urls, "https://not.example/")
	at := func(i int) tidings.Subscription {
		f, err := s.Channel(ctx, tidings.Owner, urls[i])
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	shown := tidings.ChannelChange{FullText: new(true), Pictures: new(tidings.PicturesWish("never")),
		EditsAsItems: new(true)}
	for _, want := range []int{2, 0} {
		n, err := s.Reader.ChangeAll(ctx, tidings.Owner, urls, shown)
		if err != nil || n != want {
			t.Errorf("changed %d, %v", n, err)
		}
	}
	for i, want := range []bool{true, true, false} {
		if f := at(i); f.FullText != want || (f.Pictures == "never") != want || f.EditsAsItems != want {
			t.Errorf("%d: %v %q %v", i, f.FullText, f.Pictures, f.EditsAsItems)
		}
	}
	if n, err := s.Reader.ChangeAll(ctx, tidings.Owner, urls, tidings.ChannelChange{Folder: new("News")}); n != 3 ||
		err != nil {
		t.Errorf("moved %d, %v", n, err)
	}
	// The second has as many tags as it can have: none has one more.
	n, err := s.Reader.ChangeAll(ctx, tidings.Owner, urls,
		tidings.ChannelChange{Tags: &tidings.TagChange{Add: []string{"daily"}}})
	if !errors.Is(err, tidings.ErrInvalid) || n != 0 || !strings.Contains(err.Error(), urls[1]) ||
		len(at(0).Tags) != 0 || len(at(2).Tags) != 0 {
		t.Errorf("tagged %d, %v: %q", n, err, at(0).Tags)
	}
	for name, c := range map[string]tidings.ChannelChange{
		"a name": {Name: new("x")}, "privacy": {Privacy: new(tidings.Unlisted)},
		"headers": {Access: &tidings.AccessChange{Headers: []string{"X: y"}}},
		"options": {Options: &tidings.PageOptions{}}, "pictures": {Pictures: new(tidings.PicturesWish("sometimes"))},
	} {
		if n, err := s.Reader.ChangeAll(ctx, tidings.Owner, urls, c); !errors.Is(err, tidings.ErrInvalid) || n != 0 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
}

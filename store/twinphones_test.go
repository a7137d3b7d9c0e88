package store

import (
	"testing"
	"time"

	"tidings"
	"tidings/store/reader"
)

// To programs on phones, an item that a query selects and the same one in its channel are two: each is in its own feed
// and counts there. To read one is to read both, and the other has then changed.
func TestReadingOneOfTwoTwinsOnAPhoneReadsBoth(t *testing.T) {
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	follow(t, s, feedURL)
	followQuery(t, s, tidings.Owner)
	publish(t, s, feedURL, story{"one", "text"}, story{"two", "text"})
	selectStory(t, s, feedURL, story{"one", "text"})
	all := articles(t, s, reader.ArticleQuery{})
	if len(all) != 3 {
		t.Fatalf("%d articles", len(all))
	}
	for _, read := range []bool{true, false} {
		for _, a := range all {
			if a.Content.ID != "one" {
				continue
			}
			clk.add(time.Hour)
			before := clk.now()
			if err := NewArticles(s).Change(ctx, tidings.Owner, []int64{a.Number},
				reader.ArticleChange{Read: &read}); err != nil {
				t.Fatal(err)
			}
			changed := articles(t, s, reader.ArticleQuery{Changed: reader.Span{From: before}})
			if len(changed) != 2 || changed[0].Read != read || changed[1].Read != read ||
				changed[0].Channel == changed[1].Channel {
				t.Errorf("marked read (%v) in one: changed are %+v", read, changed)
			}
			undo := !read
			if err := NewArticles(s).Change(ctx, tidings.Owner, []int64{a.Number},
				reader.ArticleChange{Read: &undo}); err != nil {
				t.Fatal(err)
			}
		}
		if err := NewArticles(s).Change(ctx, tidings.Owner, []int64{all[0].Number, all[1].Number, all[2].Number},
			reader.ArticleChange{Read: &read}); err != nil {
			t.Fatal(err)
		}
	}
}

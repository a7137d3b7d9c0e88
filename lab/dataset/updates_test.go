package dataset

import (
	"slices"
	"testing"
)

func TestFeeds(t *testing.T) {
	feeds := Feeds()
	if len(feeds) != 37 {
		t.Fatalf("%d feeds, want 37", len(feeds))
	}
	at := func(name string) Feed {
		i := slices.IndexFunc(feeds, func(f Feed) bool { return f.Name == name })
		if i < 0 {
			t.Fatalf("no feed %s", name)
		}
		return feeds[i]
	}
	podcast := at("ai-rss-podcast")
	list := podcast.Updates
	if len(list) != 709 || len(at("rust-blog").Updates) != 447 || podcast.Recent != 160 || podcast.Format != "rss2.0" {
		t.Fatalf("%d and %d states; %d of %s", len(list), len(at("rust-blog").Updates), podcast.Recent, podcast.Format)
	}
	if first := list[0]; first.Time.Unix() != 1779298072 || first.Bytes != 10938 || first.Changed {
		t.Errorf("the first is %+v", first)
	}
	if second := list[1]; second.Added != 648 || second.Items != 20 || second.NewItems != 2 || !second.Changed {
		t.Errorf("the second is %+v", second)
	}
	for _, f := range feeds {
		for i := 1; i < len(f.Updates); i++ {
			if f.Updates[i].Time.Before(f.Updates[i-1].Time) {
				t.Errorf("%s: state %d is older than the one before it", f.Name, i)
			}
		}
		if f.Recent < 1 || f.Recent > len(f.Updates) {
			t.Errorf("%s: %d of %d updates are recent", f.Name, f.Recent, len(f.Updates))
		}
	}
}

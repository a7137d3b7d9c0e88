package dataset

import (
	"path/filepath"
	"testing"
)

func TestReadUpdates(t *testing.T) {
	file := filepath.Join(NeedDir(t), "feed-histories", "updates.csv.gz")
	all, err := ReadUpdates(file, "ai-rss-podcast", "rust-blog")
	if err != nil {
		t.Fatal(err)
	}
	list := all["ai-rss-podcast"]
	if len(all) != 2 || len(list) != 709 || len(all["rust-blog"]) != 447 {
		t.Fatalf("%d feeds with %d and %d states", len(all), len(list), len(all["rust-blog"]))
	}
	if first := list[0]; first.Time.Unix() != 1779298072 || first.Bytes != 10938 || first.Changed {
		t.Errorf("the first is %+v", first)
	}
	if second := list[1]; second.Added != 648 || second.NewItems != 2 || !second.Changed {
		t.Errorf("the second is %+v", second)
	}
}

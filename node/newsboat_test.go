package node

import (
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/proxy"
	"tidings/lab/newsboat"
	"tidings/lab/origin"
)

// An unmodified newsboat follows a feed and a page through a real node.
func TestNewsboatHearsThroughANode(t *testing.T) {
	o, base := startOrigin(t)
	if err := o.AddFeed("feed", origin.MakeFeed(9, 3, 2000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := o.Add("page", historyOf(pageOf("tea 2.50"), pageOf("tea 2.60")), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	n, client := startNode(t)
	var feeds []string
	for _, name := range []string{"feed", "page"} {
		if _, err := client.Subscribe(t.Context(), tidings.Order{URL: base + name}); err != nil {
			t.Fatal(err)
		}
		feeds = append(feeds, proxy.FeedURL(n.URL(), base+name))
	}
	boat := newsboat.Launch(t, feeds...)
	boat.Command("reload")
	if got := boat.Titles(); len(got) != 4 {
		t.Errorf("newsboat has %q, want three items and the page's first version", got)
	}
	for _, name := range []string{"feed", "page"} {
		if _, err := o.Step(name); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Look(t.Context(), base+name); err != nil {
			t.Fatal(err)
		}
	}
	boat.Command("reload")
	got := boat.Titles()
	changed := slices.ContainsFunc(got, func(title string) bool {
		return strings.HasPrefix(title, "A page: ") && strings.Contains(title, "1 line added")
	})
	if len(got) != 6 || !changed {
		t.Errorf("after a change of each newsboat has %q", got)
	}
}

package phones_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
	"tidings/store"
	"tidings/store/content"
)

// A full text is fetched once, whether the feed is shown by it or not. One that does not come in time leaves the feed's
// text. Nothing is fetched of items that are not the person's.
func TestFullTextOfOneItem(t *testing.T) {
	n := open(t)
	ctx, asked := context.Background(), 0
	n.Page = func(context.Context, int64) (string, error) { asked++; return `<p onclick="x()">whole</p>`, nil }
	const address = "https://feed.example/"
	if _, _, err := n.Store.Subscribe(ctx, tidings.Owner, store.Subscription{URL: address, Kind: tidings.KindFeed,
		Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	c := tidings.Change{Kind: tidings.KindFeed, Found: n.Now(), KnownUpTo: math.MaxInt64}
	for i := range uint64(2) {
		link := fmt.Sprint(address, i)
		c.Items = append(c.Items,
			tidings.FoundItem{Item: tidings.Item{ID: link, URL: link, Title: "One", Content: "<p>short</p>",
				Change: tidings.New},
				Mark: tidings.ItemIdentity{ID: i + 1}, Raw: "<p>short</p>"})
	}
	if _, err :=
		n.Store.Apply(ctx,
			&store.Record{Record: content.Record{URL: address, Health: tidings.HealthGood, Change: &c}}); err != nil {
		t.Fatal(err)
	}
	numbers, err := n.Numbers(ctx, synctest.Ann, sync.Query{})
	if err != nil || len(numbers) < 2 {
		t.Fatal(numbers, err)
	}
	for range 2 {
		if html, err := n.FullText(ctx, synctest.Ann, numbers[0]); html != "<p>whole</p>" || err != nil {
			t.Errorf("got %q, %v", html, err)
		}
	}
	if asked != 1 {
		t.Errorf("the page was asked for %d times", asked)
	}
	busy := tidings.Invalidf("too many wait")
	n.Page = func(context.Context, int64) (string, error) { return "", busy }
	if html, err := n.FullText(ctx, synctest.Ann, numbers[1]); html != "" || !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("where too many wait: %q, %v", html, err)
	}
	for _, other := range []int64{1, sync.FirstNumber + 100_000, -5} {
		if html, err := n.FullText(ctx, synctest.Ann, other); html != "" || !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("of %d: %q, %v", other, html, err)
		}
	}
	if asked != 1 {
		t.Errorf("pages of others were asked for: %d", asked)
	}
	late, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	n.Page = func(ctx context.Context, _ int64) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	if html, err := n.FullText(late, synctest.Ann, numbers[1]); html != "" {
		t.Errorf("what never comes: %q, %v", html, err)
	}
}
